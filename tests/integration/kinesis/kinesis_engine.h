#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "processors/kinesis/record.h"
#include "tests/integration/kinesis/consumer_flow.h"
#include "tests/integration/kinesis/numbered_records.h"
#include "tests/integration/kinesis/process_tree.h"

namespace weir::kinesis_testing {

// A FlowFile that a ConsumeKinesis committed, as provenance has it.
struct Delivery {
  std::uint64_t event = 0;  // in the order of commits
  std::int64_t time_ms = 0;
  std::string uuid;
  std::string shard;
  processors::kinesis::Position first, last;
  std::map<std::string, std::string> attributes;
};

// The real engine with a flow of consumers, in a folder of its own. Its repositories stay when it
// is killed or stopped, and the next start goes on with them.
class KinesisEngine {
 public:
  // `environment`: variables as NAME=VALUE, or -u and a NAME to unset.
  KinesisEngine(LocalServices& services, std::vector<ConsumerSpec> consumers,
                std::vector<std::string> environment = {});
  ~KinesisEngine();

  // A property may hold "#{name}": before `start`, and by `signal(SIGUSR1)` at run time.
  void set_parameter(const std::string& name, const std::string& value);
  void set_environment(std::vector<std::string> environment) {
    environment_ = std::move(environment);
  }

  void start();
  void signal(int number) { engine_->signal(number); }
  // kill -9; nothing that it started may outlive it by more than some seconds.
  void kill();
  // SIGTERM, then the same.
  tools::testing::Result stop();

  pid_t id() const { return engine_->id(); }
  std::string log() const { return engine_->err(); }  // of this start
  // Waits until the log of this start holds `text`; fails the test where it does not come.
  void expect_log(const std::string& text, std::chrono::seconds most = std::chrono::seconds(60));
  std::vector<ProcessId> processes() const { return descendants(engine_->id()); }
  std::vector<ProcessId> daemons() const;
  std::vector<ProcessId> bridges() const;

  Sink& sink(const std::string& consumer = "consume");
  std::vector<Delivery> deliveries(const std::string& consumer = "consume") const;
  const tools::testing::Folder& folder() const { return folder_; }

 private:
  LocalServices& services_;
  const std::vector<ConsumerSpec> consumers_;
  std::vector<std::string> environment_;
  const tools::testing::Folder folder_;
  std::map<std::string, std::string> parameter_files_;
  std::map<std::string, Sink> sinks_;
  std::unique_ptr<tools::testing::Program> engine_;
};

}  // namespace weir::kinesis_testing
