#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "processors/registry.h"
#include "tests/vectors/el_case.h"
#include "tests/vectors/vector_case.h"

namespace weir::vectors {
namespace {

std::filesystem::path reference(const char* file) {
  const char* given = std::getenv("WEIR_REFERENCE");
  return std::filesystem::path(given ? given : "../shared/reference") / file;
}

TEST(Vectors, ProcessorsAnswerAsRecorded) {
  const auto file = reference("processor-vectors.json");
  std::ifstream in(file);
  if (!in) GTEST_SKIP() << "no recorded cases: " << file << " is not there";
  const auto cases = nlohmann::json::parse(in);
  ComponentRegistry registry;
  register_standard_processors(registry);
  const std::string scratch = testing::TempDir() + "weir-vectors";
  std::map<std::string, int> run;
  for (const auto& vector_case : cases) {
    if (!exclusion(vector_case, registry).empty()) continue;
    const std::string& id = vector_case.at("id").get_ref<const std::string&>();
    ++run[id.substr(0, id.rfind('-'))];
    const CaseResult result = run_case(vector_case, registry, scratch);
    for (const std::string& mismatch : result.mismatches) ADD_FAILURE() << id << ": " << mismatch;
  }
  std::filesystem::remove_all(scratch);
  // No processor may drop out in silence. Of those that only speak to a service outside nothing is
  // recorded; their own tests have such services.
  const std::set<std::string> unrecorded = {"ConsumeKafka", "ConsumeKinesis", "MirrorKafka",
                                            "PublishKafka", "PutKinesisStream"};
  for (const auto* definition : registry.processors()) {
    const std::string name(definition->short_type());
    EXPECT_EQ(run[name] > 0, !unrecorded.contains(name)) << definition->type;
  }
}

TEST(Vectors, ExpressionsAnswerAsRecorded) {
  const auto file = reference("el-vectors.json");
  std::ifstream in(file);
  if (!in) GTEST_SKIP() << "no recorded cases: " << file << " is not there";
  const auto cases = nlohmann::json::parse(in);
  ASSERT_GT(cases.size(), 0u);
  for (const auto& vector_case : cases) {
    const std::string& id = vector_case.at("id").get_ref<const std::string&>();
    if (!el_exclusion(id).empty()) continue;
    EXPECT_EQ(run_el_case(vector_case), "") << id;
  }
}

}  // namespace
}  // namespace weir::vectors
