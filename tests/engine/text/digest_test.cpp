#include "engine/text/digest.h"

#include <gtest/gtest.h>

namespace weir::text {
namespace {

TEST(Digest, KnowsJavasNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"MD2", "8350e5a3e24c153df2275c9f80692773"},
      {"md5", "d41d8cd98f00b204e9800998ecf8427e"},
      {"SHA", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"SHA1", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"SHA256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"sha-256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"2.16.840.1.101.3.4.2.1",
       "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"SHAKE128-256", "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"},
      {"SHA3-256", "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"}};
  for (const auto& [name, hash] : cases) EXPECT_EQ(hash_hex(name, ""), hash) << name;
  EXPECT_EQ(hash_hex("SHA-512/224", "cargo manifest"),
            "6f67f2affb6d5c2eecbc1d1173efc1f0fcf39f07cbc4563569e53050");
  EXPECT_EQ(hash_hex("MD5", "cargo manifest"), "ecb139af596f715bc531ad129039a5a1");
  for (const char* name : {"", "CRC32", "SHA-3", " SHA-256", "SHA-2"}) {
    EXPECT_EQ(hash_hex(name, ""), std::nullopt) << name;
  }
}

TEST(Digest, PartsGiveTheHashOfTheWhole) {
  const auto digest = Digest::make("SHA-256");
  digest->update("cargo ");
  digest->update("manifest");
  EXPECT_EQ(digest->finish()[0], 0xFA);
}

TEST(Uuid, ReadsAsLenientlyAsJava) {
  EXPECT_EQ(uuid_text(parse_uuid("6BA7B810-9DAD-11D1-80B4-00C04FD430C8").value()),
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8");
  EXPECT_EQ(uuid_text(parse_uuid("1-2-3-4-5").value()), "00000001-0002-0003-0004-000000000005");
  for (const char* text : {"", "not-a-uuid", "5", "1-2-3-4", "1-2-3-4-5-6", "1-2-3--5",
                           "6ba7b810-9dad-11d1-80b4-00c04fd430c8a"}) {
    EXPECT_FALSE(parse_uuid(text)) << text;
  }
}

TEST(Uuid, MakesThemFromNames) {
  const UuidBytes url = parse_uuid("6ba7b811-9dad-11d1-80b4-00c04fd430c8").value();
  EXPECT_EQ(uuid_text(uuid3(url, "cargo.example.net")), "4769f807-8249-3fb7-9934-e12a317283c0");
  EXPECT_EQ(uuid_text(uuid5(url, "cargo.example.net")), "220501e1-625a-540e-aea0-c77539005351");
  EXPECT_EQ(uuid_text(uuid3(UuidBytes{}, "cargo.example.net")),
            "fac180e8-e5fb-3819-9db5-d4035e33fa63");
  EXPECT_EQ(uuid_text(uuid3("hello")), "5d41402a-bc4b-3a76-b971-9d911017c592");
}

}  // namespace
}  // namespace weir::text
