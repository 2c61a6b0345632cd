#include "engine/flow/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/flow/write.h"
#include "repositories/storage/fault_file_system.h"
#include "tests/engine/flow/test_flow.h"

namespace weir::flow {
namespace {

using test::read;
using test::test_registry;
using test::texts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct World {
  storage::FaultFileSystem files{1};
  std::map<std::string, std::string> environment;
  SensitiveValues sensitive;

  std::vector<std::string> open(Flow& flow) {
    return texts(open_values(flow, {files, environment, sensitive}));
  }
  void write(const std::string& path, const std::string& text) {
    files.create_directories(storage::Path(path).parent_path());
    files.replace_small(path, text);
  }
};

std::string value(const ParameterContexts& contexts, const std::string& context,
                  const std::string& name) {
  const expression::Parameter* const found = contexts.of(context).find(name);
  return found ? found->value : "(none)";
}

TEST(ParameterContexts, InheritInOrderAndTheNearestCounts) {
  const Flow flow = read(R"({"processors": {}, "parameterContexts": {
    "a": {"inherited": ["b", "c"], "parameters": {"own": "a"}},
    "b": {"inherited": ["d"], "parameters": {"own": "b", "both": "b"}},
    "c": {"parameters": {"both": "c", "last": "c"}},
    "d": {"parameters": {"both": "d", "last": "d"}}}})")
                        .flow;
  const ParameterContexts contexts(flow);
  EXPECT_EQ(value(contexts, "a", "own"), "a");
  EXPECT_EQ(value(contexts, "a", "both"), "b");
  EXPECT_EQ(value(contexts, "a", "last"), "d");
  EXPECT_EQ(value(contexts, "c", "own"), "(none)");
  EXPECT_EQ(value(contexts, "nobody", "own"), "(none)");
}

TEST(ParameterContexts, ACircleEnds) {
  const Flow flow = read(R"({"processors": {}, "parameterContexts": {
    "a": {"inherited": ["b"], "parameters": {"x": "a"}},
    "b": {"inherited": ["a"], "parameters": {"y": "b"}}}})")
                        .flow;
  EXPECT_EQ(value(ParameterContexts(flow), "b", "x"), "a");
}

TEST(OpenValues, FilesAndVariables) {
  World world;
  world.environment["HOST"] = "example.net";
  world.write("/run/secrets/password", "swordfish\r\n");
  world.write("/run/secrets/large", std::string(70'000, 'x'));
  Flow flow = read(R"({"processors": {}, "parameters": {
    "host": {"environment": "HOST"}, "nobody": {"environment": "NOBODY"},
    "password": {"file": "/run/secrets/password", "sensitive": true},
    "gone": {"file": "/run/secrets/gone"}, "large": {"file": "/run/secrets/large"}}})")
                  .flow;
  EXPECT_THAT(world.open(flow),
              testing::UnorderedElementsAre(HasSubstr("there is no file"), HasSubstr("is larger"),
                                            HasSubstr("no environment variable NOBODY")));
  const ParameterContexts contexts(flow);
  EXPECT_EQ(value(contexts, flow.root.parameter_context, "host"), "example.net");
  EXPECT_EQ(value(contexts, flow.root.parameter_context, "password"), "swordfish");
  EXPECT_EQ(value(contexts, flow.root.parameter_context, "gone"), "(none)");
  // Only where they come from is written.
  const std::string written = write_short_flow(seal_values(flow, world.sensitive, test_registry()));
  EXPECT_THAT(written, testing::Not(HasSubstr("swordfish")));
  EXPECT_THAT(written, HasSubstr("/run/secrets/password"));
  EXPECT_THAT(written, HasSubstr("\"environment\": \"HOST\""));
}

TEST(OpenValues, NifisProviderOfEnvironmentVariables) {
  World world;
  world.environment = {{"APP_HOST", "h"}, {"APP_KEY", "k"}, {"HOME", "/"}};
  Flow flow = read(R"({"processors": {},
    "parameterProviders": {"env": {
      "type": "org.apache.nifi.parameter.EnvironmentVariableParameterProvider",
      "properties": {"environment-variable-inclusion-strategy": "regex",
                     "include-environment-variables": "APP_.*"}}},
    "parameterContexts": {"c": {"provider": "env", "parameters": {
      "APP_HOST": {"sensitive": false}}}}})")
                  .flow;
  EXPECT_THAT(world.open(flow), IsEmpty());
  const ParameterContexts contexts(flow);
  EXPECT_EQ(value(contexts, "c", "APP_HOST"), "h");
  EXPECT_FALSE(contexts.of("c").find("APP_HOST")->sensitive);
  EXPECT_EQ(value(contexts, "c", "APP_KEY"), "k");
  EXPECT_TRUE(contexts.of("c").find("APP_KEY")->sensitive);
  EXPECT_EQ(value(contexts, "c", "HOME"), "(none)");
}

TEST(OpenValues, NifisProviderOfFiles) {
  World world;
  world.write("/params/db/user", "aWRh\n");
  world.write("/params/db/.hidden", "x");
  world.write("/params/web/port", "ODA4MA==");
  const auto flow_with = [](const std::string& group) {
    return read(R"({"encodingVersion": {"majorVersion": 2, "minorVersion": 0},
      "parameterProviders": [{"identifier": "p-1", "name": "files",
        "type": "org.apache.nifi.parameter.FileParameterProvider",
        "properties": {"parameter-group-directories": "/params/db, /params/web"}}],
      "parameterContexts": [{"identifier": "c-1", "name": "c", "parameterProvider": "p-1",
        "parameterGroupName": ")" +
                group + R"(", "parameters": [
          {"name": "user", "sensitive": false, "provided": true}]}],
      "rootGroup": {"identifier": "r", "name": "root"}})")
        .flow;
  };
  Flow flow = flow_with("db");
  EXPECT_THAT(world.open(flow), IsEmpty());
  EXPECT_EQ(value(ParameterContexts(flow), "c", "user"), "ida");
  EXPECT_EQ(value(ParameterContexts(flow), "c", "port"), "(none)");
  Flow other = flow_with("nothing");
  EXPECT_THAT(world.open(other), ElementsAre(HasSubstr("has no group 'nothing'")));
  world.write("/params/db/user", "not base64!");
  Flow bad = flow_with("db");
  EXPECT_THAT(world.open(bad), ElementsAre(HasSubstr("is not base64")));
}

TEST(SealValues, EncryptsOnceAndOpensAgain) {
  World world;
  world.sensitive = SensitiveValues("a long password", SensitiveValues::Algorithm::aes_gcm_256);
  const Flow flow = read(R"({"parameters": {"p": {"value": "swordfish", "sensitive": true}},
    "processors": {"s": {"type": "SendTicket", "properties": {
      "Mode": "fast", "Password": "sesame"}}}})")
                        .flow;
  const Flow sealed = seal_values(flow, world.sensitive, test_registry());
  EXPECT_EQ(write_nifi_flow(seal_values(sealed, world.sensitive, test_registry())),
            write_nifi_flow(sealed));
  for (const std::string& written : {write_short_flow(sealed), write_nifi_flow(sealed)}) {
    EXPECT_THAT(written, testing::Not(HasSubstr("swordfish")));
    EXPECT_THAT(written, testing::Not(HasSubstr("sesame")));
    Flow again = read(written).flow;
    EXPECT_THAT(world.open(again), IsEmpty());
    EXPECT_EQ(*again.root.processors.at(0).properties.at("Password").value, "sesame");
    EXPECT_EQ(value(ParameterContexts(again), again.root.parameter_context, "p"), "swordfish");
  }
}

TEST(ParametersNamed, AllReferences) {
  EXPECT_THAT(parameters_named("#{a}-${#{b c}:append('#{d}')} ##{e} #{'f'} #{"),
              ElementsAre("a", "b c", "d", "e", "f"));
}

}  // namespace
}  // namespace weir::flow
