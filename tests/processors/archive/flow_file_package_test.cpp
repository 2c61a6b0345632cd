#include "processors/archive/flow_file_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/archive/properties_xml.h"
#include "tests/processors/archive/archive_samples.h"

namespace weir::processors {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr PackageVersion versions[] = {PackageVersion::v1, PackageVersion::v2, PackageVersion::v3};

struct Packed {
  PackageAttributes attributes;
  std::string content;
};

std::string package(PackageVersion version, const std::vector<Packed>& flow_files) {
  TextOutput out;
  BufferedOutput buffered(out);
  PackageWriter writer(version, buffered, 1'700'000'000);
  for (const Packed& packed : flow_files) {
    TextInput content(packed.content);
    writer.add("the-uuid", packed.attributes, content);
  }
  buffered.flush();
  return out.text;
}

std::vector<Packed> unpack(PackageVersion version, std::string package,
                           const PackageLimits& limits = {}) {
  TextInput in(std::move(package));
  const auto reader = PackageReader::make(version, in, limits);
  std::vector<Packed> flow_files;
  while (auto attributes = reader->next()) {
    Packed& packed = flow_files.emplace_back(std::move(*attributes));
    std::byte buffer[1000];
    while (const std::size_t count = reader->read(buffer)) {
      packed.content.append(reinterpret_cast<const char*>(buffer), count);
    }
  }
  return flow_files;
}

std::string error_of(PackageVersion version, std::string package,
                     const PackageLimits& limits = {}) {
  try {
    unpack(version, std::move(package), limits);
  } catch (const ArchiveError& error) {
    return error.what();
  }
  return {};
}

TEST(FlowFilePackage, EachVersionGivesBackWhatWentIn) {
  const std::string large(200'000, 'x');
  const std::vector<Packed> flow_files = {
      {{{"filename", "a.txt"}, {"k", "<v> & \"w\" \xc3\xa9\n"}}, "content"},
      {{{"filename", "empty"}, {"long", std::string(70'000, 'l')}}, ""},
      {{}, large}};
  for (const PackageVersion version : versions) {
    const auto got = unpack(version, package(version, flow_files));
    ASSERT_EQ(got.size(), 3u);
    EXPECT_THAT(got[0].attributes,
                UnorderedElementsAre(Pair("filename", "a.txt"), Pair("uuid", "the-uuid"),
                                     Pair("k", "<v> & \"w\" \xc3\xa9\n")));
    EXPECT_EQ(got[0].content, "content");
    EXPECT_EQ(got[1].content, "");
    EXPECT_THAT(got[1].attributes, testing::Contains(Pair("long", std::string(70'000, 'l'))));
    EXPECT_EQ(got[2].content, large);
  }
}

TEST(FlowFilePackage, Version3ByteByByte) {
  EXPECT_EQ(package(PackageVersion::v3, {{{{"k", "v"}}, "xy"}}),
            std::string("NiFiFF3\0\2\0\1k\0\1v\0\4uuid\0\10the-uuid\0\0\0\0\0\0\0\2xy", 41));
}

TEST(FlowFilePackage, CutOffAnywhereIsDamageAndNothingElse) {
  for (const PackageVersion version : versions) {
    const std::string whole = package(version, {{{{"a", "b"}}, "first"}, {{{"c", "d"}}, "second"}});
    const std::string first = package(version, {{{{"a", "b"}}, "first"}});
    const bool is_tar = version == PackageVersion::v1;
    for (std::size_t size = 0; size < whole.size(); size += is_tar ? 64 : 1) {
      // Between two FlowFiles a package may end; a tar also without its empty blocks.
      const bool may_end = size == first.size() || (is_tar && (size % 512 == 0 || size > 3584));
      if (may_end) continue;
      EXPECT_NE(error_of(version, whole.substr(0, size)), "") << size;
    }
  }
}

TEST(FlowFilePackage, DamagedBytesNeverDoMoreThanFail) {
  for (const PackageVersion version : versions) {
    const std::string whole = package(version, {{{{"a", "b"}}, "first"}, {{{"c", "d"}}, "second"}});
    for (std::size_t at = 0; at < whole.size(); at += version == PackageVersion::v1 ? 7 : 1) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        error_of(version, damaged);
      }
    }
  }
}

TEST(FlowFilePackage, LengthsThatLieTakeNoMemory) {
  const std::string huge_count("NiFiFF3\xff\xff\x7f\xff\xff\xff", 13);
  EXPECT_THAT(error_of(PackageVersion::v3, huge_count), HasSubstr("2147483647 attributes"));
  const std::string huge_name("NiFiFF3\0\1\xff\xff\x7f\xff\xff\xff", 15);
  EXPECT_THAT(error_of(PackageVersion::v3, huge_name), HasSubstr("take more than"));
  const std::string huge_content("NiFiFF3\0\1\0\1k\0\1v\xff\xff\xff\xff\xff\xff\xff\xff", 23);
  EXPECT_THAT(error_of(PackageVersion::v3, huge_content), HasSubstr("impossible size"));
  const std::string no_attributes("NiFiFF3\0\0\0\0\0\0\0\0\0\0", 17);
  EXPECT_THAT(error_of(PackageVersion::v3, no_attributes), HasSubstr("no attributes"));
}

TEST(FlowFilePackage, LimitsAreKept) {
  const std::string whole = package(PackageVersion::v2, {{{{"a", "b"}, {"c", "d"}}, ""}});
  EXPECT_EQ(error_of(PackageVersion::v2, whole, {.most_attributes = 3}), "");
  EXPECT_THAT(error_of(PackageVersion::v2, whole, {.most_attributes = 2}), HasSubstr("3 attribu"));
  EXPECT_THAT(error_of(PackageVersion::v2, whole, {.most_attribute_bytes = 10}),
              HasSubstr("more than 10 bytes"));
  const std::string tar = package(PackageVersion::v1, {{{{"a", "b"}}, ""}});
  EXPECT_THAT(error_of(PackageVersion::v1, tar, {.most_attribute_bytes = 10}),
              HasSubstr("more than 10 bytes"));
}

TEST(PropertiesXml, UnderstandsWhatJavaWrites) {
  EXPECT_THAT(parse_properties_xml("\xef\xbb\xbf<?xml version='1.0'?>\n"
                                   "<!DOCTYPE properties SYSTEM \"x\">\n<!-- note -->\n"
                                   "<properties version='1.0'>\n<comment>c</comment>\n"
                                   "<entry key='a'>1&#233;&#x20AC;&lt;<![CDATA[<&]]></entry>\n"
                                   "<entry key=\"b&quot;\"/>\n</properties>"),
              UnorderedElementsAre(Pair("a", "1\xc3\xa9\xe2\x82\xac<<&"), Pair("b\"", "")));
}

TEST(PropertiesXml, EntitiesOfItsOwnAreRefused) {
  for (const char* text : {"<!DOCTYPE properties [<!ENTITY a \"aaaa\">]><properties/>",
                           "<properties><entry key='a'>&a;</entry></properties>",
                           "<properties><entry key='a'>", "<properties><entry>x</entry>",
                           "<properties><entry key='a'><b/></entry></properties>", "", "<x/>"}) {
    EXPECT_THROW(parse_properties_xml(text), ArchiveError) << text;
  }
}

}  // namespace
}  // namespace weir::processors
