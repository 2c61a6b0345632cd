#include "processors/kinesis/daemon_causes.h"

#include <fmt/format.h>

#include <array>
#include <initializer_list>

namespace weir::processors::kinesis {
namespace {

// An event with what is asked of it again and again.
struct Statement {
  const DaemonEvent& event;
  const DaemonNames& names;

  bool has(std::string_view words) const {
    return event.message.find(words) != std::string_view::npos ||
           event.exception.find(words) != std::string_view::npos;
  }
  bool has_any(std::initializer_list<std::string_view> all) const {
    for (const std::string_view words : all) {
      if (has(words)) return true;
    }
    return false;
  }
  // The word behind `words`, up to a blank or what a sentence puts behind a word.
  std::string word_after(std::string_view words) const {
    for (const std::string_view text : {event.exception, event.message}) {
      const auto at = text.find(words);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = text.substr(at + words.size());
      std::string_view word = rest.substr(0, rest.find_first_of(" ,;()|"));
      while (word.ends_with('.') || word.ends_with(':')) word.remove_suffix(1);
      if (!word.empty()) return std::string(word);
    }
    return {};
  }
  bool logger_is(std::string_view prefix) const { return event.logger.starts_with(prefix); }

  // The service that was asked, as far as the event tells.
  std::string_view service() const {
    if (has_any({"(Service: Kinesis", "awssdk.services.kinesis."})) return "Kinesis";
    if (has_any({"(Service: DynamoDb", "awssdk.services.dynamodb."})) return "DynamoDB";
    if (has_any({"(Service: CloudWatch", "awssdk.services.cloudwatch."})) return "CloudWatch";
    if (has_any({"(Service: Sts", "awssdk.services.sts."})) return "the token service";
    if (logger_is("software.amazon.kinesis.leases.dynamodb.") ||
        logger_is("software.amazon.kinesis.worker.metricstats.") ||
        logger_is("software.amazon.kinesis.coordinator.CoordinatorStateDAO") ||
        logger_is("software.amazon.kinesis.leader.")) {
      return "DynamoDB";
    }
    if (logger_is("software.amazon.kinesis.retrieval.") ||
        logger_is("software.amazon.kinesis.lifecycle.") ||
        logger_is("software.amazon.kinesis.leases.KinesisShardDetector")) {
      return "Kinesis";
    }
    return "AWS";
  }
  std::string place() const {
    std::string text = names.region.empty() ? "" : "region " + names.region;
    if (!names.endpoint.empty()) {
      text += text.empty() ? "endpoint " : ", endpoint ";
      text += names.endpoint;
    }
    return text.empty() ? "the place asked" : text;
  }
  std::string stream() const { return "stream " + names.stream; }
  DaemonCause cause(std::string_view id, std::string sentence,
                    LogLevel level = LogLevel::error) const {
    return {fmt::format("{} {}", id, service()), std::move(sentence), level};
  }
};

using Found = std::optional<DaemonCause>;

Found java_memory(const Statement& s) {
  if (s.has("java.lang.OutOfMemoryError")) {
    return s.cause("heap", fmt::format("the KCL ran out of memory (Java heap of {} MB) reading {}: "
                                       "lower Max Records per Poll",
                                       s.names.heap_bytes >> 20, s.stream()));
  }
  if (s.has_any({"Could not reserve enough space", "insufficient memory for the Java Runtime"})) {
    return s.cause("memory",
                   fmt::format("Java did not get the memory it needs (heap of {} MB) from "
                               "this machine: free some, or raise the process's limit",
                               s.names.heap_bytes >> 20));
  }
  return std::nullopt;
}

Found java_installation(const Statement& s) {
  if (s.has_any({"UnsupportedClassVersionError", "Unrecognized VM option",
                 "Error: Unrecognized option", "Unrecognized option:"})) {
    return s.cause("java version",
                   fmt::format("the Java at {} is too old for the KCL: install a Java runtime of "
                               "version 17 or later, and name its folder by JAVA_HOME",
                               s.names.java));
  }
  if (s.has_any({"Could not find or load main class", "ClassNotFoundException"}) ||
      (s.has("NoClassDefFoundError") && !s.has("Could not initialize class"))) {
    return s.cause("jars", fmt::format("the KCL's jars in {} are not complete: build the target "
                                       "weir_kinesis_jars anew",
                                       s.names.jars));
  }
  if (s.has("Cannot run program")) {
    return s.cause("bridge",
                   fmt::format("the KCL cannot start a bridge for a shard: {}",
                               s.event.exception.substr(0, s.event.exception.find(" | "))));
  }
  return std::nullopt;
}

// What the daemon says before it ends with its usage: a stack trace of its own.
Found property_refused(const Statement& s) {
  if (!s.event.logger.empty()) return std::nullopt;
  if (!s.has_any({"IllegalArgumentException: ", "ConversionException: ", "DateTimeParseException: ",
                  "URISyntaxException: ", "NullPointerException: "})) {
    return std::nullopt;
  }
  const auto at = s.event.message.find("Exception: ");
  return s.cause("property",
                 fmt::format("the KCL refuses one of its settings: {}; correct the property of "
                             "ConsumeKinesis that it comes from",
                             s.event.message.substr(at + std::string_view("Exception: ").size())));
}

Found credentials(const Statement& s) {
  constexpr std::string_view where = "AWS Credentials Provider Service";
  if (s.has("Unable to load credentials")) {
    return s.cause("no credentials",
                   fmt::format("there are no AWS credentials to read {} with: set them in the "
                               "{}",
                               s.stream(), where));
  }
  if (s.has_any({"ExpiredToken", "security token included in the request is expired",
                 "The provided token has expired"})) {
    return s.cause("expired", fmt::format("{} says that the AWS credentials for {} ({}) have "
                                          "expired: renew those of the {}",
                                          s.service(), s.stream(), s.place(), where));
  }
  if (s.has_any({"Signature expired", "Signature not yet current", "RequestTimeTooSkewed",
                 "RequestExpired"})) {
    return s.cause("clock", fmt::format("{} refuses requests for {} ({}) by their time: set this "
                                        "machine's clock right",
                                        s.service(), s.stream(), s.place()));
  }
  if (s.has_any({"UnrecognizedClientException", "InvalidSignatureException", "InvalidClientTokenId",
                 "IncompleteSignature", "security token included in the request is invalid",
                 "request signature we calculated does not match", "InvalidAccessKeyId"})) {
    return s.cause("invalid credentials",
                   fmt::format("{} does not accept the AWS credentials for {} ({}): correct those "
                               "of the {}",
                               s.service(), s.stream(), s.place(), where));
  }
  return std::nullopt;
}

Found access_denied(const Statement& s) {
  if (s.has("KMS") && s.has("Exception") && s.has("(Service: ")) {
    return s.cause("kms",
                   fmt::format("{} cannot use the key that encrypts {} ({}): allow kms:Decrypt "
                               "to the credentials, and see that the key is enabled",
                               s.service(), s.stream(), s.place()));
  }
  if (!s.has_any({"AccessDenied", "is not authorized to perform"})) return std::nullopt;
  const std::string action = s.word_after("authorized to perform: ");
  const std::string resource = s.word_after("on resource: ");
  DaemonCause cause = s.cause(
      "denied " + action,
      fmt::format("the AWS credentials may not do {} on {} ({}): allow it in their IAM policy",
                  action.empty() ? "what the KCL needs" : action,
                  resource.empty() ? s.stream() : resource, s.place()));
  return cause;
}

Found limits(const Statement& s) {
  if (s.has("LimitExceededException") && s.service() == "Kinesis" &&
      s.has_any({"ubscriber", "onsumer"})) {
    return s.cause(
        "consumers",
        fmt::format("{} ({}) has as many consumers with enhanced fan-out as it may have: "
                    "remove one, or set Consumer Type to SHARED_THROUGHPUT",
                    s.stream(), s.place()));
  }
  if (!s.has_any({"ProvisionedThroughputExceeded", "ThrottlingException", "RequestLimitExceeded",
                  "ThrottledException", "Rate exceeded"})) {
    return std::nullopt;
  }
  if (s.service() == "Kinesis") {
    return s.cause(
        "throttled",
        fmt::format("Kinesis throttles the reads of {} ({}): its consumers share 2 MB and "
                    "5 calls a second of each shard; read less often, or use enhanced "
                    "fan-out",
                    s.stream(), s.place()),
        LogLevel::warn);
  }
  return s.cause(
      "throttled",
      fmt::format("{} throttles the tables of application {}, which hold the leases and "
                  "checkpoints of {} ({}): raise their capacity, or bill them by request",
                  s.service(), s.names.application, s.stream(), s.place()));
}

Found not_there(const Statement& s) {
  const bool about_stream = s.service() == "Kinesis" || s.has("No shards found");
  if (about_stream &&
      s.has_any({"ResourceNotFoundException", "No shards found when attempting to validate"}) &&
      !s.has("onsumer")) {
    return DaemonCause{"no stream",
                       fmt::format("{} does not exist in {}: create it, or correct Stream Name, "
                                   "Region or Endpoint Override URL",
                                   s.stream(), s.place())};
  }
  if (s.has("does not match the schema")) {
    return s.cause("table",
                   fmt::format("the table {} in DynamoDB ({}) is no lease table of the KCL: "
                               "choose another Application Name",
                               s.names.application, s.place()));
  }
  return std::nullopt;
}

Found connection(const Statement& s) {
  const auto unreachable = [&](std::string_view id, std::string_view what) {
    return DaemonCause{
        fmt::format("{} {}", id, what),
        fmt::format("{} for {} ({}): see that the endpoint is up, and correct Region or Endpoint "
                    "Override URL",
                    what, s.stream(), s.place())};
  };
  if (s.has_any({"SSLHandshakeException", "PKIX path", "SSLException"})) {
    return s.cause("tls",
                   fmt::format("the certificate of {}'s endpoint for {} ({}) is not trusted by "
                               "Java: use the real endpoint, or add the certificate to "
                               "Java's trust store",
                               s.service(), s.stream(), s.place()));
  }
  if (s.has("First received frame was not SETTINGS")) {
    return s.cause("http2",
                   fmt::format("Kinesis's endpoint for {} ({}) does not speak HTTP/2, which "
                               "the KCL needs: correct Endpoint Override URL",
                               s.stream(), s.place()));
  }
  if (s.has("Connection refused")) {
    std::string address = s.word_after("Connection refused: ");
    if (const auto slash = address.rfind('/'); slash != std::string::npos) {
      address.erase(0, slash + 1);
    }
    return unreachable("refused", fmt::format("nothing listens at {}",
                                              address.empty() ? "AWS's address" : address));
  }
  if (s.has("UnknownHostException")) {
    return unreachable(
        "host", fmt::format("the host {} is not known", s.word_after("UnknownHostException: ")));
  }
  if (s.has_any({"No route to host", "Network is unreachable"})) {
    return unreachable("route", fmt::format("{} cannot be reached from here", s.service()));
  }
  if (s.has_any({"ConnectTimeoutException", "connection timed out", "Connect timed out",
                 "ReadTimeoutException", "Read timed out", "ApiCallTimeoutException",
                 "ApiCallAttemptTimeoutException", "Acquire operation took longer"})) {
    return unreachable("timeout", fmt::format("{} does not answer in time", s.service()));
  }
  if (s.service() == "DynamoDB" && s.has("java.util.concurrent.TimeoutException")) {
    return DaemonCause{
        "timeout DynamoDB",
        fmt::format("DynamoDB does not answer in time for the tables of application {} ({}): they "
                    "are throttled, or the endpoint is not reachable",
                    s.names.application, s.place())};
  }
  return std::nullopt;
}

// In this order: an event that speaks of several tells the first.
constexpr std::array kFinders{java_memory, java_installation, property_refused,
                              credentials, access_denied,     limits,
                              not_there,   connection};

}  // namespace

std::optional<DaemonCause> find_cause(const DaemonEvent& event, const DaemonNames& names) {
  const Statement statement{event, names};
  for (const auto finder : kFinders) {
    if (auto cause = finder(statement)) return cause;
  }
  return std::nullopt;
}

}  // namespace weir::processors::kinesis
