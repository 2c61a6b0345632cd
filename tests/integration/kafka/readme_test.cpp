#include "tests/tools/readme.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <regex>
#include <set>

#include "tests/integration/kafka/brokers.h"
#include "tests/integration/kafka/numbered_records.h"

// The README's section on Kafka, run as it stands there.
namespace weir::kafka_testing {
namespace {

using tools::testing::eventually;
using tools::testing::Example;
using tools::testing::lines_of;
using tools::testing::operator""s;

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// How many records come at once, in which order, and when, differs from run to run: lines are the
// same where all but their numbers and the width of their columns is.
std::set<std::string> shapes_of(const std::string& text) {
  static const std::regex kNumber("[0-9][0-9,]*");
  static const std::regex kSpaces(" {2,}");
  std::set<std::string> shapes;
  for (std::string line : lines_of(tools::testing::normalized(text))) {
    line = std::regex_replace(line, kNumber, "N");
    line = std::regex_replace(line, kSpaces, "  ");
    while (line.ends_with(' ')) line.pop_back();
    shapes.insert(line);
  }
  return shapes;
}

class ReadmeOnKafka : public ::testing::Test {
 protected:
  // The README's addresses are those of the flow; the test's brokers have others.
  ReadmeOnKafka() {
    std::string flow = tools::testing::read_file(WEIR_SOURCE "/conf/kafka-mirror.json");
    replace_all(flow, "127.0.0.1:9092", source_);
    replace_all(flow, "127.0.0.1:9192", target_);
    std::filesystem::create_directory(folder_ / "conf");
    folder_.write("conf/kafka-mirror.json", flow);
  }
  std::string said(std::string text) const {
    replace_all(text, source_, "127.0.0.1:9092");
    replace_all(text, target_, "127.0.0.1:9192");
    return text;
  }
  tools::testing::Result run(const std::vector<std::string>& words) const {
    return tools::testing::run(folder_.path(), words);
  }
  void mirror(const Example& example) {
    const NumberedRecords records{.partitions = 2, .per_partition = 500};
    ClusterClient source(source_);
    source.create_topic("orders", 2);
    source.produce(records.of_topic("orders"));
    tools::testing::Program engine(folder_.path(), tools::testing::words_of(example.command));
    ClusterClient target(target_);
    EXPECT_TRUE(eventually([&] {
      return target.partitions("orders") == 2 &&
             arrival_of(records, target.consume("orders")) == Arrival{} &&
             run({"weirctl", "provenance", "list", "--data", "kafka-data"}).out.find("SEND") !=
                 std::string::npos;
    })) << engine.err();
    engine.signal(SIGINT);
    const auto result = engine.finish();
    EXPECT_EQ(result.exit_code, 0);
    const auto lines = shapes_of(said(result.err));
    for (const std::string& line : shapes_of(example.output)) {
      // The engine's state at some instant, and what a cluster says that has just begun.
      if (line.find("hops") != std::string::npos || line.find("GETPID") != std::string::npos)
        continue;
      EXPECT_TRUE(lines.contains(line)) << line << "\nis not in\n" << result.err;
    }
  }

  const std::string source_ = Brokers::instance().source().address();
  const std::string target_ = Brokers::instance().target().address();
  const tools::testing::Folder folder_;
};

TEST_F(ReadmeOnKafka, ItsCommandsPrintWhatItSays) {
  int checked = 0;
  for (const Example& example : tools::testing::readme_examples("Kafka")) {
    if (example.command.find("kafka-data") == std::string::npos) continue;  // needs no broker
    const auto words = tools::testing::words_of(example.command);
    ++checked;
    if (words[0] == "weir") {
      mirror(example);
      continue;
    }
    const auto result = run(words);
    EXPECT_EQ(result.exit_code, 0) << example.command << "\n" << result.err;
    EXPECT_EQ(shapes_of(said(result.out)), shapes_of(example.output)) << example.command;
  }
  EXPECT_EQ(checked, 3);
}

}  // namespace
}  // namespace weir::kafka_testing
