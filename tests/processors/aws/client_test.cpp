#include "processors/aws/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "processors/aws/http.h"
#include "tests/processors/aws/http_server.h"

namespace weir::processors::aws {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;
using tests::HttpReceived;
using tests::HttpReply;
using tests::HttpServer;

class FixedProvider : public CredentialsProvider {
 public:
  explicit FixedProvider(Credentials credentials) : credentials_(std::move(credentials)) {}
  Credentials credentials() override { return credentials_; }
  JavaCredentials for_java(const std::filesystem::path&) override { return {}; }

 private:
  const Credentials credentials_;
};

const Credentials keys{.access_key_id = "AKIDEXAMPLE", .secret_access_key = "secret+/of=tests"};
const Credentials session{.access_key_id = "ASIAEXAMPLE",
                          .secret_access_key = "secret+/of=tests",
                          .session_token = "a//session+token=="};

Client client_of(const std::string& endpoint, const Credentials& credentials = keys,
                 milliseconds timeout = std::chrono::seconds(20)) {
  return Client(
      {.service = "kinesis", .region = "eu-west-1", .endpoint = endpoint, .timeout = timeout},
      std::make_shared<FixedProvider>(credentials));
}

HttpServer::Answer always(HttpReply reply) {
  return [reply](const HttpReceived&) { return reply; };
}

// What `call` throws when the service answers like this.
ServiceError error_of(HttpReply reply, const Credentials& credentials = keys,
                      milliseconds timeout = std::chrono::seconds(20)) {
  HttpServer server(always(std::move(reply)));
  Client client = client_of(server.url(), credentials, timeout);
  try {
    client.call("Kinesis_20131202.ListShards", "{}");
  } catch (const ServiceError& error) {
    EXPECT_THAT(error.what(), HasSubstr(server.url()));
    return error;
  }
  ADD_FAILURE() << "no error";
  return {0, "", ""};
}

TEST(AwsClient, PostsTheBodyToItsTarget) {
  HttpServer server(always({.body = R"({"Shards":[]})"}));
  EXPECT_EQ(client_of(server.url()).call("Kinesis_20131202.ListShards", R"({"StreamName":"s"})"),
            R"({"Shards":[]})");
  const auto received = server.received();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].method, "POST");
  EXPECT_EQ(received[0].target, "/");
  EXPECT_EQ(received[0].body, R"({"StreamName":"s"})");
  EXPECT_EQ(received[0].header("x-amz-target"), "Kinesis_20131202.ListShards");
  EXPECT_EQ(received[0].header("content-type"), "application/x-amz-json-1.1");
}

TEST(AwsClient, SignsWhatTheServiceReceives) {
  HttpServer server(always({.body = "{}"}));
  Client client = client_of(server.url());
  client.call("Kinesis_20131202.PutRecords", std::string(100'000, 'x'));
  client.call("DynamoDB_20120810.GetItem", "{}", "application/x-amz-json-1.0");
  client.call("Kinesis_20131202.ListShards", "{\"StreamName\":\"\xc3\xa9\"}");
  for (const HttpReceived& request : server.received()) {
    const std::string given = request.header("authorization");
    EXPECT_EQ(given, tests::expected_authorization(request, "AKIDEXAMPLE", "secret+/of=tests",
                                                   "eu-west-1", "kinesis"));
    EXPECT_THAT(given, HasSubstr("SignedHeaders=content-type;host;x-amz-date;x-amz-target,"));
  }
}

TEST(AwsClient, SignsTheSessionToken) {
  HttpServer server(always({.body = "{}"}));
  client_of(server.url(), session).call("Kinesis_20131202.ListShards", "{}");
  const HttpReceived request = server.received().at(0);
  EXPECT_EQ(request.header("x-amz-security-token"), "a//session+token==");
  EXPECT_THAT(request.header("authorization"), HasSubstr("x-amz-security-token"));
  EXPECT_EQ(request.header("authorization"),
            tests::expected_authorization(request, "ASIAEXAMPLE", "secret+/of=tests", "eu-west-1",
                                          "kinesis"));
}

TEST(AwsClient, SignsForAnEndpointWithAPath) {
  HttpServer server(always({.body = "{}"}));
  client_of(server.url() + "/kinesis/v1").call("Kinesis_20131202.ListShards", "{}");
  const HttpReceived request = server.received().at(0);
  EXPECT_EQ(request.target, "/kinesis/v1");
  EXPECT_EQ(request.header("authorization"),
            tests::expected_authorization(request, "AKIDEXAMPLE", "secret+/of=tests", "eu-west-1",
                                          "kinesis"));
}

TEST(AwsClient, LeavesAnonymousRequestsUnsigned) {
  HttpServer server(always({.body = "{}"}));
  client_of(server.url(), {}).call("Kinesis_20131202.ListShards", "{}");
  EXPECT_EQ(server.received().at(0).header("authorization"), "");
}

TEST(AwsClient, KeepsItsConnection) {
  HttpServer server(always({.body = "{}"}));
  Client client = client_of(server.url());
  for (int i = 0; i < 5; ++i) client.call("Kinesis_20131202.ListShards", "{}");
  for (const HttpReceived& request : server.received()) EXPECT_EQ(request.connection, 1);
}

TEST(AwsClient, KeepsItsConnectionAfterAnErrorOfTheService) {
  HttpServer server(always({.status = 400, .body = R"({"__type":"ValidationException"})"}));
  Client client = client_of(server.url());
  for (int i = 0; i < 2; ++i) EXPECT_THROW(client.call("A.B", "{}"), ServiceError);
  EXPECT_EQ(server.received().at(1).connection, 1);
}

TEST(AwsClient, RepeatsARequestOnAConnectionThatTheServiceGaveUp) {
  int requests = 0;
  HttpServer server([&](const HttpReceived&) {
    return ++requests == 2 ? HttpReply{.how = HttpReply::How::cut} : HttpReply{.body = "{}"};
  });
  Client client = client_of(server.url());
  client.call("A.B", "{}");
  EXPECT_EQ(client.call("A.B", R"({"a":1})"), "{}");
  ASSERT_EQ(server.received().size(), 3u);
  EXPECT_EQ(server.received()[2].body, R"({"a":1})");
  EXPECT_EQ(server.received()[2].connection, 2);
}

TEST(AwsClient, IsUsedByManyThreads) {
  HttpServer server([](const HttpReceived& request) { return HttpReply{.body = request.body}; });
  Client client = client_of(server.url());
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t) {
    threads.emplace_back([&client, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string body = std::to_string(1000 * t + i);
        EXPECT_EQ(client.call("A.B", body), body);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(server.received().size(), 120u);
}

// The server never says "100 Continue", for which a second would be waited each time.
TEST(AwsClient, SendsALargeBodyAtOnce) {
  HttpServer server(always({.body = "{}"}));
  Client client = client_of(server.url());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) {
    client.call("Kinesis_20131202.PutRecords", std::string(2 << 20, 'x'));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  EXPECT_EQ(server.received().at(0).body.size(), 2u << 20);
}

// An empty "Expect:" header was signed, though it is not sent: the service refuses that.
TEST(AwsClient, SignsNoHeaderThatIsNotSent) {
  HttpServer server(always({.body = "{}"}));
  client_of(server.url()).call("Kinesis_20131202.PutRecords", std::string(2 << 20, 'x'));
  const HttpReceived request = server.received().at(0);
  EXPECT_THAT(request.header("authorization"), Not(HasSubstr("expect")));
  EXPECT_EQ(request.header("authorization"),
            tests::expected_authorization(request, "AKIDEXAMPLE", "secret+/of=tests", "eu-west-1",
                                          "kinesis"));
}

TEST(AwsClient, NamesAnErrorByItsCode) {
  const ServiceError plain =
      error_of({400, R"({"__type":"ResourceNotFoundException","message":"Stream s not found"})"});
  EXPECT_EQ(plain.code(), "ResourceNotFoundException");
  EXPECT_EQ(plain.status(), 400);
  EXPECT_FALSE(plain.retryable());
  EXPECT_THAT(plain.what(), HasSubstr("ResourceNotFoundException: Stream s not found"));
  const ServiceError prefixed = error_of(
      {400,
       R"({"__type":"com.amazonaws.kinesis.v20131202#LimitExceededException","Message":"m"})"});
  EXPECT_EQ(prefixed.code(), "LimitExceededException");
  EXPECT_TRUE(prefixed.retryable());
  EXPECT_THAT(prefixed.what(), HasSubstr(": m"));
  const ServiceError by_header =
      error_of({.status = 403,
                .body = "no JSON",
                .headers = {"X-Amzn-ErrorType: AccessDeniedException:http://internal.example/"}});
  EXPECT_EQ(by_header.code(), "AccessDeniedException");
  EXPECT_EQ(error_of({400, R"(["no object"])"}).code(), "");
}

TEST(AwsClient, KnowsWhatMaySucceedLater) {
  EXPECT_TRUE(error_of({500, ""}).retryable());
  EXPECT_TRUE(error_of({503, "<html>busy</html>"}).retryable());
  EXPECT_TRUE(error_of({429, ""}).retryable());
  EXPECT_TRUE(
      error_of({400, R"({"__type":"ProvisionedThroughputExceededException"})"}).retryable());
  EXPECT_FALSE(error_of({400, R"({"__type":"UnrecognizedClientException"})"}).retryable());
}

// A service that finds the signature wrong repeats in its message what should have been signed.
TEST(AwsClient, TellsNoSecretThatTheServiceRepeats) {
  const ServiceError error =
      error_of({403, R"({"__type":"InvalidSignatureException","message":"x-amz-security-token:)" +
                         session.session_token + " secret+/of=tests\"}"},
               session);
  EXPECT_THAT(error.what(), Not(HasSubstr("session+token")));
  EXPECT_THAT(error.what(), Not(HasSubstr("secret+/of=tests")));
}

TEST(AwsClient, HasNoAnswerFromACutConnection) {
  const ServiceError error = error_of({.how = HttpReply::How::cut});
  EXPECT_EQ(error.status(), 0);
  EXPECT_EQ(error.code(), "");
  EXPECT_TRUE(error.retryable());
}

TEST(AwsClient, WaitsNoLongerThanItsTimeout) {
  const auto begin = std::chrono::steady_clock::now();
  const ServiceError error = error_of({.how = HttpReply::How::silent}, keys, milliseconds(500));
  EXPECT_EQ(error.status(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(AwsClient, TakesATimeoutOfYears) {
  HttpServer server(always({.body = "{}"}));
  EXPECT_EQ(client_of(server.url(), keys, milliseconds::max()).call("A.B", "{}"), "{}");
}

TEST(AwsClient, HasNoAnswerWhereNobodyListens) {
  std::string url;
  {
    HttpServer server(always({}));
    url = server.url();
  }
  Client client = client_of(url);
  try {
    client.call("A.B", "{}");
    FAIL();
  } catch (const ServiceError& error) {
    EXPECT_EQ(error.status(), 0);
    EXPECT_THAT(error.what(), HasSubstr(url));
  }
}

TEST(AwsClient, RefusesAnAnswerWithoutBound) {
  const ServiceError error = error_of({.body = std::string(kMostAnswerBytes + 1, ' ')});
  EXPECT_THAT(error.what(), HasSubstr("larger than 16 MB"));
  EXPECT_FALSE(error.retryable());
}

TEST(AwsClient, FollowsNoRedirect) {
  HttpServer other(always({.body = "{}"}));
  EXPECT_EQ(error_of({.status = 307, .headers = {"Location: " + other.url()}}).status(), 307);
  EXPECT_TRUE(other.received().empty());
}

TEST(AwsClient, SpeaksNothingButHttp) {
  EXPECT_THROW(client_of("file:///etc").call("A.B", "{}"), ServiceError);
}

TEST(AwsClient, DoesNotShowAUserInItsEndpoint) {
  EXPECT_EQ(client_of("http://user:word@127.0.0.1:1/").endpoint(), "http://127.0.0.1:1/");
  EXPECT_EQ(shown_url("http://h/path?token=x#y"), "http://h/path");
}

TEST(AwsClient, FindsTheEndpointOfTheRegion) {
  EXPECT_EQ(client_of("").endpoint(), "https://kinesis.eu-west-1.amazonaws.com");
}

}  // namespace
}  // namespace weir::processors::aws
