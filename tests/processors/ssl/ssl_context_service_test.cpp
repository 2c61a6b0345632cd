#include "processors/ssl/ssl_context_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/flow/check.h"
#include "processors/ssl/key_store.h"
#include "processors/ssl/ssl_context.h"
#include "tests/processors/ssl/certificate.h"
#include "tests/tools/program.h"

namespace weir::processors::ssl {
namespace {

using test::Certificate;
using test::write_trust_store;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using tools::testing::Folder;

using Values = std::map<std::string, std::string>;

std::size_t certificates_in(const std::string& pem) {
  std::size_t count = 0;
  for (std::size_t at = pem.find("BEGIN CERT"); at != std::string::npos;
       at = pem.find("BEGIN CERT", at + 1)) {
    ++count;
  }
  return count;
}

std::string failure_of(const std::filesystem::path& file, const std::string& password) {
  try {
    read_pkcs12(file, password);
    return "";
  } catch (const ProcessException& error) {
    return error.what();
  }
}

TEST(KeyStore, GivesKeyChainAndAuthorities) {
  const Folder folder;
  const Certificate own({.name = "own"}), authority({.name = "authority"});
  own.write_store(folder / "own.p12", "secret", {&authority});
  const KeyStore store = read_pkcs12(folder / "own.p12", "secret");
  EXPECT_THAT(store.private_key, StartsWith("-----BEGIN PRIVATE KEY"));
  EXPECT_EQ(certificates_in(store.certificate_chain), 2u);
  EXPECT_EQ(certificates_in(store.certificates), 1u);
}

TEST(KeyStore, GivesCertificatesWithoutKey) {
  const Folder folder;
  const Certificate one({.name = "one"}), two({.name = "two"});
  write_trust_store(folder / "trust.p12", "secret", {&one, &two});
  const KeyStore store = read_pkcs12(folder / "trust.p12", "secret");
  EXPECT_EQ(store.private_key, "");
  EXPECT_EQ(certificates_in(store.certificates), 2u);
}

TEST(KeyStore, SaysWhatIsWrongAndNoPassword) {
  const Folder folder;
  Certificate({.name = "own"}).write_store(folder / "own.p12", "secret");
  EXPECT_THAT(failure_of(folder / "own.p12", "hunter2"), HasSubstr("password is wrong"));
  EXPECT_THAT(failure_of(folder / "own.p12", "hunter2"), Not(HasSubstr("hunter2")));
  EXPECT_THAT(failure_of(folder / "none.p12", "secret"), HasSubstr("cannot be opened"));
  folder.write("old.jks", "\xfe\xed\xfe\xed more");
  EXPECT_THAT(failure_of(folder / "old.jks", "secret"), HasSubstr("keytool -importkeystore"));
  const std::string bytes = tools::testing::read_file(folder / "own.p12");
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    folder.write("cut.p12", bytes.substr(0, size));
    EXPECT_NE(failure_of(folder / "cut.p12", "secret"), "") << size;
  }
}

std::vector<std::string> problems(const Values& values) {
  const auto& definition = standard_ssl_context_service();
  const flow::PlainPropertyContext context(definition, values);
  std::vector<std::string> found;
  for (const auto& one : definition.make()->custom_validate(context)) found.push_back(one.message);
  return found;
}

TEST(SslContextService, WantsAWholeStore) {
  const Values whole = {{"Truststore Filename", "t.p12"},
                        {"Truststore Password", "secret"},
                        {"Truststore Type", "PKCS12"}};
  EXPECT_THAT(problems(whole), IsEmpty());
  EXPECT_THAT(problems({}), ElementsAre(HasSubstr("neither")));
  for (const char* missing : {"Truststore Filename", "Truststore Password", "Truststore Type"}) {
    Values values = whole;
    values.erase(missing);
    EXPECT_THAT(problems(values), ::testing::Contains(HasSubstr("all three or none"))) << missing;
  }
}

TEST(SslContextService, SaysHowToConvertOtherFormats) {
  for (const char* type : {"JKS", "BCFKS"}) {
    EXPECT_THAT(
        problems(
            {{"Keystore Filename", "k"}, {"Keystore Password", "secret"}, {"Keystore Type", type}}),
        ElementsAre(HasSubstr("-deststoretype PKCS12")));
  }
}

TEST(SslContextService, RefusesAKeyPasswordThatPkcs12CannotHave) {
  EXPECT_THAT(problems({{"Keystore Filename", "k"},
                        {"Keystore Password", "secret"},
                        {"Keystore Type", "PKCS12"},
                        {"key-password", "other"}}),
              ElementsAre(HasSubstr("differs")));
}

}  // namespace
}  // namespace weir::processors::ssl
