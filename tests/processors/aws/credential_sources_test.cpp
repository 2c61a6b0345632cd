#include "processors/aws/credential_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/processors/aws/http_server.h"
#include "tests/processors/aws/sample_surroundings.h"

namespace weir::processors::aws {
namespace {

using testing::HasSubstr;
using testing::Not;
using tests::HttpReceived;
using tests::HttpReply;
using tests::HttpServer;
using tests::SampleWorld;

constexpr const char* role_credentials = R"(<?xml version="1.0"?>
<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>
<AssumedRoleUser><Arn>arn:aws:sts::1:assumed-role/r/s</Arn></AssumedRoleUser>
<Credentials><AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>role&amp;secret</SecretAccessKey>
<SessionToken>role-token</SessionToken><Expiration>2026-11-30T18:00:00Z</Expiration></Credentials>
</AssumeRoleResult></AssumeRoleResponse>)";

constexpr const char* machine_credentials =
    R"({"Code":"Success","AccessKeyId":"ASIAMACHINE","SecretAccessKey":"machine-secret",)"
    R"("Token":"machine-token","Expiration":"2026-11-30T18:00:00.5Z"})";

HttpServer::Answer always(HttpReply reply) {
  return [reply](const HttpReceived&) { return reply; };
}

// With nothing around but an instance metadata service that is told to be away.
SampleWorld bare_world() {
  SampleWorld world;
  world.variables = {{"HOME", "/home/x"}, {"AWS_EC2_METADATA_DISABLED", "true"}};
  return world;
}

std::string key_of(CredentialSource& source) {
  const auto found = source.fetch();
  return found ? found->access_key_id : "error: " + found.error();
}

TEST(CredentialSources, ReadTheEnvironment) {
  SampleWorld world;
  const auto source = environment_source(world.surroundings());
  EXPECT_THAT(key_of(*source), HasSubstr("error: environment: AWS_ACCESS_KEY_ID"));
  world.variables = {{"AWS_ACCESS_KEY_ID", "AKIA"}, {"AWS_SECRET_ACCESS_KEY", "secret"}};
  EXPECT_EQ(source->fetch()->secret_access_key, "secret");
  EXPECT_EQ(source->fetch()->session_token, "");
  world.variables["AWS_SESSION_TOKEN"] = "token";
  EXPECT_EQ(source->fetch()->session_token, "token");
}

TEST(CredentialSources, ReadAPropertiesFile) {
  SampleWorld world;
  const auto source = properties_file_source("/etc/aws.properties", world.surroundings());
  EXPECT_THAT(key_of(*source), HasSubstr("/etc/aws.properties: cannot be read"));
  world.files["/etc/aws.properties"] = "accessKey=AKIA\n";
  EXPECT_THAT(key_of(*source), HasSubstr("accessKey and secretKey"));
  world.files["/etc/aws.properties"] = "accessKey = AKIA\nsecretKey = s3\n";
  EXPECT_EQ(source->fetch()->access_key_id, "AKIA");
  EXPECT_EQ(source->fetch()->secret_access_key, "s3");
}

TEST(CredentialSources, ReadAProfile) {
  SampleWorld world = bare_world();
  world.files["/home/x/.aws/credentials"] =
      "[default]\naws_access_key_id=D\naws_secret_access_key=s\n"
      "[other]\naws_access_key_id=O\naws_secret_access_key=s\naws_session_token=t\n[bare]\n";
  EXPECT_EQ(key_of(*profile_source("", world.surroundings())), "D");
  EXPECT_EQ(profile_source("other", world.surroundings())->fetch()->session_token, "t");
  EXPECT_THAT(key_of(*profile_source("bare", world.surroundings())), HasSubstr("profile bare"));
  EXPECT_THAT(key_of(*profile_source("gone", world.surroundings())),
              HasSubstr("is not in /home/x/.aws/credentials or /home/x/.aws/config"));
  world.variables["AWS_PROFILE"] = "other";
  EXPECT_EQ(key_of(*profile_source("", world.surroundings())), "O");
}

TEST(CredentialSources, TakeAProfileThatWasWrittenAnew) {
  SampleWorld world = bare_world();
  const auto source = profile_source("", world.surroundings());
  world.files["/home/x/.aws/credentials"] =
      "[default]\naws_access_key_id=OLD\naws_secret_access_key=s\n";
  EXPECT_EQ(key_of(*source), "OLD");
  world.files["/home/x/.aws/credentials"] =
      "[default]\naws_access_key_id=NEW\naws_secret_access_key=s\n";
  EXPECT_EQ(key_of(*source), "NEW");
}

TEST(CredentialSources, AssumeTheRoleOfAProfileWithItsSourceProfile) {
  HttpServer sts(always({.body = role_credentials}));
  SampleWorld world = bare_world();
  world.variables["AWS_ENDPOINT_URL_STS"] = sts.url();
  world.files["/home/x/.aws/config"] =
      "[profile work]\nrole_arn=arn:aws:iam::1:role/r\nsource_profile=base\nregion=eu-west-1\n"
      "external_id=e x\nduration_seconds=900\nrole_session_name=me\n";
  world.files["/home/x/.aws/credentials"] =
      "[base]\naws_access_key_id=BASE\naws_secret_access_key=base-secret\n";
  const auto found = profile_source("work", world.surroundings())->fetch();
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->access_key_id, "ASIAROLE");
  EXPECT_EQ(found->secret_access_key, "role&secret");
  EXPECT_EQ(found->session_token, "role-token");
  EXPECT_EQ(found->expires_ms, 1'796'061'600'000);
  const HttpReceived request = sts.received().at(0);
  EXPECT_EQ(request.body,
            "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr"
            "&RoleSessionName=me&DurationSeconds=900&ExternalId=e+x");
  EXPECT_EQ(request.header("authorization"),
            tests::expected_authorization(request, "BASE", "base-secret", "eu-west-1", "sts"));
}

TEST(CredentialSources, DoNotFollowAProfileInACircle) {
  SampleWorld world = bare_world();
  world.files["/home/x/.aws/config"] =
      "[profile a]\nrole_arn=r\nsource_profile=b\n[profile b]\nrole_arn=r\nsource_profile=a\n";
  EXPECT_THAT(key_of(*profile_source("a", world.surroundings())), HasSubstr("refers to itself"));
}

TEST(CredentialSources, SayWhatOfAProfileIsNotSupported) {
  SampleWorld world = bare_world();
  world.files["/home/x/.aws/config"] =
      "[profile p]\ncredential_process=/bin/x\n[profile s]\nsso_session=y\n"
      "[profile m]\nrole_arn=r\nmfa_serial=z\n[profile n]\nrole_arn=r\n";
  const auto message = [&](const char* name) {
    return key_of(*profile_source(name, world.surroundings()));
  };
  EXPECT_THAT(message("p"), HasSubstr("credential_process is not supported"));
  EXPECT_THAT(message("s"), HasSubstr("sso_session is not supported"));
  EXPECT_THAT(message("m"), HasSubstr("mfa_serial is not supported"));
  EXPECT_THAT(message("n"), HasSubstr("source_profile"));
}

TEST(CredentialSources, AssumeARoleByAWebIdentityUnsigned) {
  HttpServer sts(always({.body = role_credentials}));
  SampleWorld world = bare_world();
  world.variables["AWS_ENDPOINT_URL_STS"] = sts.url();
  const auto source = web_identity_source(world.surroundings());
  EXPECT_THAT(key_of(*source), HasSubstr("AWS_WEB_IDENTITY_TOKEN_FILE"));
  world.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/var/token";
  world.variables["AWS_ROLE_ARN"] = "arn:r";
  EXPECT_THAT(key_of(*source), HasSubstr("/var/token cannot be read"));
  world.files["/var/token"] = "oidc.token.x\n";
  EXPECT_EQ(key_of(*source), "ASIAROLE");
  const HttpReceived request = sts.received().at(0);
  EXPECT_EQ(request.header("authorization"), "");
  EXPECT_THAT(request.body, HasSubstr("Action=AssumeRoleWithWebIdentity"));
  EXPECT_THAT(request.body, HasSubstr("&WebIdentityToken=oidc.token.x"));
}

TEST(CredentialSources, TellTheReasonOfTheTokenServiceButNoSecret) {
  HttpServer sts(
      always({403,
              "<ErrorResponse><Error><Code>AccessDenied</Code><Message>not you: oidc.token.x "
              "&lt;role&gt;</Message></Error></ErrorResponse>"}));
  SampleWorld world = bare_world();
  world.variables = {{"AWS_ENDPOINT_URL_STS", sts.url()},
                     {"AWS_WEB_IDENTITY_TOKEN_FILE", "/var/token"},
                     {"AWS_ROLE_ARN", "arn:r"}};
  world.files["/var/token"] = "oidc.token.x";
  const std::string message = key_of(*web_identity_source(world.surroundings()));
  EXPECT_THAT(message, HasSubstr("AccessDenied"));
  EXPECT_THAT(message, HasSubstr("<role>"));
  EXPECT_THAT(message, Not(HasSubstr("oidc.token.x")));
}

TEST(CredentialSources, RefuseAnAnswerOfTheTokenServiceWithoutCredentials) {
  HttpServer sts(always({.body = "<html>not it</html>"}));
  const auto source = role_source({.arn = "arn:r", .session_name = "s"},
                                  static_source({.access_key_id = "A", .secret_access_key = "s"}),
                                  "eu-west-1", sts.url());
  EXPECT_THAT(key_of(*source), HasSubstr("without credentials"));
}

TEST(CredentialSources, AskTheContainer) {
  HttpServer service(always({.body = machine_credentials}));
  SampleWorld world;
  const auto source = container_source(world.surroundings());
  EXPECT_THAT(key_of(*source), HasSubstr("are not set"));
  world.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", service.url() + "/get?x=1"},
                     {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "permit"}};
  const auto found = source->fetch();
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->access_key_id, "ASIAMACHINE");
  EXPECT_EQ(found->session_token, "machine-token");
  EXPECT_EQ(found->expires_ms, 1'796'061'600'000);
  EXPECT_EQ(service.received().at(0).target, "/get?x=1");
  EXPECT_EQ(service.received().at(0).header("authorization"), "permit");
}

TEST(CredentialSources, ReadTheContainersTokenFileEachTime) {
  HttpServer service(always({.body = machine_credentials}));
  SampleWorld world;
  world.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", service.url() + "/"},
                     {"AWS_CONTAINER_AUTHORIZATION_TOKEN", "stale"},
                     {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/var/permit"}};
  const auto source = container_source(world.surroundings());
  EXPECT_THAT(key_of(*source), HasSubstr("/var/permit cannot be read"));
  for (const char* token : {"one", "two"}) {
    world.files["/var/permit"] = std::string(token) + "\n";
    EXPECT_EQ(key_of(*source), "ASIAMACHINE");
    EXPECT_EQ(service.received().back().header("authorization"), token);
  }
}

TEST(CredentialSources, GiveTheContainersTokenToNoStranger) {
  SampleWorld world;
  const auto source = container_source(world.surroundings());
  for (const char* url :
       {"http://example.com/", "http://127.0.0.1@example.com/", "http://localhost:x@example.com/",
        "http://127.example.com/", "http://169.254.169.254/", "ftp://127.0.0.1/", "127.0.0.1"}) {
    world.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", url}};
    EXPECT_THAT(key_of(*source), HasSubstr("neither https nor")) << url;
  }
  world.variables = {{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@example.com/"}};
  EXPECT_THAT(key_of(*source), HasSubstr("must begin with a slash"));
}

// The metadata service of an instance, with a role, as version 2 of it.
HttpReply instance_metadata(const HttpReceived& request) {
  if (request.method == "PUT" && request.target == "/latest/api/token") {
    return request.header("x-aws-ec2-metadata-token-ttl-seconds").empty() ? HttpReply{400}
                                                                          : HttpReply{200, "tok"};
  }
  if (request.header("x-aws-ec2-metadata-token") != "tok") return {401};
  if (request.target == "/latest/meta-data/iam/security-credentials/") return {200, "the-role"};
  if (request.target == "/latest/meta-data/iam/security-credentials/the-role") {
    return {200, machine_credentials};
  }
  return {404};
}

TEST(CredentialSources, AskTheInstanceByVersionTwo) {
  HttpServer service(&instance_metadata);
  SampleWorld world;
  world.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = service.url() + "/";
  EXPECT_EQ(key_of(*instance_source(world.surroundings())), "ASIAMACHINE");
}

TEST(CredentialSources, DoNotAskTheInstanceWhereItIsForbidden) {
  HttpServer service(&instance_metadata);
  SampleWorld world = bare_world();
  world.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = service.url();
  EXPECT_THAT(key_of(*instance_source(world.surroundings())),
              HasSubstr("AWS_EC2_METADATA_DISABLED"));
  EXPECT_TRUE(service.received().empty());
}

TEST(CredentialSources, SayWhatIsWrongWithTheMachinesAnswer) {
  SampleWorld world;
  for (const auto& [reply, reason] :
       {std::pair<HttpReply, const char*>{{404}, "status 404"},
        {{200, "<html>"}, "no JSON object"},
        {{200, "{\"Code\":\"AssumeRoleUnauthorizedAccess\"}"}, "AssumeRoleUnauthorizedAccess"},
        {{.how = HttpReply::How::cut}, "no answer"}}) {
    HttpServer service(always(reply));
    world.variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", service.url()},
                       {"AWS_EC2_METADATA_SERVICE_ENDPOINT", service.url()}};
    EXPECT_THAT(key_of(*container_source(world.surroundings())), HasSubstr(reason));
    EXPECT_THAT(key_of(*instance_source(world.surroundings())), HasSubstr("instance metadata"));
  }
}

TEST(CredentialSources, AreLookedThroughInTheOrderOfTheSdk) {
  HttpServer machine(&instance_metadata);
  HttpServer container(always({.body = machine_credentials}));
  HttpServer sts(always({.body = role_credentials}));
  SampleWorld world = bare_world();
  const auto source = default_source(world.surroundings());
  const std::string none = key_of(*source);
  for (const char* place :
       {"environment:", "web identity:", "profile default:", "container:", "instance metadata:"}) {
    EXPECT_THAT(none, HasSubstr(place));
  }
  EXPECT_EQ(source->java_source(), JavaSource::unknown);

  world.variables["AWS_EC2_METADATA_DISABLED"] = "false";
  world.variables["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = machine.url();
  EXPECT_EQ(key_of(*source), "ASIAMACHINE");
  EXPECT_EQ(source->java_source(), JavaSource::instance);
  world.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = container.url();
  EXPECT_EQ(key_of(*source), "ASIAMACHINE");
  EXPECT_EQ(source->java_source(), JavaSource::container);
  world.files["/home/x/.aws/credentials"] =
      "[default]\naws_access_key_id=PROFILE\naws_secret_access_key=s\n";
  EXPECT_EQ(key_of(*source), "PROFILE");
  world.variables["AWS_ENDPOINT_URL_STS"] = sts.url();
  world.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/var/token";
  world.variables["AWS_ROLE_ARN"] = "arn:r";
  world.files["/var/token"] = "t";
  EXPECT_EQ(key_of(*default_source(world.surroundings())), "ASIAROLE");
  world.variables["AWS_ACCESS_KEY_ID"] = "ENVIRONMENT";
  world.variables["AWS_SECRET_ACCESS_KEY"] = "s";
  EXPECT_EQ(key_of(*source), "ENVIRONMENT");
  EXPECT_EQ(source->java_source(), JavaSource::environment);
}

TEST(CredentialSources, ReadTheTimeOfAnExpiration) {
  EXPECT_EQ(parse_expiration("1970-01-01T00:00:01Z"), 1000);
  EXPECT_EQ(parse_expiration("2024-02-29T23:59:59.123456Z"), 1'709'251'199'000);
  for (const char* wrong : {"", "soon", "2024-02-30T00:00:00Z", "2024-02-29T24:00:00Z",
                            "2024-02-29T00:00:00", "2024-02-29T00:00:00+01:00"}) {
    EXPECT_EQ(parse_expiration(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace weir::processors::aws
