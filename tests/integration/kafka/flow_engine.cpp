#include "tests/integration/kafka/flow_engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

namespace weir::kafka_testing {

using tools::testing::operator""s;

FlowEngine::FlowEngine(std::string flow) {
  folder_.write("flow.json", flow);
}

void FlowEngine::start() {
  process_ = std::make_unique<tools::testing::Program>(
      folder_.path(), std::vector<std::string>{"weir", "run", "flow.json", "--data", "weir-data"});
}

void FlowEngine::stop() {
  process_->signal(SIGTERM);
  const tools::testing::Result result = process_->finish(60s);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  process_.reset();
}

void FlowEngine::kill() {
  process_->signal(SIGKILL);
  process_->finish();
  process_.reset();
}

void FlowEngine::pause(bool stopped) {
  process_->signal(stopped ? SIGSTOP : SIGCONT);
}

std::string FlowEngine::said() const {
  return process_ ? process_->err() : "";
}

std::string ForwardingFlow::json() const {
  constexpr std::string_view text = R"({{
    "name": "forward",
    "services": {{"cluster": {{"type": "Kafka3ConnectionService", "properties": {{
      "bootstrap.servers": "{brokers}", "session.timeout.ms": "{session}", "fetch.max.wait.ms": "50",
      "reconnect.backoff.max.ms": "500"{strategy}}}}}}},
    "processors": {{
      "consume": {{"type": "ConsumeKafka", "concurrentTasks": {tasks}, "properties": {{
        "Kafka Connection Service": {{"service": "cluster"}}, "Group ID": "{group}",
        "Topics": "{from}", "auto.offset.reset": "earliest", "Commit Offsets": "{commits}"}}}},
      "publish": {{"type": "PublishKafka", "properties": {{
        "Kafka Connection Service": {{"service": "cluster"}}, "Topic Name": "{to}",
        "Failure Strategy": "Rollback",
        "Transactions Enabled": "{transactions}"}}, "autoTerminate": ["success", "failure"]}}}},
    "connections": ["consume.success -> publish"]}})";
  const std::string given =
      strategy.empty() ? "" : fmt::format(R"(, "partition.assignment.strategy": "{}")", strategy);
  return fmt::format(text, fmt::arg("brokers", brokers), fmt::arg("strategy", given),
                     fmt::arg("session", session_timeout_ms), fmt::arg("tasks", tasks),
                     fmt::arg("group", group), fmt::arg("from", from), fmt::arg("to", to),
                     fmt::arg("commits", exactly_once ? "false" : "true"),
                     fmt::arg("transactions", exactly_once ? "true" : "false"));
}

}  // namespace weir::kafka_testing
