#include "tests/tools/engine_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace weir::tools::testing {

std::vector<std::string> EngineRun::arguments(std::vector<std::string> more) const {
  // What is archived stays readable, however full the machine's disk is.
  std::vector<std::string> all = {"weir",
                                  "run",
                                  WEIR_SOURCE "/conf/quickstart.json",
                                  "--data",
                                  "weir-data",
                                  "--set",
                                  "nifi.content.repository.archive.max.usage.percentage=100%"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void EngineRun::start(const std::vector<std::string>& more) {
  std::filesystem::create_directories(folder_ / "weir-data/in");
  engine_ = std::make_unique<Program>(folder_.path(), arguments(more));
  ASSERT_TRUE(eventually([&] {
    return engine_->err().find("6 components, 9 connections") != std::string::npos;
  })) << engine_->err();
}

void EngineRun::pass_file(const std::string& name, const std::string& text) {
  folder_.write("weir-data/in/" + name, text);
  ASSERT_TRUE(eventually([&] {
    return std::filesystem::exists(folder_ / ("weir-data/out/" + name + ".gz"));
  })) << engine_->err();
}

Result EngineRun::stop() {
  engine_->signal(SIGTERM);
  const Result result = engine_->finish();
  engine_.reset();
  return result;
}

void EngineRun::kill() {
  engine_->signal(SIGKILL);
  EXPECT_EQ(engine_->finish().exit_code, 128 + SIGKILL);
  engine_.reset();
}

Result EngineRun::weirctl(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "weirctl");
  arguments.insert(arguments.end(), {"--data", "weir-data"});
  return run(folder_.path(), arguments);
}

}  // namespace weir::tools::testing
