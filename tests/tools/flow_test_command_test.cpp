#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/program.h"

namespace weir::tools::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A group between two processors of types that nobody here knows.
constexpr const char* kFlow = R"({
  "parameterContexts": {"settings": {"parameters": {"algorithm": "MD5"}}},
  "processors": {
    "from kafka": {"type": "ConsumeKafka_9_9", "properties": {"topic": "a"}},
    "to kafka": {"type": "PublishKafka_9_9", "autoTerminate": ["success"]},
    "set aside": {"type": "PutFile", "autoTerminate": ["success", "failure"],
                  "properties": {"Directory": "failed"}}
  },
  "groups": {
    "clean up": {
      "parameterContext": "settings",
      "inputPorts": ["enter"], "outputPorts": ["leave", "odd"],
      "processors": {
        "hash": {"type": "CryptographicHashContent",
                 "properties": {"hash_algorithm": "SHA-256", "fail_when_empty": true}}
      },
      "connections": ["enter -> hash", "hash.success -> leave", "hash.failure -> odd"]
    }
  },
  "connections": ["from kafka.success -> clean up/enter", "clean up/leave -> to kafka",
                  "clean up/odd -> set aside", "to kafka.failure -> set aside"]
})";

constexpr const char* kMocks =
    "flow flow.json\n"
    "mock from kafka source\n"
    "mock \"to kafka\" sink to success\n"
    "mock set aside sink\n";

class FlowTestCommand : public ::testing::Test {
 protected:
  FlowTestCommand() { folder_.write("flow.json", kFlow); }

  Result test(const std::string& text, std::vector<std::string> options = {}) {
    folder_.write("my.test", text);
    std::vector<std::string> arguments = {"weirctl", "flow", "test", "my.test"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(folder_.path(), arguments);
  }
  // Of a test below a flow of one connection, with one FlowFile sent.
  Result inline_test(const std::string& steps) {
    return test(
        "flow\n"
        "{\"funnels\": [\"in\"], \"outputPorts\": [\"out\"], \"connections\": [\"in -> out\"]}\n"
        "end\n"
        "send in -> out\n  - text a\\tb\n    colour = red\n" +
        steps);
  }
  void passes(const std::string& text) {
    const Result result = test(text);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  }

  const Folder folder_;
};

TEST_F(FlowTestCommand, RunsTheExampleOfTheRepository) {
  const Result result =
      run(folder_.path(), {"weirctl", "flow", "test", WEIR_SOURCE "/conf/quickstart.test"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(lines_of(result.out).back(), "2 tests: 2 passed, 0 failed");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "weir-data"));
}

TEST_F(FlowTestCommand, MocksStandForSourcesAndSinksOfUnknownTypes) {
  passes(
      std::string(kMocks) +
      "test through\n"
      "send from kafka\n  - text abc\n    topic = a\n  - empty\n"
      "run until idle\n"
      "expect \"from kafka\".success\n  - text abc\n  - empty\n"
      "expect to kafka\n  - text abc\n    content_SHA-256 = /[0-9a-f]{64}/\n    topic = a\n"
      "expect set aside\n  - empty\n"
      "expect queued 0\n"
      "test the broker refuses the second\n"
      "mock from kafka source to success\n  - text one\n  - text two\n  - text three\n"
      "mock \"to kafka\" sink to success\n  - \n  - to failure\n    text no {{n}}\n    why = full\n"
      "run until idle\n"
      "expect to kafka\n  - text one\n  - text two\n  - text three\n"
      "expect set aside\n  - text no 2\n    why = full\n  - text no 3\n");
}

TEST_F(FlowTestCommand, APartOfAFlowRunsAlone) {
  passes(
      "flow flow.json\n"
      "test the group\n"
      "only clean up\n"
      "send enter\n  - text abc\n  - empty\n"
      "run until idle\n"
      "expect leave\n  - text abc\n"
      "expect clean up/odd\n  - empty\n"
      "expect count \"to kafka\" 0\n"
      "test one processor\n"
      "only hash\n"
      "send clean up/hash\n  - text abc\n"
      "send enter -> hash\n  - text def\n"
      "run until idle\n"
      "expect any order hash.success\n  - text def\n  - text abc\n"
      "expect count hash -> leave 2\n"
      "expect nothing hash.failure\n");
}

TEST_F(FlowTestCommand, ParametersHaveTheValuesThatATestGivesThem) {
  std::string flow = kFlow;
  flow.replace(flow.find("\"SHA-256\""), 9, "\"#{algorithm}\"");
  folder_.write("flow.json", flow);
  const std::string both =
      "flow flow.json\nonly clean up\n"
      "test as it stands\nsend enter\n  - text x\nrun\n"
      "expect leave\n  - content_MD5 = 9dd4e461268c8034f5c8564e155c67a6\n"
      "test another\nparameter algorithm = SHA-1\nsend enter\n  - text x\nrun\n"
      "expect leave\n  - content_SHA-1 = 11f6ad8ec52a2984abaafd7c3b516503785c2072\n";
  passes(both);
  passes(both +
         "test in one context\nparameter settings/algorithm = SHA-1\nsend enter\n  - text x\n"
         "run\nexpect leave\n  - content_SHA-1 = /.*/\n");
  EXPECT_THAT(
      test("flow flow.json\nonly clean up\nparameter algoritm = MD5\nexpect queued 0\n").out,
      HasSubstr("my.test:3: no parameter context of the flow has a parameter 'algoritm' (did "
                "you mean algorithm?)"));
  // What stands in a variable of the process is given by the test, not by the process.
  flow.replace(flow.find("\"MD5\""), 5, "{\"environment\": \"PATH\"}");
  folder_.write("flow.json", flow);
  passes(
      "flow flow.json\nonly clean up\nparameter algorithm = MD5\nsend enter\n  - text x\nrun\n"
      "expect leave\n  - content_MD5 = /.*/\n");
  EXPECT_THAT(test("flow flow.json\nonly clean up\nexpect queued 0\n").out, HasSubstr("algorithm"));
}

TEST_F(FlowTestCommand, MoreThanAConnectionHoldsComesOutOfAPart) {
  passes(
      "flow flow.json\n"
      "only hash\n"
      "send hash\n  - times 10500\n    text {{n}}\n"
      "run until idle\n"
      "expect leave\n  - times 10500\n    text {{n}}\n");
}

TEST_F(FlowTestCommand, CoverageCountsWhatTookEachRelationship) {
  const std::string both = std::string(kMocks) +
                           "test good\nsend from kafka\n  - text a\n  - text b\nrun until idle\n"
                           "expect queued 0\n";
  const Result half = test(both, {"--coverage", "--coverage-min", "60"});
  EXPECT_EQ(half.exit_code, 1);
  EXPECT_THAT(half.out, AllOf(HasSubstr("flow.json: 1 of 2 relationships taken, 50 %"),
                              HasSubstr("clean up/hash  failure               0  never taken"),
                              HasSubstr("clean up/hash  success               2"),
                              HasSubstr("not run by any test: from kafka, to kafka, set aside"),
                              HasSubstr("50.0 % of the relationships were taken, 60 % are asked")));
  // Tests of one flow count together, also where one runs only a part of it.
  folder_.write("other.test",
                "flow flow.json\nonly hash\nsend hash\n  - empty\n  - text c\nrun until idle\n"
                "expect count hash.failure 1\n");
  const Result whole = test(both, {"other.test", "--coverage-min", "100", "--json", "--coverage",
                                   "--coverage-json", "coverage.json"});
  EXPECT_EQ(whole.exit_code, 0) << whole.out;
  EXPECT_EQ(json::parse(lines_of(whole.out).back()).at("coverage_percent"), 100.0);
  const json coverage = json::parse(read_file(folder_ / "coverage.json"));
  EXPECT_EQ(coverage.at("percent"), 100.0);
  for (const json& processor : coverage.at("flows").at(0).at("processors")) {
    EXPECT_EQ(processor.at("tested"), processor.at("processor") == "clean up/hash");
    if (!processor.at("tested")) continue;
    EXPECT_EQ(processor.at("relationships"), json::parse(R"({"success": 3, "failure": 1})"));
  }
}

TEST_F(FlowTestCommand, AProcessorThatWorksOutsideMustBeMockedOrAllowed) {
  const std::string text =
      "flow flow.json\nonly set aside\nsend set aside\n  - text x\n    filename = x\n"
      "run until idle\nexpect queued 0\n";
  const Result refused = test(text);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.out, HasSubstr("my.test:1: 'set aside' (PutFile) works outside of the flow"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "failed"));
  passes("real set aside\n" + text);
  EXPECT_EQ(read_file(folder_ / "failed/x"), "x");
}

TEST_F(FlowTestCommand, FailuresAreToldWithTheirLineAndBothSides) {
  const auto failure = [&](const std::string& steps) {
    const Result result = inline_test(steps);
    EXPECT_EQ(result.exit_code, 1) << steps;
    return result.out;
  };
  EXPECT_EQ(inline_test("expect in -> out\n  - text a\\tb\n    colour = /r.d/\n").exit_code, 0);
  EXPECT_THAT(failure("expect in -> out\n  - text b\n"),
              HasSubstr("  my.test:8: in -> out: FlowFile 1 of 1: its content is another one\n"
                        "    expected  \"b\"\n"
                        "    got       \"a\\tb\"\n"));
  EXPECT_THAT(failure("expect out\n  - colour = blue\n"),
              HasSubstr("  my.test:8: out: FlowFile 1 of 1: its attribute colour is another one\n"
                        "    expected  \"blue\"\n"
                        "    got       \"red\"\n"));
  EXPECT_THAT(failure("expect out\n  - colour absent\n"), HasSubstr("it has an attribute colour"));
  EXPECT_THAT(failure("expect out\n  - size = /.*/\n"), HasSubstr("its attribute size is missing"));
  EXPECT_THAT(failure("expect out\n  - matches /x+/\n"), HasSubstr("its content does not match"));
  EXPECT_THAT(failure("expect out\n  - contains xyz\n"), HasSubstr("does not contain"));
  EXPECT_THAT(failure("expect out\n  - json [1]\n"), HasSubstr("its content is no JSON"));
  EXPECT_THAT(failure("expect nothing out\n"),
              HasSubstr("    expected  0 FlowFiles\n"
                        "    got       1 FlowFile\n"
                        "              1. \"a\\tb\"  filename = "));
  EXPECT_THAT(failure("expect any order out\n  - text c\n"), HasSubstr("no FlowFile is like this"));
  EXPECT_THAT(failure("expect count out 2\n"), HasSubstr("expected  2\n    got       1\n"));
  EXPECT_THAT(failure("expect queued 2\n"), HasSubstr("got       1 in in -> out"));
  EXPECT_THAT(failure("expect provenance DROP\n"),
              HasSubstr("expected  DROP*1\n    got       CREATE*1\n"));
  EXPECT_THAT(failure("expect bulletin /x/\n"), HasSubstr("no bulletin is like this"));
  EXPECT_THAT(failure("expect file a b\n"), HasSubstr("there is no file a"));
  EXPECT_THAT(failure("expect count a -> b 1\n"), HasSubstr("there is no connection 'a -> b'"));
  EXPECT_THAT(failure("expect oud\n"), HasSubstr("(did you mean out?)"));
  // Expectations beside a failed one are looked at as well, what follows the next step is not.
  EXPECT_THAT(
      failure("expect count out 2\nexpect count out 3\nrun\nexpect count out 4\n"),
      AllOf(HasSubstr("my.test:7:"), HasSubstr("my.test:8:"), Not(HasSubstr("my.test:10:"))));
}

TEST_F(FlowTestCommand, JsonIsComparedByValue) {
  const std::string sent =
      "flow flow.json\nonly hash\nsend hash\n  - json {\"a\": {\"b\": [1, 2]}, \"c\": null}\nrun\n";
  passes(sent + "expect leave\n  - json\n    | {\"c\": null,\n    |  \"a\": {\"b\": [1, 2]}}\n");
  EXPECT_THAT(test(sent + "expect leave\n  - json {\"c\": null, \"a\": {\"b\": [1, 3]}}\n").out,
              HasSubstr("its JSON differs at /a/b/1: expected 3, got 2"));
  folder_.write("deep.json", std::string(100000, '['));
  EXPECT_THAT(test("flow flow.json\nonly hash\nsend hash\n  - content-file deep.json\nrun\n"
                   "expect leave\n  - json []\n")
                  .out,
              HasSubstr("nested over 1000 levels"));
}

TEST_F(FlowTestCommand, ContentsComeFromFilesBesideTheTest) {
  folder_.write("in.csv", "id,name\n1,Ann\n");
  passes(
      "flow flow.json\nonly hash\nsend hash\n  - content-file in.csv\nrun\n"
      "expect leave\n  - | id,name\n    | 1,Ann\n");
  EXPECT_EQ(test("flow flow.json\nsend hash\n  - content-file no.csv\nexpect queued 0\n").exit_code,
            2);
}

TEST_F(FlowTestCommand, AFileWithMistakesIsRefusedWithAllOfThem) {
  const Result result = test(
      "flow flow.json\nmock a b snk\nmok c sink\nsned x\nsend x\n  - txt a\n  - size 3\n"
      "expect x\n  - json {\n  - matches /(/\n  - text a\n    text b\n  - text \\q\n"
      "expect provenance CRATE\nexpect count x\nrun fast\nadvance 3 sec\n");
  EXPECT_EQ(result.exit_code, 2);
  const std::vector<std::string> lines = lines_of(result.out);
  const std::vector<std::string> wanted = {
      "my.test:2: mock NAME source, or mock NAME sink",
      "my.test:3: 'mok' is no statement (did you mean mock?)",
      "my.test:4: 'sned' is no statement (did you mean send?)",
      "my.test:6: 'txt a' tells nothing of a FlowFile (did you mean text?)",
      "my.test:7: 'size' is only for FlowFiles that are expected",
      "my.test:9: the expected JSON is none",
      "my.test:10: ",
      "my.test:12: the FlowFile has a content already",
      "my.test:13: \\q is no escape",
      "my.test:14: 'CRATE' is no type of event (did you mean CREATE?)",
      "my.test:15: expect count WHERE NUMBER",
      "my.test:16: 'fast' is not a duration",
      "my.test:17: 'advance' is no statement (did you mean run?)"};
  ASSERT_EQ(lines.size(), wanted.size()) << result.out;
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_THAT(lines[i], HasSubstr(wanted[i]));
  EXPECT_EQ(json::parse(lines_of(test("dance\n", {"--json"}).out)[0]).at("line"), 1);
  EXPECT_THAT(test("flow flow.json\nfile ../x y\nexpect no file /etc/x\n").out,
              AllOf(HasSubstr("my.test:2: a file of a test lies within {{dir}}"),
                    HasSubstr("my.test:3: a file of a test lies within {{dir}}")));
  EXPECT_THAT(test("flow flow.json\nsend hash\nonly hash\nexpect queued 0\n").out,
              HasSubstr("my.test:3: 'only' stands before the first step of a test"));
  EXPECT_THAT(test("flow flow.json\nsend hash\n- text x\nexpect queued 0\n").out,
              HasSubstr("my.test:3: lines that tell of FlowFiles stand indented"));
  EXPECT_THAT(test("flow flow.json\nonly hash\nproperty nifi.queue.swap.threshold = 5\n"
                   "property nifi.queue.swap.treshold = 5\nexpect queued 0\n")
                  .out,
              HasSubstr("my.test:4: nifi.queue.swap.treshold: "));
  EXPECT_EQ(test("").exit_code, 2);
  EXPECT_EQ(test("flow flow.json\nsend hash\n  - text x\n").exit_code, 2);
  EXPECT_EQ(run(folder_.path(), {"weirctl", "flow", "test", "none.test"}).exit_code, 2);
}

TEST_F(FlowTestCommand, NamesThatTheFlowDoesNotHaveAreToldBeforeAnythingRuns) {
  const Result result = test(
      "flow flow.json\nmock from kafka source\nmock to-kafka sink\nmock set aside sink\n"
      "test names\nsend hahs\n  - text x\nexpect hash.sucess\nstart hsh\nstop hash\n"
      "expect clean up -> hash\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("my.test:3: there is no processor 'to-kafka' (did you "
                                          "mean to kafka?)"),
                                HasSubstr("my.test:6: nothing in the flow is called 'hahs' (did "
                                          "you mean hash?)")));
  EXPECT_THAT(test(std::string(kMocks) + "expect hash.sucess\nexpect clean up\n").out,
              AllOf(HasSubstr("'hash' has no relationship 'sucess'"),
                    HasSubstr("(did you mean success?)"), HasSubstr("'clean up' is a group")));
  EXPECT_THAT(test("flow flwo.json\nexpect queued 0\n").out, HasSubstr("my.test:1: "));
}

TEST_F(FlowTestCommand, TypesThatNobodyKnowsMatterOnlyUnderTest) {
  std::string flow = kFlow;
  flow.replace(flow.find("{"), 1, "{ \"services\": {\"reader\": {\"type\": \"OddReader\"}},");
  flow.replace(flow.find("\"topic\": \"a\""), 12, "\"Reader\": {\"service\": \"reader\"}");
  folder_.write("flow.json", flow);
  passes(std::string(kMocks) + "send from kafka\n  - text x\nrun\nexpect count \"to kafka\" 1\n");
  const Result result = test("flow flow.json\nmock set aside\nexpect queued 0\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(test("flow flow.json\nmock set aside sink\nexpect queued 0\n").out,
              AllOf(HasSubstr("flow.json:4: there is no processor type 'ConsumeKafka_9_9': put "
                              "something in the place of 'from kafka'"),
                    HasSubstr("flow.json:5: ")));
}

// The first blocks of the format's description.
TEST_F(FlowTestCommand, ExamplesOfTheDescriptionPass) {
  const std::string text = read_file(WEIR_SOURCE "/tools/flow_test/README.md");
  folder_.write("quickstart.json", read_file(WEIR_SOURCE "/conf/quickstart.json"));
  folder_.write("orders.json", R"({
    "groups": {"enrich": {
      "inputPorts": ["orders"], "outputPorts": ["enriched", "lost"],
      "processors": {
        "look up customer": {"type": "InvokeHTTP", "properties": {"HTTP URL": "https://crm/"}},
        "again": {"type": "RetryFlowFile", "autoTerminate": ["failure"],
                  "penaltyDuration": "30 sec"}
      },
      "connections": ["orders -> look up customer", "look up customer.Response -> enriched",
                      "look up customer.Failure -> again", "again.retry -> look up customer",
                      "again.retries_exceeded -> lost"]
    }}
  })");
  std::size_t at = 0;
  for (const char* const flow : {"quickstart.json", "orders.json"}) {
    const std::string begin = std::string("```\nflow ") + flow;
    at = text.find(begin, at);
    ASSERT_NE(at, std::string::npos) << flow;
    at += 4;
    passes(text.substr(at, text.find("```", at) - at));
  }
  std::filesystem::create_directory_symlink(WEIR_SOURCE "/conf", folder_ / "conf");
  const Result covered =
      run(folder_.path(), {"weirctl", "flow", "test", "--coverage", "conf/quickstart.test"});
  EXPECT_THAT(text, HasSubstr("--coverage conf/quickstart.test\n" + covered.out + "```"));
}

TEST_F(FlowTestCommand, ANameThatSeveralComponentsHaveIsSaidByItsPath) {
  folder_.write("flow.json", R"({
    "groups": {
      "a": {"inputPorts": ["in"], "outputPorts": ["out"], "connections": ["in -> out"]},
      "b": {"inputPorts": ["in"], "outputPorts": ["out"], "connections": ["in -> out"]}
    },
    "inputPorts": ["in"],
    "connections": ["in -> a/in", "a/out -> b/in"]
  })");
  passes(
      "flow flow.json\nsend in\n  - text x\nsend a/in\n  - text y\nsend b/in\n  - text z\n"
      "run until idle\nexpect any order b/out\n  - text x\n  - text y\n  - text z\n"
      "expect count b/in -> b/out 3\n");
  EXPECT_THAT(test("flow flow.json\nexpect out\n").out,
              HasSubstr("my.test:2: 'out' may be each of 2 components: a/out, b/out"));
}

TEST_F(FlowTestCommand, AFlowThatGoesOnForEverIsTold) {
  const Result result = test(
      "steps 50000\n"
      "flow\n{\"inputPorts\": [\"in\"],\n"
      " \"processors\": {\"again\": {\"type\": \"DuplicateFlowFile\",\n"
      "                            \"properties\": {\"Number of Copies\": 0}}},\n"
      " \"connections\": [\"in -> again\", \"again.success -> again\"]}\nend\n"
      "test no pause\nsend in\n  - text x\nrun\nexpect queued 0\n"
      "test never idle\nstop again\nstart again\nrun until idle\nexpect queued 0\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out,
              HasSubstr("my.test:11: the flow goes on and on without time passing: more than 50000 "
                        "steps; 'steps N' allows more\n    got       1 in again -> again\n"));
  EXPECT_THAT(result.out, HasSubstr("pass  my.test: never idle"));
}

TEST_F(FlowTestCommand, RunUntilIdleGivesUpAfterAnHour) {
  const Result result = test(
      "flow\n{\"processors\": {\"merge\": {\"type\": \"MergeContent\",\n"
      "  \"autoTerminate\": [\"merged\", \"original\", \"failure\"],\n"
      "  \"properties\": {\"Minimum Number of Entries\": 2}}}, \"inputPorts\": [\"in\"],\n"
      " \"connections\": [\"in -> merge\"]}\nend\n"
      "send merge\n  - text x\nrun until idle\nexpect queued 0\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("my.test:9: the flow does not come to rest within 1 hour"));
  EXPECT_EQ(
      test("flow flow.json\nonly hash\nrun until idle within 2 days\nexpect queued 0\n").exit_code,
      0);
  EXPECT_EQ(
      test("flow flow.json\nonly hash\nrun until idle for 2 days\nexpect queued 0\n").exit_code, 2);
}

TEST_F(FlowTestCommand, ResultsGoToJUnitAndJson) {
  const std::string text =
      "flow flow.json\nonly hash\n"
      "test a & b <c>\nexpect queued 0\n"
      "test fails\nsend hash\n  - base64 AAH/PCY+\nrun\nexpect leave\n  - text \\x01\\xff]]>\n";
  EXPECT_EQ(test(text, {"--junit", "out.xml"}).exit_code, 1);
  const std::string xml = read_file(folder_ / "out.xml");
  EXPECT_THAT(xml, AllOf(HasSubstr("<testsuites name=\"weirctl flow test\" tests=\"2\" "
                                   "failures=\"1\" errors=\"0\""),
                         HasSubstr("name=\"a &amp; b &lt;c&gt;\""),
                         HasSubstr("my.test:10: leave: FlowFile 1 of 1: its content is another "
                                   "one&#10;  expected"),
                         HasSubstr("\\x00\\x01\\xFF&lt;&amp;&gt;")));
  EXPECT_EQ(xml.find_first_of(std::string("\x01\xff\0", 3)), std::string::npos);
  const Result parsed = run(
      folder_.path(),
      {"python3", "-c", "import xml.dom.minidom; xml.dom.minidom.parse('out.xml'); print('fine')"});
  EXPECT_EQ(parsed.out, "fine\n") << parsed.err;

  const auto lines = lines_of(test(text, {"--json"}).out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(json::parse(lines[0]).at("passed"), true);
  const json failed = json::parse(lines[1]);
  EXPECT_EQ(failed.at("test"), "fails");
  EXPECT_EQ(failed.at("failures").at(0).at("line"), 10);
  EXPECT_EQ(json::parse(lines[2]).at("failed"), 1);
}

TEST_F(FlowTestCommand, OnlySelectsTests) {
  const std::string text =
      "flow flow.json\nonly hash\ntest one\nexpect queued 0\ntest two\nexpect queued 1\n";
  EXPECT_EQ(test(text).exit_code, 1);
  const Result one = test(text, {"--only", "on"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.out, "pass  my.test: one\n1 test: 1 passed, 0 failed\n");
  EXPECT_EQ(test(text, {"--only", "three"}).exit_code, 2);
}

TEST_F(FlowTestCommand, FoldersStandForTheirTests) {
  std::filesystem::create_directories(folder_ / "tests");
  folder_.write("tests/a.test", "flow ../flow.json\nonly hash\nexpect queued 0\n");
  folder_.write("tests/b.test", "flow ../flow.json\nonly hash\nexpect queued 0\n");
  folder_.write("tests/c.txt", "no test");
  const Result result = run(folder_.path(), {"weirctl", "flow", "test", "tests"});
  EXPECT_EQ(result.out,
            "pass  tests/a.test: a\npass  tests/b.test: b\n2 tests: 2 passed, 0 failed\n");
}

}  // namespace
}  // namespace weir::tools::testing
