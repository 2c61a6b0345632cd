#include "processors/kafka/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "tests/processors/kafka/mock_cluster.h"

namespace weir::processors::kafka {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RecordingLog : public ComponentLog {
 public:
  bool enabled(LogLevel) const override { return true; }
  void write(LogLevel level, std::string_view message) override {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(level, message);
  }
  std::vector<std::pair<LogLevel, std::string>> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<LogLevel, std::string>> lines_;
};

std::string refusal(const Settings& settings) {
  try {
    configuration(settings);
    return "";
  } catch (const ProcessException& error) {
    return error.what();
  }
}

TEST(Client, NamesTheSettingThatIsNotTaken) {
  EXPECT_EQ(refusal({{"linger.ms", "5"}}), "");
  EXPECT_THAT(refusal({{"linger.seconds", "5"}}), HasSubstr("'linger.seconds'"));
  EXPECT_THAT(refusal({{"linger.ms", "soon"}}), HasSubstr("linger.ms = 'soon'"));
}

TEST(Client, KeepsSecretsOutOfMessages) {
  for (const char* name : {"ssl.key.pem", "ssl.certificate.pem", "ssl.ca.pem"}) {
    const std::string message = refusal({{name, "my secret"}});
    EXPECT_THAT(message, Not(HasSubstr("my secret"))) << name;
  }
}

TEST(Client, LogsToItsComponent) {
  RecordingLog log;
  RecordingLog other;
  {
    const Client client(
        RD_KAFKA_PRODUCER,
        configuration(
            {{"bootstrap.servers", "127.0.0.1:1"}, {"debug", "generic"}, {"log_level", "7"}}),
        log);
    const Client quiet(RD_KAFKA_PRODUCER, configuration({{"log_level", "0"}}), other);
  }
  ASSERT_FALSE(log.lines().empty());
  EXPECT_EQ(log.lines().front().first, LogLevel::debug);
  EXPECT_THAT(log.lines().front().second, HasSubstr("librdkafka"));
  EXPECT_TRUE(other.lines().empty());
}

TEST(Client, SaysWhyItCannotBeMade) {
  RecordingLog log;
  auto settings = configuration({{"security.protocol", "ssl"}, {"ssl.ca.location", "/no/file"}});
  try {
    const Client client(RD_KAFKA_PRODUCER, std::move(settings), log);
    ADD_FAILURE() << "made";
  } catch (const ProcessException& error) {
    EXPECT_THAT(error.what(), HasSubstr("ssl.ca.location"));
  }
}

TEST(Client, ErrorsCarryTheirCode) {
  EXPECT_NO_THROW(check(RD_KAFKA_RESP_ERR_NO_ERROR, "nothing"));
  EXPECT_NO_THROW(check(nullptr, "nothing"));
  try {
    check(RD_KAFKA_RESP_ERR__TIMED_OUT, "asking");
    ADD_FAILURE() << "passed";
  } catch (const KafkaError& error) {
    EXPECT_EQ(error.code(), RD_KAFKA_RESP_ERR__TIMED_OUT);
    EXPECT_THAT(error.what(), HasSubstr("asking: "));
  }
}

}  // namespace
}  // namespace weir::processors::kafka
