// The provenance events of a session, as NiFi's session makes them.
#include "tests/engine/runtime/session_rig.h"

namespace weir::runtime::testing {
namespace {

using provenance::EventType;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Lines = std::vector<std::string>;

std::vector<std::string> uuids(const std::vector<flowfile::Uuid>& all) {
  std::vector<std::string> texts;
  for (const auto& uuid : all) texts.push_back(uuid.to_string());
  return texts;
}

struct Case {
  const char* name;
  std::function<void(ProcessSession&)> action;
  Lines expected;
};

std::vector<Case> cases() {
  static const Relationship a{"a", ""};
  return {
      {"passing on", [](ProcessSession& s) { s.transfer(s.get(), "a"); }, {}},
      {"removal", [](ProcessSession& s) { s.remove(s.get()); }, {"DROP"}},
      {"removal with a reason",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         s.put_attribute(f, "discard.reason", "too old");
         s.remove(f);
       },
       {"DROP too old"}},
      {"auto-termination",
       [](ProcessSession& s) { s.transfer(s.get(), "b"); },
       {"DROP Auto-Terminated by b Relationship"}},
      {"attributes",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         s.put_attribute(f, "k", "v");
         s.transfer(f, "a");
       },
       {"ATTRIBUTES_MODIFIED"}},
      {"content and attributes",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         s.put_attribute(f, "k", "v");
         write_text(s, f, "new");
         s.transfer(f, "a");
       },
       {"CONTENT_MODIFIED"}},
      {"content, then dropped",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         write_text(s, f, "new");
         s.remove(f);
       },
       {"DROP"}},
      {"content, then auto-terminated",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         write_text(s, f, "new");
         s.transfer(f, "b");
       },
       {"CONTENT_MODIFIED", "DROP Auto-Terminated by b Relationship"}},
      {"reported content",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         write_text(s, f, "new");
         s.provenance().modify_content(f, "by hand", 5);
         s.transfer(f, "a");
       },
       {"CONTENT_MODIFIED by hand"}},
      {"route tells the attributes as well",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         s.put_attribute(f, "k", "v");
         s.provenance().route(f, a, "rule 1");
         s.transfer(f, "a");
       },
       {"ROUTE rule 1"}},
      {"route does not tell the content",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         write_text(s, f, "new");
         s.provenance().route(f, a);
         s.transfer(f, "a");
       },
       {"ROUTE", "CONTENT_MODIFIED"}},
      {"send",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         s.put_attribute(f, "k", "v");
         s.provenance().send(f, "file:/x");
         s.transfer(f, "a");
       },
       {"SEND"}},
      {"info",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         s.put_attribute(f, "k", "v");
         s.provenance().add_info(f, "noted");
         s.transfer(f, "a");
       },
       {"ADDINFO noted"}},
      {"fetch into a queued FlowFile",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         write_text(s, f, "new");
         s.provenance().fetch(f, "file:/x");
         s.transfer(f, "a");
       },
       {"FETCH", "CONTENT_MODIFIED"}},
      {"creation",
       [](ProcessSession& s) {
         const FlowFile f = s.create();
         write_text(s, f, "new");
         s.put_attribute(f, "k", "v");
         s.transfer(f, "a");
       },
       {"CREATE"}},
      {"creation, then auto-terminated",
       [](ProcessSession& s) { s.transfer(s.create(), "b"); },
       {"CREATE", "DROP Auto-Terminated by b Relationship"}},
      {"receipt",
       [](ProcessSession& s) {
         const FlowFile f = s.create();
         write_text(s, f, "new");
         s.provenance().receive(f, "file:/x", "read");
         s.transfer(f, "a");
       },
       {"RECEIVE read"}},
      {"made and removed",
       [](ProcessSession& s) {
         const FlowFile f = s.create();
         s.provenance().receive(f, "file:/x");
         write_text(s, f, "new");
         s.remove(f);
       },
       {}},
      {"a clone made and removed",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         s.remove(s.clone(f));
         s.transfer(f, "a");
       },
       {}},
      {"several ranges are one fork",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         write_text(s, f, "0123456789");
         for (std::uint64_t i = 0; i < 3; ++i) s.transfer(s.clone(f, i, 3), "a");
         s.remove(f);
       },
       {"FORK", "DROP"}},
      {"an explicit fork takes the place of the automatic one",
       [](ProcessSession& s) {
         const FlowFile f = s.get();
         const FlowFile children[] = {s.create(f), s.create(f)};
         s.provenance().fork(f, children, "two");
         for (const FlowFile& child : children) s.transfer(child, "a");
         s.remove(f);
       },
       {"FORK two", "DROP"}},
  };
}

TEST(SessionEvents, AreTheOnesOfNiFi) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    SessionRig rig;
    rig.feed(1);
    rig.trigger(one.action);
    EXPECT_EQ(rig.event_lines(), one.expected);
    EXPECT_THAT(rig.engine.messages(), IsEmpty());
  }
}

TEST(SessionEvents, ForkNamesParentAndLivingChildren) {
  SessionRig rig;
  rig.feed(1);
  std::string parent;
  Lines children;
  rig.trigger([&](ProcessSession& session) {
    const FlowFile from = session.get();
    parent = from.uuid();
    const FlowFile first = session.create(from);
    const FlowFile other = session.create();
    const FlowFile second = session.create(from);
    session.remove(session.create(from));
    session.remove(other);
    children = {first.uuid(), second.uuid()};
    session.transfer(first, "a");
    session.transfer(second, "a");
    session.put_attribute(from, "k", "v");  // told by the FORK
    session.transfer(from, "a");
  });
  const auto events = rig.events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].type, EventType::fork);
  EXPECT_EQ(events[0].flow_file.to_string(), parent);
  EXPECT_EQ(uuids(events[0].parents), Lines{parent});
  EXPECT_EQ(uuids(events[0].children), children);
}

TEST(SessionEvents, JoinNamesAllParents) {
  SessionRig rig;
  rig.feed(2);
  Lines parents;
  std::string child;
  rig.trigger([&](ProcessSession& session) {
    const std::vector<FlowFile> both = session.get(2);
    for (const FlowFile& one : both) parents.push_back(one.uuid());
    const FlowFile joined = session.create(both);
    write_text(session, joined, "joined");
    child = joined.uuid();
    session.transfer(joined, "a");
    for (const FlowFile& one : both) session.remove(one);
  });
  const auto events = rig.events();
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(events[0].type, EventType::join);
  EXPECT_EQ(events[0].flow_file.to_string(), child);
  EXPECT_EQ(uuids(events[0].parents), parents);
  EXPECT_EQ(uuids(events[0].children), Lines{child});
  EXPECT_EQ(events[0].content_after.length, 6u);
  EXPECT_EQ(events[1].type, EventType::drop);
  EXPECT_EQ(events[2].type, EventType::drop);
}

TEST(SessionEvents, CloneNamesBoth) {
  SessionRig rig;
  rig.feed(1);
  Lines both;
  rig.trigger([&](ProcessSession& session) {
    const FlowFile original = session.get();
    const FlowFile copy = session.clone(original);
    both = {original.uuid(), copy.uuid()};
    session.transfer(original, "a");
    session.transfer(copy, "a");
  });
  const auto events = rig.events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].type, EventType::clone);
  EXPECT_EQ(uuids(events[0].parents), Lines{both[0]});
  EXPECT_EQ(uuids(events[0].children), Lines{both[1]});
}

TEST(SessionEvents, TellStateBeforeAndAfter) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile flow_file = session.get();
    session.put_attribute(flow_file, "k", "v");
    write_text(session, flow_file, "changed");
    session.transfer(flow_file, "a");
  });
  const auto events = rig.events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].attributes_before->find("k"), nullptr);
  EXPECT_EQ(*events[0].attributes_after->find("k"), "v");
  EXPECT_EQ(events[0].content_before.length, 1u);
  EXPECT_EQ(events[0].content_after.length, 7u);
  EXPECT_EQ(events[0].component.type, "Custom");
  EXPECT_EQ(events[0].component.name, "custom");
  EXPECT_FALSE(events[0].source_queue.empty());
}

TEST(SessionEvents, ReceiveTellsWhereFromAndHowLong) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile made = session.create();
    write_text(session, made, "12345");
    session.provenance().receive(made, "file:/in/x", "details", 17);
    session.transfer(made, "a");
  });
  const auto events = rig.events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].transit_uri, "file:/in/x");
  EXPECT_EQ(events[0].duration_ms, 17);
  EXPECT_EQ(events[0].content_before.length, 0u);
  EXPECT_EQ(events[0].content_after.length, 5u);
}

TEST(SessionEvents, ExpirationTellsTheThreshold) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"},
                   "sink": {"type": "Sink", "state": "stopped"}},
    "connections": [{"from": "source.success", "to": "sink", "name": "q", "expiration": "10 sec"}]
  })");
  engine.notes.to_generate = 25;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return engine.queued("q") == 25; }));
  EXPECT_TRUE(engine.run_until([&] { return engine.queued("q") == 0; }));
  provenance::Query query;
  query.type = EventType::expire;
  const auto expired = engine.controller->provenance().query(query).events;
  ASSERT_THAT(expired, SizeIs(25));
  EXPECT_EQ(expired[0].details, "Expiration Threshold = 10 sec");
  EXPECT_TRUE(engine.notes.seen.empty());
}

TEST(SessionEvents, NoneOfASessionThatFailed) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile flow_file = session.get();
    session.provenance().send(flow_file, "file:/x");
    session.remove(flow_file);
    throw ProcessException("after all not");
  });
  EXPECT_THAT(rig.events(), IsEmpty());
}

TEST(SessionEvents, RouteToItsOwnQueueTellsNothing) {
  Engine engine;
  engine.load(R"({
    "processors": {"source": {"type": "Source"},
                   "custom": {"type": "Custom", "autoTerminate": ["b"]}},
    "connections": [{"from": "source.success", "to": "loop", "name": "in"},
                    {"from": "custom.a", "to": "loop", "name": "again"},
                    {"from": "loop", "to": "custom", "name": "q"}],
    "funnels": ["loop"]
  })");
  static const Relationship a{"a", ""};
  int routed = 0;
  engine.notes.trigger = [&](ProcessContext&, ProcessSession& session) {
    const FlowFile flow_file = session.get();
    if (!flow_file) return;
    if (++routed > 3) return session.remove(flow_file);
    session.provenance().route(flow_file, a);
    session.transfer(flow_file, a);
  };
  engine.notes.to_generate = 1;
  engine.start();
  EXPECT_TRUE(engine.run_until([&] { return routed == 4; }));
  engine.simulation.run_ready();
  provenance::Query query;
  query.type = EventType::route;
  // Through a funnel it comes from another queue than it was routed to.
  EXPECT_THAT(engine.controller->provenance().query(query).events, SizeIs(3));
}

}  // namespace
}  // namespace weir::runtime::testing
