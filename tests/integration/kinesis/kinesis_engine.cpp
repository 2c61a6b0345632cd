#include "tests/integration/kinesis/kinesis_engine.h"

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

namespace weir::kinesis_testing {
namespace {

using nlohmann::json;
using tools::testing::eventually;
using tools::testing::Program;
using tools::testing::Result;

constexpr std::chrono::seconds kStopTime{60};

Delivery parse_delivery(const json& event) {
  Delivery delivery{.event = event.at("id"),
                    .time_ms = event.at("time_ms"),
                    .uuid = event.at("flow_file"),
                    .shard = {},
                    .first = {},
                    .last = {},
                    .attributes = event.at("attributes")};
  const auto& of = delivery.attributes;
  delivery.shard = of.at("aws.kinesis.shard.id");
  delivery.first = {of.at("aws.kinesis.first.sequence.number"),
                    std::stoll(of.at("aws.kinesis.first.subsequence.number"))};
  delivery.last = {of.at("aws.kinesis.last.sequence.number"),
                   std::stoll(of.at("aws.kinesis.last.subsequence.number"))};
  return delivery;
}

}  // namespace

KinesisEngine::KinesisEngine(LocalServices& services, std::vector<ConsumerSpec> consumers,
                             std::vector<std::string> environment)
    : services_(services), consumers_(std::move(consumers)), environment_(std::move(environment)) {
  for (const ConsumerSpec& consumer : consumers_) {
    sinks_.emplace(consumer.name, Sink(folder_ / ("out/" + consumer.name)));
  }
}

KinesisEngine::~KinesisEngine() {
  if (engine_) kill();
}

void KinesisEngine::set_parameter(const std::string& name, const std::string& value) {
  folder_.write("parameters/" + name, value);
  parameter_files_[name] = folder_ / ("parameters/" + name);
}

void KinesisEngine::start() {
  folder_.write("flow.json",
                consumer_flow(services_, consumers_, folder_ / "out", parameter_files_));
  std::vector<std::string> arguments = {"setpriv", "--pdeathsig", "KILL", "env"};
  arguments.insert(arguments.end(), environment_.begin(), environment_.end());
  for (const char* word : {WEIR_PROGRAMS "/weir", "run", "flow.json", "--data", "data", "--set",
                           "nifi.content.repository.archive.max.usage.percentage=100%", "--set",
                           "nifi.administrative.yield.duration=1 sec", "--set",
                           "nifi.flowcontroller.graceful.shutdown.period=5 sec"}) {
    arguments.emplace_back(word);
  }
  engine_ = std::make_unique<Program>(folder_.path(), arguments);
  expect_log("flow.json: ");
}

void KinesisEngine::expect_log(const std::string& text, std::chrono::seconds most) {
  EXPECT_TRUE(eventually([&] { return log().find(text) != std::string::npos; }, most))
      << "the engine never said '" << text << "', but\n"
      << log();
}

void KinesisEngine::kill() {
  const std::vector<ProcessId> started = processes();
  engine_->signal(SIGKILL);
  EXPECT_EQ(engine_->finish().exit_code, 128 + SIGKILL);
  engine_.reset();
  expect_gone(started);
}

Result KinesisEngine::stop() {
  const std::vector<ProcessId> started = processes();
  engine_->signal(SIGTERM);
  Result result = engine_->finish(kStopTime);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  engine_.reset();
  expect_gone(started);
  return result;
}

std::vector<ProcessId> KinesisEngine::daemons() const {
  return with_command(processes(), "MultiLangDaemon");
}

std::vector<ProcessId> KinesisEngine::bridges() const {
  std::vector<ProcessId> found;
  for (const ProcessId& one : with_command(processes(), "weir-kinesis-bridge")) {
    if (command_line(one.number).find("MultiLangDaemon") == std::string::npos) found.push_back(one);
  }
  return found;
}

Sink& KinesisEngine::sink(const std::string& consumer) {
  return sinks_.at(consumer);
}

std::vector<Delivery> KinesisEngine::deliveries(const std::string& consumer) const {
  const Result result =
      tools::testing::run(folder_.path(), {"weirctl", "provenance", "list", "--component", consumer,
                                           "--type", "RECEIVE", "--limit", "1000000",
                                           "--oldest-first", "--json", "--data", "data"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<Delivery> found;
  for (const std::string& line : tools::testing::lines_of(result.out)) {
    found.push_back(parse_delivery(json::parse(line)));
  }
  std::ranges::sort(found, {}, &Delivery::event);
  return found;
}

}  // namespace weir::kinesis_testing
