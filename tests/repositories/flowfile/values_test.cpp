#include "repositories/flowfile/attributes.h"
#include "tests/repositories/flowfile/test_support.h"

namespace weir::flowfile {
namespace {

TEST(UuidTest, TextRoundTripsInEitherCase) {
  const Uuid uuid{0x0123456789ABCDEFull, 0xFEDCBA9876543210ull};
  EXPECT_EQ(uuid.to_string(), "01234567-89ab-cdef-fedc-ba9876543210");
  EXPECT_EQ(Uuid::parse(uuid.to_string()), uuid);
  EXPECT_EQ(Uuid::parse("01234567-89AB-CDEF-FEDC-BA9876543210"), uuid);
}

TEST(UuidTest, AnythingElseIsNoUuid) {
  for (const char* text :
       {"", "01234567-89ab-cdef-fedc-ba987654321", "01234567-89ab-cdef-fedc-ba98765432100",
        "0123456789ab-cdef-fedc-ba9876543210-", "01234567-89ab-cdef-fedc-ba987654321g",
        "{1234567-89ab-cdef-fedc-ba987654321}"}) {
    EXPECT_FALSE(Uuid::parse(text)) << text;
  }
}

TEST(UuidTest, NameBasedUuidIsThatOfTheRfc) {
  // RFC 9562, appendix A.4: www.example.com in the DNS namespace.
  const auto dns = Uuid::parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
  EXPECT_EQ(Uuid::from_name(*dns, "www.example.com").to_string(),
            "2ed6657d-e927-568b-95e1-2665a8aea6a2");
}

TEST(UuidTest, GeneratedUuidsAreVersionSevenRisingAndUnique) {
  UuidGenerator generator(0x123456, ~0ull);  // the counter wraps
  Uuid previous = generator.next(5);
  std::set<Uuid> seen{previous};
  for (const std::int64_t now_ms : {5, 6, 6, 3, 7}) {
    const Uuid uuid = generator.next(now_ms);
    EXPECT_TRUE(seen.insert(uuid).second);
    EXPECT_GT(uuid, previous);
    EXPECT_EQ(uuid.high >> 12 & 0xF, 7u);
    EXPECT_EQ(uuid.low >> 62, 2u);
    previous = uuid;
  }
  EXPECT_EQ(previous.high >> 16, 7u);
}

AttributesPtr round_trip(const Attributes& attributes, const Uuid& uuid, std::size_t* size = {}) {
  std::vector<std::byte> encoded;
  storage::Encoder out(encoded);
  attributes.encode(uuid, out);
  if (size) *size = encoded.size();
  storage::Decoder in(encoded);
  AttributesPtr decoded = Attributes::decode(uuid, in);
  EXPECT_TRUE(in.at_end());
  return decoded;
}

TEST(AttributesTest, SortedAndTheLastOfEqualNamesWins) {
  const Attributes attributes({{"b", "1"}, {"a", "2"}, {"b", "3"}});
  ASSERT_EQ(attributes.size(), 2u);
  EXPECT_EQ(*attributes.find("a"), "2");
  EXPECT_EQ(*attributes.find("b"), "3");
  EXPECT_EQ(attributes.find("c"), nullptr);
}

TEST(AttributesTest, WithSetsAndRemoves) {
  const auto attributes = Attributes::make({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  const std::vector<Attributes::Entry> set{{"b", "9"}, {"d", "4"}};
  const std::vector<std::string> removed{"a", "d", "none"};
  EXPECT_EQ(*attributes->with(set, removed), Attributes({{"b", "9"}, {"c", "3"}, {"d", "4"}}));
  EXPECT_EQ(attributes->size(), 3u);
}

TEST(AttributesTest, WellKnownNamesAndTheUuidTakeOneByteEach) {
  const Uuid uuid{1, 2};
  const Attributes attributes({{"filename", uuid.to_string()}, {"path", "./"}});
  std::size_t size = 0;
  EXPECT_EQ(*round_trip(attributes, uuid, &size), attributes);
  EXPECT_EQ(size, 1u + (1 + 1) + (1 + 1 + 2));
}

TEST(AttributesTest, AnotherFlowFilesUuidIsKeptAsText) {
  const Attributes attributes({{"parent", Uuid{3, 4}.to_string()}});
  EXPECT_EQ(*round_trip(attributes, Uuid{1, 2}), attributes);
}

TEST(AttributesTest, R164_AnyBytesSurvive) {
  std::vector<Attributes::Entry> entries{{"nul", std::string("a\0b", 3)},
                                         {"invalid", "\xFF\xFE\x80"},
                                         {std::string("\0name", 5), ""},
                                         {"", "empty name"},
                                         {"planes", "\u00e4 \u4e2d \U0001F600 \U000E0001"},
                                         {"large", std::string(1 << 20, 'x')}};
  const Attributes attributes(entries);
  EXPECT_EQ(*round_trip(attributes, Uuid{1, 2}), attributes);

  storage::FaultFileSystem files;
  FlowFilePtr written;
  {
    Engine engine(files);
    written = engine.create("queue", entries);
  }
  files.kill_process();
  Engine engine(files);
  ASSERT_EQ(engine.recovered.flow_file_count, 1u);
  EXPECT_EQ(Values(*written), Values(*engine.queue("queue")->flow_files.at(0)));
}

TEST(AttributesTest, DamagedBytesNeverCrash) {
  std::mt19937_64 random(seed_of_run());
  const Attributes attributes({{"filename", "a"}, {"long.name.of.mine", "value"}, {"x", "y"}});
  std::vector<std::byte> good;
  storage::Encoder out(good);
  attributes.encode({}, out);
  for (int i = 0; i < loops(2000); ++i) {
    std::vector<std::byte> bad = good;
    bad[random() % bad.size()] = std::byte(random());
    bad.resize(random() % (bad.size() + 1));
    try {
      storage::Decoder in(bad);
      Attributes::decode({}, in);
    } catch (const storage::DecodeError&) {
      continue;
    }
  }
}

TEST(Attributes, ChangesOverASharedBaseReadAsOneSet) {
  const AttributesPtr base =
      Attributes::make({{"a", "1"}, {"c", "3"}, {"e", "5"}, {"filename", "whole"}});
  const std::vector<Attributes::Entry> first = {{"c", "30"}, {"b", "2"}};
  const AttributesPtr changed = base->with(first);
  EXPECT_EQ(*changed,
            Attributes({{"a", "1"}, {"b", "2"}, {"c", "30"}, {"e", "5"}, {"filename", "whole"}}));
  EXPECT_EQ(*changed->find("c"), "30");
  EXPECT_EQ(*changed->find("e"), "5");
  EXPECT_EQ(changed->find("x"), nullptr);
  EXPECT_EQ(changed->size(), 5u);
  const std::vector<Attributes::Entry> second = {{"b", "20"}, {"z", "26"}};
  const AttributesPtr twice = changed->with(second);
  EXPECT_EQ(*twice->find("b"), "20");
  EXPECT_EQ(*twice->find("c"), "30");
  const std::vector<std::string> removed = {"e", "b"};
  EXPECT_EQ(*twice->with({}, removed),
            Attributes({{"a", "1"}, {"c", "30"}, {"filename", "whole"}, {"z", "26"}}));
  EXPECT_EQ(*twice->flattened(), *twice);
  EXPECT_EQ(*base->find("c"), "3");
}

TEST(Attributes, EncodingOverABaseRoundTripsAndSharesItsFront) {
  const Uuid one = *Uuid::parse("01020304-0506-7708-890a-0b0c0d0e0f10");
  const Uuid two = *Uuid::parse("01020304-0506-7708-890a-0b0c0d0e0f11");
  // A value of the base that is one FlowFile's uuid must not become the other's.
  const AttributesPtr base =
      Attributes::make({{"a", "1"}, {"filename", one.to_string()}, {"k", "v"}});
  const std::vector<Attributes::Entry> first = {{"fragment.index", "1"}, {"own", one.to_string()}};
  const std::vector<Attributes::Entry> second = {{"fragment.index", "2"}, {"own", two.to_string()}};
  const AttributesPtr a = base->with(first);
  const AttributesPtr b = base->with(second);
  EXPECT_TRUE(a->same_shape(*b));
  EXPECT_FALSE(a->same_shape(*base));
  std::vector<std::byte> bytes;
  storage::Encoder out(bytes);
  const std::size_t shared = a->encode(one, out);
  storage::Decoder in_a(bytes);
  EXPECT_EQ(*Attributes::decode(one, in_a), *a);
  bytes.resize(shared);
  b->encode_changes(two, out);
  storage::Decoder in_b(bytes);
  EXPECT_EQ(*Attributes::decode(two, in_b), *b);
  EXPECT_TRUE(in_b.at_end());
}

}  // namespace
}  // namespace weir::flowfile
