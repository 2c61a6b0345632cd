#include "engine/flow/sensitive.h"

#include <gtest/gtest.h>

namespace weir::flow {
namespace {

using Algorithm = SensitiveValues::Algorithm;

TEST(SensitiveValues, WhatIsEncryptedComesBack) {
  for (const Algorithm algorithm : {Algorithm::aes_gcm_128, Algorithm::aes_gcm_256}) {
    const SensitiveValues values("a long password", algorithm);
    for (const std::string text : {"", "secret", "\xc3\xa9\n{}", "0123456789abcdef0123456789"}) {
      const std::string encrypted = values.encrypt(text, "here");
      EXPECT_TRUE(SensitiveValues::is_encrypted(encrypted)) << encrypted;
      EXPECT_EQ(values.decrypt(encrypted), text);
    }
  }
}

// Made with another implementation of the same scheme: PBKDF2-HMAC-SHA-512, 160,000 rounds, salt
// "NiFi Static Salt", AES-256-GCM with a 16-byte vector before the cipher text.
TEST(SensitiveValues, ReadsWhatTheSchemeSays) {
  const SensitiveValues values("weir-test-password", Algorithm::aes_gcm_256);
  EXPECT_EQ(
      values.decrypt(
          "enc{"
          "000102030405060708090a0b0c0d0e0f4d454d3dc9258e64dc1652c6a64c6adc5e0443cf651c0e1f41}"),
      "swordfish");
}

TEST(SensitiveValues, TheSameValueAtTheSamePlaceLooksTheSame) {
  const SensitiveValues values("a long password", Algorithm::aes_gcm_256);
  EXPECT_EQ(values.encrypt("secret", "a"), values.encrypt("secret", "a"));
  EXPECT_NE(values.encrypt("secret", "a"), values.encrypt("secret", "b"));
}

TEST(SensitiveValues, SaysWhyAValueStaysClosed) {
  const SensitiveValues values("a long password", Algorithm::aes_gcm_256);
  std::string encrypted = values.encrypt("secret", "here");
  EXPECT_NE(SensitiveValues().decrypt(encrypted).error().find("nifi.sensitive.props.key"),
            std::string::npos);
  EXPECT_NE(SensitiveValues("another", Algorithm::aes_gcm_256)
                .decrypt(encrypted)
                .error()
                .find("another key"),
            std::string::npos);
  encrypted[40] = encrypted[40] == '0' ? '1' : '0';
  EXPECT_FALSE(values.decrypt(encrypted));
  EXPECT_FALSE(values.decrypt("enc{}"));
  EXPECT_FALSE(values.decrypt("enc{xyz}"));
  EXPECT_FALSE(values.decrypt("enc{0011}"));
}

}  // namespace
}  // namespace weir::flow
