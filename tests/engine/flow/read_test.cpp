#include "engine/flow/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "engine/flow/renames.h"
#include "tests/engine/flow/test_flow.h"

namespace weir::flow {
namespace {

using test::read;
using test::refusal;
using test::sample;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// What all of the shapes of the ticket office hold.
void expect_ticket_office(const ReadResult& result) {
  EXPECT_THAT(test::texts(result.problems), IsEmpty());
  const Group& root = result.flow.root;
  EXPECT_EQ(root.name, "Ticket office");
  ASSERT_EQ(root.processors.size(), 3u);
  const ProcessorNode& make = root.processors[0];
  EXPECT_EQ(make.type, "org.apache.nifi.processors.test.MakeTicket");
  EXPECT_EQ(make.path, "Make tickets");
  EXPECT_EQ(make.properties.at("Batch Size").value, "5");
  EXPECT_EQ(make.scheduling_period, "86400  sec");
  EXPECT_EQ(make.retry_count, 2);
  EXPECT_EQ(make.retried.count("success"), 1u);
  EXPECT_EQ(make.id, "0000000a-0001-3000-8000-000000013557");
  const ProcessorNode& send = root.processors[1];
  EXPECT_EQ(send.properties.at("Password").value, std::nullopt);
  EXPECT_EQ(send.auto_terminated.count("done"), 1u);
  EXPECT_EQ(send.annotation_data, "<rules/>");
  const ServiceNode* const service =
      find_service(result.flow, root, send.properties.at("Service").value.value());
  ASSERT_NE(service, nullptr);
  EXPECT_EQ(service->name, "Postbox");
  EXPECT_EQ(root.processors[2].scheduling, Scheduling::cron_driven);
  ASSERT_EQ(root.groups.size(), 1u);
  const Group& folding = root.groups[0];
  EXPECT_EQ(folding.processors[0].path, "Folding / Inner");
  EXPECT_EQ(folding.processors[0].state, RunState::disabled);
  ASSERT_EQ(root.connections.size(), 5u);
  const ConnectionNode& first = root.connections[0];
  EXPECT_EQ(first.from.id, make.id);
  EXPECT_EQ(first.to.id, send.id);
  EXPECT_EQ(first.backpressure_count, 0u);
  EXPECT_EQ(first.backpressure_size, "500 mb");
  EXPECT_THAT(first.prioritizers, ElementsAre("NewestFlowFileFirstPrioritizer"));
  EXPECT_EQ(root.connections[2].to.id, folding.ports[0].id);
  EXPECT_EQ(root.connections[3].from.id, folding.ports[1].id);
  EXPECT_EQ(root.connections[3].to.id, root.funnels[0].id);
  EXPECT_THAT(root.connections[3].relationships, IsEmpty());  // [""] in the file
  ASSERT_EQ(result.flow.parameter_contexts.size(), 1u);
  EXPECT_EQ(result.flow.parameter_contexts[0].parameters.at("street").value, "Mill Street");
  EXPECT_TRUE(result.flow.parameter_contexts[0].parameters.at("key").sensitive);
}

TEST(ReadFlow, FlowJson) {
  const ReadResult result = read(sample("nifi-flow.json"));
  expect_ticket_office(result);
  EXPECT_EQ(result.flow.form, Flow::Form::nifi_flow);
  EXPECT_EQ(result.flow.root.processors[0].state, RunState::running);
  EXPECT_EQ(result.flow.root.processors[0].place.line, 1u);
}

TEST(ReadFlow, GzipAndByteOrderMark) {
  expect_ticket_office(read(gzip(sample("nifi-flow.json"))));
  expect_ticket_office(read("\xEF\xBB\xBF" + sample("nifi-flow.json")));
}

TEST(ReadFlow, ExportedGroup) {
  const ReadResult result = read(sample("exported-group.json"));
  expect_ticket_office(result);
  EXPECT_EQ(result.flow.form, Flow::Form::exported_group);
  EXPECT_EQ(result.flow.external_services.begin()->second, "Far away");
}

TEST(ReadFlow, RegistrySnapshots) {
  const ReadResult result = read(sample("registry-model-3.snapshot"));
  expect_ticket_office(result);
  EXPECT_EQ(result.flow.form, Flow::Form::registry_snapshot);
  const ReadResult bare = read(sample("registry-model-2.snapshot"));
  EXPECT_EQ(bare.flow.form, Flow::Form::registry_snapshot);
  EXPECT_EQ(bare.flow.root.processors.size(), 3u);
}

TEST(ReadFlow, AListWithOneSnapshot) {
  expect_ticket_office(read(sample("list-of-one.json")));
}

TEST(ReadFlow, NiFi1WithoutLaterFields) {
  const ReadResult result = read(sample("nifi-1-flow.json"));
  EXPECT_THAT(test::texts(result.problems),
              ElementsAre(HasSubstr("warning: Make: EVENT_DRIVEN"),
                          HasSubstr("warning: Old: variables are gone")));
  const Group& root = result.flow.root;
  EXPECT_EQ(root.processors[0].scheduling, Scheduling::timer_driven);
  EXPECT_EQ(root.processors[0].retry_count, 10);
  EXPECT_EQ(root.processors[0].properties.at("Kind").value, std::nullopt);
  EXPECT_EQ(root.processors[0].run_duration_ms, std::nullopt);
  EXPECT_EQ(root.processors[0].id, root.processors[0].identifier);
  EXPECT_EQ(root.connections[0].to.id, root.processors[1].id);
}

TEST(ReadFlow, RepeatedIdentifiersResolveInTheirGroup) {
  const ReadResult result = read(sample("repeated-identifiers.json"));
  EXPECT_THAT(test::texts(result.problems), IsEmpty());
  const Group& root = result.flow.root;
  for (std::size_t i = 0; i < 2; ++i) {
    const Group& twin = root.groups[i];
    EXPECT_EQ(root.connections[i].to.id, twin.ports[0].id);
    EXPECT_EQ(twin.connections[0].to.id, twin.processors[0].id);
  }
  EXPECT_NE(root.groups[0].processors[0].id, root.groups[1].processors[0].id);
}

TEST(ReadFlow, RepeatedIdentifiersWithoutInstancesStillGiveUniqueIds) {
  std::string text = sample("repeated-identifiers.json");
  for (std::size_t at; (at = text.find("instanceIdentifier")) != std::string::npos;) {
    text.replace(at, 18, "ignored");
  }
  const ReadResult first = read(text), again = read(text);
  const auto& groups = first.flow.root.groups;
  EXPECT_NE(groups[0].processors[0].id, groups[1].processors[0].id);
  EXPECT_EQ(groups[1].processors[0].id, again.flow.root.groups[1].processors[0].id);
}

TEST(ReadFlow, ImitationsAreRefusedWithAReason) {
  EXPECT_THAT(refusal(sample("imitation-names.json")),
              ElementsAre(AllOf(HasSubstr("flow.json:13:19: error"), HasSubstr("imitation"),
                                HasSubstr("'source' of a connection is no object"))));
  EXPECT_THAT(refusal(sample("imitation-no-identifier.json")),
              ElementsAre(HasSubstr("a processor has no 'identifier'")));
  EXPECT_THAT(refusal(sample("imitation-xml.json")), ElementsAre(HasSubstr("flow.xml")));
  EXPECT_THAT(refusal("[]"), ElementsAre(HasSubstr("a list of 0 values")));
  EXPECT_THAT(refusal("7"), ElementsAre(HasSubstr("no JSON object")));
  EXPECT_THAT(refusal("{\"a\": 1}"), ElementsAre(HasSubstr("none of rootGroup")));
  EXPECT_THAT(refusal("{\"rootGroup\": 1}"), ElementsAre(HasSubstr("no object")));
  EXPECT_THAT(refusal("{\"content\": {\"a\": 1}}"), ElementsAre(HasSubstr("no process group")));
}

TEST(ReadFlow, SyntaxErrorsHaveAPlace) {
  EXPECT_THAT(refusal(""), ElementsAre("flow.json:1:1: error: the file is empty"));
  EXPECT_THAT(refusal("{\n  \"groups\": {},\n}"),
              ElementsAre(HasSubstr("flow.json:2:15: error: a comma before '}'")));
  EXPECT_THAT(refusal("{\n \"ü\": tru }"), ElementsAre(HasSubstr("flow.json:2:10: error: syntax")));
  EXPECT_THAT(refusal("{\"a\": \"x"), ElementsAre(HasSubstr("flow.json:1:")));
  EXPECT_THAT(refusal("{\"a\": \"\xff\"}"), ElementsAre(HasSubstr("flow.json:1:8: error")));
  EXPECT_THAT(refusal("{\"a\": 1e999}"), ElementsAre(HasSubstr("out of range")));
  EXPECT_THAT(refusal(gzip(sample("short.json")).substr(0, 100)),
              ElementsAre(HasSubstr("the gzip file ends too early")));
}

TEST(ReadFlow, DeepNestingIsRefused) {
  std::string text = "{\"processors\": ";
  for (int i = 0; i < 100000; ++i) text += "[";
  EXPECT_THAT(refusal(text), ElementsAre(HasSubstr("nested more than 200 levels")));
}

TEST(ReadFlow, AKeyGivenTwiceIsReported) {
  const ReadResult result =
      read("{\"processors\": {\"a\": {\"type\": \"X\"},\n \"a\": {\"type\": \"Y\"}}}");
  EXPECT_THAT(test::texts(result.problems),
              ElementsAre("flow.json:2:2: error: 'a' is given twice"));
  EXPECT_EQ(result.flow.root.processors.at(0).type, "Y");
}

TEST(ReadFlow, ValuesOfTheWrongKindAreAllReported) {
  std::string text = sample("nifi-1-flow.json");
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("\"penaltyDuration\": \"30 sec\"", "\"penaltyDuration\": 30");
  replace("\"TIMER_DRIVEN\"", "\"TIMER_DRIVE\"");
  replace("\"backPressureObjectThreshold\": 10000", "\"backPressureObjectThreshold\": -1");
  const ReadResult result = read(text);
  EXPECT_THAT(test::texts(result.problems),
              testing::IsSupersetOf(
                  {HasSubstr("Make: 'penaltyDuration' must be a text"),
                   HasSubstr("did you mean 'TIMER_DRIVEN'?"),
                   HasSubstr("'backPressureObjectThreshold' must be a whole number from 0 on")}));
  for (const Problem& problem : result.problems) EXPECT_FALSE(problem.component_id.empty());
}

TEST(Renames, AllKnownPairs) {
  EXPECT_EQ(property_renames().size(), 306u);
  EXPECT_EQ(renamed_property("org.apache.nifi.processors.standard.InvokeHTTP", "Remote URL"),
            "HTTP URL");
  EXPECT_EQ(renamed_property("ConvertRecord", "record-reader"), "Record Reader");
  EXPECT_EQ(renamed_property("ConvertRecord", "Record Reader"), "Record Reader");
  EXPECT_EQ(renamed_property("NoSuchType", "record-reader"), "record-reader");
  for (const PropertyRename& one : property_renames()) {
    EXPECT_NE(renamed_property(one.type, one.old_name), one.old_name) << one.type;
  }
}

}  // namespace
}  // namespace weir::flow
