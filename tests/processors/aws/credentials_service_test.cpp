#include "processors/aws/credentials_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "processors/aws/credentials.h"
#include "tests/processors/aws/http_server.h"
#include "tests/processors/aws/sample_surroundings.h"
#include "tests/processors/bench/bench_properties.h"
#include "tests/processors/bench/test_bench.h"

namespace weir::processors::aws {
namespace {

using bench::Values;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using tests::HttpServer;

constexpr const char* role_credentials =
    "<R><Credentials><AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>role-secret"
    "</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>"
    "</Credentials></R>";

// A service as the engine holds it.
class ServiceRig : public ComponentContext, public ComponentLog, public StateManager {
 public:
  explicit ServiceRig(Values values) {
    for (const auto& [name, value] : values) properties_.set(name, value);
    instance_ = definition_.make();
  }

  using PropertyContext::property;
  PropertyValue property(std::string_view name) const override {
    return properties_.property(name);
  }
  std::vector<std::string> dynamic_properties() const override { return {}; }
  std::shared_ptr<ControllerService> controller_service(std::string_view) const override {
    return nullptr;
  }
  const std::string& component_id() const override { return name_; }
  const std::string& component_name() const override { return name_; }
  ComponentLog& log() override { return *this; }
  StateManager& state() override { return *this; }
  Clock& clock() override { return system_clock(); }
  Random& random() override { return system_random(); }
  bool enabled(LogLevel) const override { return false; }
  void write(LogLevel, std::string_view) override {}
  state::StateMap get() override { return {}; }
  void set(std::map<std::string, std::string>) override {}
  void clear() override {}

  // Names of properties that are wrong.
  std::vector<std::string> problems() const {
    std::vector<std::string> names;
    auto found = properties_.validate();
    if (found.empty()) found = instance_->custom_validate(*this);
    for (const ValidationProblem& problem : found) names.push_back(problem.property);
    return names;
  }
  CredentialsProvider& enable() {
    EXPECT_THAT(problems(), IsEmpty());
    instance_->on_enabled(*this);
    return dynamic_cast<CredentialsProvider&>(*instance_);
  }
  tests::SampleWorld world = {
      {{"HOME", "/home/x"}, {"AWS_EC2_METADATA_DISABLED", "true"}, {"UNRELATED_SECRET", "hidden"}},
      {}};

 private:
  const ControllerServiceDefinition definition_ =
      aws_credentials_provider_service(world.surroundings());
  bench::BenchProperties properties_{definition_, {system_clock(), system_random()}};
  std::unique_ptr<ControllerService> instance_;
  std::string name_ = "AWS";
};

const Values keys = {{"Access Key ID", "AKIA"}, {"Secret Access Key", "s3cret"}};

Values with(Values values, Values more) {
  more.merge(values);
  return more;
}

Values role(Values base, const std::string& endpoint = "http://127.0.0.1:1") {
  return with(std::move(base), {{"Assume Role ARN", "arn:aws:iam::1:role/r"},
                                {"Assume Role Session Name", "me"},
                                {"Assume Role STS Region", "eu-west-1"},
                                {"Assume Role STS Endpoint Override", endpoint}});
}

class JavaDirectory : public testing::Test {
 protected:
  JavaDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "weir-java-XXXXXX").string();
    directory = ::mkdtemp(name.data());
  }
  ~JavaDirectory() override { std::filesystem::remove_all(directory); }
  std::string config() const {
    std::ifstream in(directory / "aws-config");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path directory;
};

TEST(AwsCredentialsService, GivesTheKeysOfTheFlow) {
  ServiceRig rig(keys);
  const Credentials given = rig.enable().credentials();
  EXPECT_EQ(given.access_key_id, "AKIA");
  EXPECT_EQ(given.secret_access_key, "s3cret");
  EXPECT_EQ(given.expires_ms, std::nullopt);
}

TEST(AwsCredentialsService, TakesTheNamesOfOlderFlows) {
  ServiceRig rig(Values{{"Access Key", "AKIA"}, {"Secret Key", "s3cret"}});
  EXPECT_EQ(rig.enable().credentials().access_key_id, "AKIA");
}

TEST(AwsCredentialsService, GivesTheDefaultCredentialsWhereNothingIsSet) {
  ServiceRig rig(Values{});
  rig.world.variables["AWS_ACCESS_KEY_ID"] = "ENV";
  rig.world.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  EXPECT_EQ(rig.enable().credentials().access_key_id, "ENV");
  EXPECT_THAT(ServiceRig(Values{{"Use Default Credentials", "true"}}).problems(), IsEmpty());
}

TEST(AwsCredentialsService, SaysWhereItLooked) {
  ServiceRig rig(Values{});
  try {
    rig.enable().credentials();
    FAIL();
  } catch (const ProcessException& error) {
    EXPECT_THAT(error.what(), HasSubstr("environment:"));
    EXPECT_THAT(error.what(), HasSubstr("profile default"));
  }
}

TEST(AwsCredentialsService, ReadsACredentialsFileAndAProfile) {
  ServiceRig file(Values{{"Credentials File", "/etc/k"}});
  file.world.files["/etc/k"] = "accessKey=F\nsecretKey=s\n";
  EXPECT_EQ(file.enable().credentials().access_key_id, "F");
  ServiceRig profile(Values{{"Profile Name", "p"}});
  profile.world.files["/home/x/.aws/credentials"] =
      "[p]\naws_access_key_id=P\naws_secret_access_key=s\n";
  EXPECT_EQ(profile.enable().credentials().access_key_id, "P");
}

TEST(AwsCredentialsService, GivesAnonymousCredentials) {
  ServiceRig rig(Values{{"Use Anonymous Credentials", "true"}});
  EXPECT_EQ(rig.enable().credentials().access_key_id, "");
}

TEST(AwsCredentialsService, AssumesARole) {
  HttpServer sts([](const tests::HttpReceived&) {
    return tests::HttpReply{200, role_credentials};
  });
  ServiceRig rig(with(role(keys, sts.url()),
                      {{"Assume Role External ID", "ext"}, {"Assume Role Session Time", "900"}}));
  EXPECT_EQ(rig.enable().credentials().access_key_id, "ASIAROLE");
  const tests::HttpReceived request = sts.received().at(0);
  EXPECT_THAT(request.body, HasSubstr("DurationSeconds=900&ExternalId=ext"));
  EXPECT_EQ(request.header("authorization"),
            tests::expected_authorization(request, "AKIA", "s3cret", "eu-west-1", "sts"));
}

TEST(AwsCredentialsService, RefusesTwoKindsOfCredentialsAtOnce) {
  EXPECT_THAT(ServiceRig(with(keys, {{"Use Default Credentials", "true"}})).problems(),
              ElementsAre("Access Key ID"));
  EXPECT_THAT(ServiceRig(with(keys, {{"Credentials File", "/f"}})).problems(),
              ElementsAre("Credentials File"));
  EXPECT_THAT(ServiceRig(with(keys, {{"Profile Name", "p"}})).problems(),
              ElementsAre("Profile Name"));
  EXPECT_THAT(
      ServiceRig(Values{{"Profile Name", "p"}, {"Use Anonymous Credentials", "true"}}).problems(),
      ElementsAre("Use Anonymous Credentials"));
  EXPECT_THAT(ServiceRig(Values{{"Credentials File", "/f"}, {"Use Default Credentials", "true"}})
                  .problems(),
              ElementsAre("Credentials File"));
}

TEST(AwsCredentialsService, RefusesAKeyWithoutItsSecret) {
  EXPECT_THAT(ServiceRig(Values{{"Access Key ID", "AKIA"}}).problems(),
              ElementsAre("Secret Access Key"));
  EXPECT_THAT(ServiceRig(Values{{"Secret Access Key", "s"}}).problems(),
              ElementsAre("Access Key ID"));
}

TEST(AwsCredentialsService, RefusesHalfARole) {
  EXPECT_THAT(ServiceRig(with(keys, {{"Assume Role ARN", "arn"}})).problems(),
              ElementsAre("Assume Role Session Name"));
  EXPECT_THAT(
      ServiceRig(with(keys, {{"Assume Role Session Name", "n"}, {"Assume Role External ID", "x"}}))
          .problems(),
      ElementsAre("Assume Role Session Name", "Assume Role External ID"));
}

TEST(AwsCredentialsService, RefusesASessionTimeOutOfBounds) {
  for (const char* seconds : {"900", "3600"}) {
    EXPECT_THAT(ServiceRig(with(role(keys), {{"Assume Role Session Time", seconds}})).problems(),
                IsEmpty());
  }
  for (const char* seconds : {"899", "3601", "0", "an hour"}) {
    EXPECT_THAT(ServiceRig(with(role(keys), {{"Assume Role Session Time", seconds}})).problems(),
                ElementsAre("Assume Role Session Time"));
  }
}

TEST(AwsCredentialsService, SaysWhatIsNotSupported) {
  const auto refused = [](const std::string& property, const std::string& value) {
    return ServiceRig(with(role(keys), {{property, value}, {"Custom Signer Class Name", "a.B"}}))
        .problems();
  };
  EXPECT_THAT(refused("Assume Role SSL Context Service", "id"),
              ElementsAre("Assume Role SSL Context Service"));
  EXPECT_THAT(refused("Assume Role Proxy Configuration Service", "id"),
              ElementsAre("Assume Role Proxy Configuration Service"));
  EXPECT_THAT(refused("Assume Role STS Signer Override", "CustomSignerType"),
              ElementsAre("Assume Role STS Signer Override"));
  EXPECT_THAT(refused("Assume Role STS Signer Override", "AWS4SignerType"), IsEmpty());
}

TEST(AwsCredentialsService, KeepsItsSecretsSensitive) {
  for (const PropertyDescriptor& property : aws_credentials_provider_service().properties) {
    EXPECT_EQ(property.sensitive,
              property.name == "Access Key ID" || property.name == "Secret Access Key")
        << property.name;
  }
}

TEST_F(JavaDirectory, GetsKeysByTheEnvironment) {
  ServiceRig rig(keys);
  const JavaCredentials java = rig.enable().for_java(directory);
  EXPECT_EQ(java.provider, "EnvironmentVariableCredentialsProvider");
  EXPECT_THAT(java.environment, ElementsAre(Pair("AWS_ACCESS_KEY_ID", "AKIA"),
                                            Pair("AWS_SECRET_ACCESS_KEY", "s3cret")));
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST_F(JavaDirectory, GetsOfTheEnvironmentWhatTheChainNeedsAndNoMore) {
  ServiceRig rig(Values{});
  rig.world.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://127.0.0.1:1/";
  const JavaCredentials java = rig.enable().for_java(directory);
  EXPECT_EQ(java.provider, "DefaultCredentialsProvider");
  EXPECT_THAT(java.environment,
              Contains(Pair("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/")));
  EXPECT_THAT(java.environment, Contains(Pair("HOME", "/home/x")));
  EXPECT_FALSE(java.environment.contains("UNRELATED_SECRET"));
}

TEST_F(JavaDirectory, GetsTheNameOfAProfile) {
  ServiceRig rig(Values{{"Profile Name", "p"}});
  rig.world.variables["AWS_SHARED_CREDENTIALS_FILE"] = "/etc/k";
  const JavaCredentials java = rig.enable().for_java(directory);
  EXPECT_THAT(java.provider, HasSubstr("ProfileCredentialsProvider"));
  EXPECT_THAT(java.environment, Contains(Pair("AWS_PROFILE", "p")));
  EXPECT_THAT(java.environment, Contains(Pair("AWS_SHARED_CREDENTIALS_FILE", "/etc/k")));
}

TEST_F(JavaDirectory, GetsNoKeysForAnonymousOnes) {
  ServiceRig rig(Values{{"Use Anonymous Credentials", "true"}});
  const JavaCredentials java = rig.enable().for_java(directory);
  EXPECT_EQ(java.provider, "AnonymousCredentialsProvider");
  EXPECT_THAT(java.environment, IsEmpty());
}

TEST_F(JavaDirectory, GetsARoleByAPrivateFileWithoutSecrets) {
  ServiceRig rig(with(role(keys, "http://127.0.0.1:99"), {{"Assume Role External ID", "ext"}}));
  CredentialsProvider& provider = rig.enable();
  provider.for_java(directory);
  const JavaCredentials java = provider.for_java(directory);  // over the former file
  EXPECT_EQ(config(),
            "[profile weir]\nrole_arn = arn:aws:iam::1:role/r\nrole_session_name = me\n"
            "duration_seconds = 3600\nexternal_id = ext\nregion = eu-west-1\n"
            "credential_source = Environment\n");
  struct stat status {};
  ASSERT_EQ(::stat((directory / "aws-config").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THAT(java.environment, Contains(Pair("AWS_PROFILE", "weir")));
  EXPECT_THAT(java.environment,
              Contains(Pair("AWS_CONFIG_FILE", (directory / "aws-config").string())));
  EXPECT_THAT(java.environment, Contains(Pair("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:99")));
  EXPECT_THAT(java.environment, Contains(Pair("AWS_ACCESS_KEY_ID", "AKIA")));
}

TEST_F(JavaDirectory, GetsARoleWithWhatTheMachineOffers) {
  HttpServer machine([](const tests::HttpReceived&) {
    return tests::HttpReply{200, R"({"AccessKeyId":"A","SecretAccessKey":"machine-secret",)"
                                 R"("Token":"t","Expiration":"2999-01-01T00:00:00Z"})"};
  });
  ServiceRig rig(role(Values{}));
  rig.world.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = machine.url();
  const JavaCredentials java = rig.enable().for_java(directory);
  EXPECT_THAT(config(), HasSubstr("credential_source = EcsContainer\n"));
  EXPECT_THAT(config(), Not(HasSubstr("machine-secret")));
  EXPECT_FALSE(java.environment.contains("AWS_ACCESS_KEY_ID"));
}

TEST_F(JavaDirectory, GetsNoRoleWithAnonymousCredentials) {
  ServiceRig rig(role({{"Use Anonymous Credentials", "true"}}));
  EXPECT_THROW(rig.enable().for_java(directory), ProcessException);
}

TEST_F(JavaDirectory, GetsNoProfileThatALineBreakAddsTo) {
  ServiceRig rig(with(role(keys), {{"Assume Role External ID", "x\ncredential_process = evil"}}));
  EXPECT_THROW(rig.enable().for_java(directory), ProcessException);
}

}  // namespace
}  // namespace weir::processors::aws
