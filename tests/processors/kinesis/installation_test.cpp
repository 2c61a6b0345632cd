#include "processors/kinesis/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/tools/program.h"

namespace weir::processors::kinesis::test {
namespace {

using ::testing::HasSubstr;
using tools::testing::Folder;
namespace fs = std::filesystem;

// A folder that holds all of it: bin/weir, bin/kinesis, and a Java.
class InstallationTest : public ::testing::Test {
 protected:
  InstallationTest() {
    for (const char* folder : {"bin/kinesis/lib", "jdk/bin", "other/bin"}) {
      fs::create_directories(folder_ / folder);
    }
    add_program("bin/kinesis/weir-kinesis-bridge");
    add_program("jdk/bin/java");
    folder_.write("bin/kinesis/lib/amazon-kinesis-client-multilang-3.1.3.jar", "");
    places_ = {.program = folder_ / "bin/weir",
               .kinesis_home = {},
               .java_home = folder_ / "jdk",
               .search_path = {}};
  }

  void add_program(const std::string& name) {
    folder_.write(name, "");
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  std::string problem() const {
    const auto found = find_installation(places_);
    return found ? "" : found.error();
  }

  Folder folder_;
  Places places_;
};

TEST_F(InstallationTest, IsFoundBesideTheProgram) {
  const auto found = find_installation(places_);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->java, folder_ / "jdk/bin/java");
  EXPECT_EQ(found->jars, folder_ / "bin/kinesis/lib");
  EXPECT_EQ(found->bridge, folder_ / "bin/kinesis/weir-kinesis-bridge");
}

TEST_F(InstallationTest, JavaComesFromThePathWhereJavaHomeIsNotSet) {
  places_.java_home.clear();
  places_.search_path = (folder_ / "none").string() + "::" + (folder_ / "other/bin").string() +
                        ":" + (folder_ / "jdk/bin").string();
  folder_.write("other/bin/java", "not a program");
  EXPECT_EQ(find_installation(places_)->java, folder_ / "jdk/bin/java");
}

TEST_F(InstallationTest, JavaHomeIsNotPassedOverForThePath) {
  places_.java_home = folder_ / "none";
  places_.search_path = (folder_ / "jdk/bin").string();
  EXPECT_THAT(problem(),
              HasSubstr("Java was not found at " + (folder_ / "none/bin/java").string()));
}

TEST_F(InstallationTest, AMissingJavaIsNamedWithTheWayToGetIt) {
  places_.java_home.clear();
  EXPECT_EQ(problem(),
            "Java was not found: install a Java runtime of version 17 or later (Debian: "
            "openjdk-17-jre-headless), or name its folder by JAVA_HOME");
}

TEST_F(InstallationTest, AFolderCalledJavaIsNoJava) {
  fs::remove(folder_ / "jdk/bin/java");
  fs::create_directory(folder_ / "jdk/bin/java");
  EXPECT_THAT(problem(), HasSubstr("Java was not found"));
}

TEST_F(InstallationTest, MissingJarsAreNamedWithTheWayToGetThem) {
  fs::remove_all(folder_ / "bin/kinesis/lib");
  EXPECT_THAT(problem(), HasSubstr("the Kinesis Client Library was not found in " +
                                   (folder_ / "bin/kinesis/lib").string() +
                                   ": build the target weir_kinesis_jars"));
}

TEST_F(InstallationTest, AFolderOfOtherJarsIsNotTheClient) {
  fs::remove(folder_ / "bin/kinesis/lib/amazon-kinesis-client-multilang-3.1.3.jar");
  folder_.write("bin/kinesis/lib/guava.jar", "");
  EXPECT_THAT(problem(), HasSubstr("the Kinesis Client Library was not found"));
}

TEST_F(InstallationTest, AMissingBridgeIsNamedWithTheWayToGetIt) {
  fs::remove(folder_ / "bin/kinesis/weir-kinesis-bridge");
  EXPECT_THAT(problem(), HasSubstr("the program weir-kinesis-bridge was not found"));
  EXPECT_THAT(problem(), HasSubstr("build the target weir_kinesis_bridge"));
}

TEST_F(InstallationTest, TheNamedHomeGoesBeforeTheProgramsFolder) {
  fs::rename(folder_ / "bin/kinesis", folder_ / "elsewhere");
  EXPECT_NE(problem(), "");
  places_.kinesis_home = folder_ / "elsewhere";
  EXPECT_EQ(find_installation(places_)->jars, folder_ / "elsewhere/lib");
  fs::remove_all(folder_ / "elsewhere/lib");
  EXPECT_THAT(problem(), HasSubstr("where WEIR_KINESIS_HOME says"));
}

TEST_F(InstallationTest, ARelativeHomeBecomesAWholePath) {
  places_.kinesis_home = fs::relative(folder_ / "bin/kinesis");
  const auto found = find_installation(places_);
  ASSERT_TRUE(found) << found.error();
  EXPECT_TRUE(found->jars.is_absolute());
  EXPECT_TRUE(found->bridge.is_absolute());
}

TEST(InheritedEnvironment, HoldsNothingButWhatIsListed) {
  ::setenv("AWS_SECRET_ACCESS_KEY", "of the engine", 1);
  ::setenv("JAVA_TOOL_OPTIONS", "-verbose", 1);
  ::setenv("https_proxy", "http://proxy.example:3128", 1);
  const auto environment = inherited_environment();
  ::unsetenv("AWS_SECRET_ACCESS_KEY");
  ::unsetenv("JAVA_TOOL_OPTIONS");
  ::unsetenv("https_proxy");
  EXPECT_FALSE(environment.contains("AWS_SECRET_ACCESS_KEY"));
  EXPECT_FALSE(environment.contains("JAVA_TOOL_OPTIONS"));
  EXPECT_EQ(environment.at("https_proxy"), "http://proxy.example:3128");
  EXPECT_EQ(environment.at("LANG"), "C.UTF-8");
  EXPECT_EQ(environment.at("TZ"), "UTC");
  for (const auto& [name, value] : environment) {
    EXPECT_THAT(name,
                ::testing::MatchesRegex("PATH|HOME|LANG|TZ|(HTTPS?|NO)_PROXY|(https?|no)_proxy"));
  }
}

}  // namespace
}  // namespace weir::processors::kinesis::test
