#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/environment.h"
#include "tests/integration/kinesis/ledger.h"

namespace weir::kinesis_testing {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using tools::testing::eventually;
using weir::testing::from_environment;

// Machines that run tests may be slow and loaded; nothing waits so long where all is well.
inline constexpr std::chrono::seconds kArrivalTime{180};

// A test with a stream of its own, and the lease table of an application of the same name.
class StreamTest : public ::testing::Test {
 protected:
  void SetUp() override { services_.mend(); }
  void TearDown() override;

  // A new stream; consumers named by `consumer` begin at its oldest record.
  void make_stream(int shards);
  ConsumerSpec consumer(std::map<std::string, std::string> properties = {}) const;
  // Another application on the stream, with a lease table of its own.
  ConsumerSpec another_consumer(const std::string& name,
                                std::map<std::string, std::string> properties = {});
  LeaseTable leases() const { return LeaseTable(services_, stream_); }

  // Waits until the consumer wrote all that was sent.
  void expect_all(KinesisEngine& engine, const NumberedWriter& writer,
                  const std::string& consumer = "consume");

  LocalServices& services_ = LocalServices::instance();
  KinesisControl control_{services_};
  std::string stream_;
};

}  // namespace weir::kinesis_testing
