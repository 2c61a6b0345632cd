#include "tests/engine/runtime/session_rig.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace weir::runtime::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Texts = std::vector<std::string>;

TEST(Session, NewFlowFilesHaveNamePathAndUuid) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile made = session.create();
    EXPECT_EQ(made.attribute("filename"), made.uuid());
    EXPECT_EQ(made.attribute("path"), "./");
    EXPECT_EQ(made.size(), 0u);
    session.remove(made);
    session.remove(session.get());
  });
  EXPECT_EQ(rig.engine.queued("in"), 0u);
}

TEST(Session, ChildrenInheritAndJoinedOnesShare) {
  SessionRig rig;
  rig.feed(2);
  rig.trigger([](ProcessSession& session) {
    const std::vector<FlowFile> both = session.get(2);
    ASSERT_EQ(both.size(), 2u);
    session.put_attribute(both[0], "same", "1");
    session.put_attribute(both[1], "same", "1");
    session.put_attribute(both[0], "other", "1");
    session.put_attribute(both[1], "other", "2");
    session.put_attribute(both[0], "discard.reason", "mine alone");
    const FlowFile child = session.create(both[0]);
    EXPECT_EQ(child.attribute("other"), "1");
    EXPECT_EQ(child.find_attribute("discard.reason"), nullptr);
    EXPECT_NE(child.uuid(), both[0].uuid());
    const FlowFile joined = session.create(both);
    EXPECT_EQ(joined.attribute("same"), "1");
    EXPECT_EQ(joined.find_attribute("other"), nullptr);
    EXPECT_EQ(joined.attribute("filename"), joined.uuid());
    for (const FlowFile& one : {both[0], both[1], child, joined}) session.transfer(one, "b");
  });
  EXPECT_THAT(rig.engine.messages(), IsEmpty());
}

TEST(Session, RangesShareTheBytes) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile original = session.get();
    write_text(session, original, "hello world");
    const FlowFile world = session.clone(original, 6, 5);
    EXPECT_EQ(session.read(world)->read_all(), "world");
    EXPECT_THROW(session.clone(original, 6, 6), FlowFileHandlingError);
    const FlowFile part = session.create(original);
    session.share_content(part, original, 0, 5);
    EXPECT_THROW(session.share_content(part, original, UINT64_MAX, 2), FlowFileHandlingError);
    for (const FlowFile& one : {original, world, part}) session.transfer(one, "a");
  });
  EXPECT_EQ(rig.sent(), (Texts{"hello world", "world", "hello"}));
}

TEST(Session, SeveralStreamsAppendAndOwnWritesAreRead) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    session.remove(session.get());
    const FlowFile one = session.create();
    const FlowFile two = session.create();
    {
      const auto first = session.write(one);
      const auto second = session.write(two);
      first->write("1a");
      second->write("2a");
      first->write("1b");
      EXPECT_EQ(second->written(), 2u);
      first->close();
      second->close();
    }
    EXPECT_EQ(session.read(one)->read_all(), "1a1b");
    const auto more = session.append(one);
    more->write("+");
    more->close();
    EXPECT_EQ(session.read(one)->read_all(), "1a1b+");
    EXPECT_EQ(one.size(), 5u);
    session.transfer(one, "a");
    session.transfer(two, "a");
  });
  EXPECT_EQ(rig.sent(), (Texts{"1a1b+", "2a"}));
}

TEST(Session, AStreamThatIsNotClosedChangesNothing) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile flow_file = session.get();
    session.write(flow_file)->write("given up");
    EXPECT_THROW(session.write(flow_file,
                               [](OutputStream& out) {
                                 out.write("half");
                                 throw ProcessException("no more");
                               }),
                 ProcessException);
    EXPECT_EQ(session.read(flow_file)->read_all(), "0");
    session.transfer(flow_file, "a");
  });
  EXPECT_EQ(rig.sent(), Texts{"0"});
}

TEST(Session, CommitWithAnOpenStreamIsRefused) {
  SessionRig rig;
  rig.feed(1);
  std::unique_ptr<OutputStream> kept;
  rig.trigger([&](ProcessSession& session) {
    const FlowFile flow_file = session.get();
    kept = session.write(flow_file);
    session.transfer(flow_file, "a");
  });
  EXPECT_THAT(rig.engine.messages(), Contains(HasSubstr("output stream is open")));
  EXPECT_EQ(rig.engine.queued("in"), 1u);
  kept.reset();
}

TEST(Session, ImportsAndExportsFiles) {
  SessionRig rig;
  rig.feed(1);
  {
    const auto file =
        rig.engine.files.open_append("/source", storage::FileSystem::Create::truncate);
    const std::string text = "from a file";
    file->append(std::as_bytes(std::span(text.data(), text.size())));
  }
  std::FILE* const out = std::tmpfile();
  ASSERT_NE(out, nullptr);
  rig.trigger([&](ProcessSession& session) {
    const FlowFile flow_file = session.get();
    session.import_from("/source", flow_file);
    session.export_to(flow_file, ::fileno(out));
    EXPECT_THROW(session.import_from("/nowhere", flow_file), storage::IoError);
    session.transfer(flow_file, "a");
  });
  std::string exported(64, '\0');
  exported.resize(static_cast<std::size_t>(::pread(::fileno(out), exported.data(), 64, 0)));
  std::fclose(out);
  EXPECT_EQ(exported, "from a file");
  EXPECT_EQ(rig.sent(), Texts{"from a file"});
}

TEST(Session, UuidCannotBeChanged) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile flow_file = session.get();
    EXPECT_THROW(session.put_attribute(flow_file, "uuid", "x"), FlowFileHandlingError);
    const std::string names[] = {"uuid"};
    EXPECT_THROW(session.remove_attributes(flow_file, names), FlowFileHandlingError);
    session.put_attribute(flow_file, "k", "v");
    const std::string other[] = {"k"};
    session.remove_attributes(flow_file, other);
    EXPECT_EQ(flow_file.find_attribute("k"), nullptr);
    session.remove(flow_file);
  });
}

TEST(Session, TransferTwiceTheLastWins) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile flow_file = session.get();
    session.transfer(flow_file, "b");
    session.transfer(flow_file, "a");
    EXPECT_THROW(session.transfer(flow_file, "nowhere"), FlowFileHandlingError);
  });
  EXPECT_EQ(rig.engine.queued("a"), 1u);
}

TEST(Session, FlowFilesOfOthersAreRefused) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    EXPECT_THROW(session.remove(FlowFile()), FlowFileHandlingError);
    session.remove(session.get());
  });
  SessionRig other("Keeper");
  other.feed(2);
  bool done = false;
  other.engine.notes.trigger_with = [&](ProcessContext&, ProcessSessionFactory& sessions) {
    if (done) return;
    done = true;
    const auto one = sessions.create_session();
    const auto two = sessions.create_session();
    const FlowFile flow_file = one->get();
    EXPECT_THROW(two->transfer(flow_file, "a"), FlowFileHandlingError);
    const FlowFile moved[] = {flow_file};
    one->migrate(*two, moved);
    EXPECT_THROW(one->transfer(flow_file, "a"), FlowFileHandlingError);
    two->transfer(flow_file, "a");
    one->commit();
    two->commit();
  };
  EXPECT_TRUE(other.engine.run_until([&] { return other.engine.queued("a") == 1; }));
  EXPECT_EQ(other.engine.queued("in"), 1u);
}

TEST(Session, MigratingHalfOfAFamilyIsRefused) {
  SessionRig rig("Keeper");
  rig.feed(1);
  bool done = false;
  rig.engine.notes.trigger_with = [&](ProcessContext&, ProcessSessionFactory& sessions) {
    if (done) return;
    done = true;
    const auto one = sessions.create_session();
    const auto two = sessions.create_session();
    const FlowFile parent = one->get();
    const FlowFile child = one->create(parent);
    const FlowFile alone[] = {child};
    EXPECT_THROW(one->migrate(*two, alone), FlowFileHandlingError);
    const FlowFile both[] = {parent, child};
    one->migrate(*two, both);
    two->transfer(child, "a");
    two->remove(parent);
    two->commit();
    one->commit();
  };
  EXPECT_TRUE(rig.engine.run_until([&] { return rig.engine.queued("a") == 1; }));
  EXPECT_THAT(rig.event_lines(), ElementsAre("FORK", "DROP"));
}

TEST(Session, RollbackLeavesNoTrace) {
  SessionRig rig;
  rig.feed(3);
  rig.trigger([](ProcessSession& session) {
    const auto three = session.get(3);
    session.put_attribute(three[1], "changed", "yes");
    write_text(session, three[2], "changed");
    session.transfer(session.create(three[0]), "a");
    session.after_commit([] { ADD_FAILURE() << "was not committed"; });
    session.rollback();
  });
  EXPECT_THAT(rig.events(), IsEmpty());
  EXPECT_EQ(rig.engine.queued("in"), 3u);
  rig.trigger([](ProcessSession& session) {
    for (const FlowFile& flow_file : session.get(10)) {
      EXPECT_EQ(flow_file.find_attribute("changed"), nullptr);
      session.transfer(flow_file, "a");
    }
  });
  EXPECT_EQ(rig.sent(), (Texts{"0", "1", "2"}));
}

// R042: of a batch good, bad, good the third was in no queue after the rollback.
TEST(Session, ABatchWithABadOneIsBackInOrder) {
  SessionRig rig;
  rig.feed(3);
  rig.trigger([](ProcessSession& session) {
    int n = 0;
    for (const FlowFile& flow_file : session.get(3)) {
      if (++n == 2) throw ProcessException("bad");
      session.transfer(flow_file, "a");
    }
  });
  EXPECT_EQ(rig.engine.queued("in"), 3u);
  EXPECT_EQ(rig.engine.queued("a"), 0u);
  rig.engine.simulation.advance(seconds(5));  // the penalty
  rig.trigger([](ProcessSession& session) {
    for (const FlowFile& flow_file : session.get(3)) session.transfer(flow_file, "a");
  });
  EXPECT_EQ(rig.sent(), (Texts{"0", "1", "2"}));
}

TEST(Session, FailureOfTheThirdTriggerKeepsTheFirstTwo) {
  SessionRig rig("Batch");
  rig.engine.controller->stop_component(rig.engine.component("custom").id, seconds(1));
  int triggers = 0;
  rig.engine.notes.trigger = [&](ProcessContext&, ProcessSession& session) {
    const FlowFile flow_file = session.get();
    if (++triggers == 3) throw ProcessException("the third");
    if (flow_file) session.transfer(flow_file, "a");
  };
  rig.feed(3);
  rig.engine.controller->start_component(rig.engine.component("custom").id);
  EXPECT_TRUE(rig.engine.run_until([&] { return triggers == 3; }, seconds(1)));
  rig.engine.simulation.run_ready();
  EXPECT_EQ(rig.engine.queued("a"), 2u);
  EXPECT_EQ(rig.engine.queued("in"), 1u);
  EXPECT_EQ(rig.sent(), (Texts{"0", "1"}));
}

TEST(Session, AfterCommitActionsRunInOrderAndMayFail) {
  SessionRig rig;
  rig.feed(1);
  Texts ran;
  rig.trigger([&](ProcessSession& session) {
    session.transfer(session.get(), "a");
    session.after_commit([&] { ran.push_back("one"); });
    session.after_commit([] { throw ProcessException("after all"); });
    session.after_commit([&] { ran.push_back("three"); });
    EXPECT_TRUE(ran.empty());
  });
  EXPECT_EQ(ran, (Texts{"one", "three"}));
  EXPECT_EQ(rig.engine.queued("a"), 1u);
  EXPECT_THAT(rig.engine.messages(), Contains(HasSubstr("after all")));
}

// R016: a clone made and removed in one session lowered a count that it had never raised.
TEST(Session, RemovedClonesDoNotTakeContentAway) {
  SessionRig rig;
  rig.feed(1);
  for (int i = 0; i < 50; ++i) {
    rig.trigger([](ProcessSession& session) {
      const FlowFile flow_file = session.get();
      ASSERT_TRUE(flow_file);
      session.remove(session.clone(flow_file));
      session.transfer_to_source(flow_file);
    });
    rig.engine.controller->maintain(true);
  }
  rig.engine.kill_and_open();
  rig.engine.load(rig.engine.flow_text);
  rig.engine.start();
  rig.trigger([](ProcessSession& session) { session.transfer(session.get(), "a"); });
  EXPECT_EQ(rig.sent(), Texts{"0"});
}

// R039: terminating a processor that kept a session open left its FlowFiles held for ever.
TEST(Session, KeptSessionsAreRolledBackByStopAndTerminate) {
  for (const bool terminate : {false, true}) {
    SessionRig rig("Keeper");
    std::shared_ptr<ProcessSession> kept;
    rig.engine.notes.trigger_with = [&](ProcessContext&, ProcessSessionFactory& sessions) {
      if (kept) return;
      kept = sessions.create_session();
      EXPECT_TRUE(kept->get());
    };
    rig.feed(2);
    EXPECT_TRUE(rig.engine.run_until([&] { return kept != nullptr; }));
    const std::string id = rig.engine.component("custom").id;
    if (terminate) {
      rig.engine.controller->terminate_component(id);
    } else {
      EXPECT_TRUE(rig.engine.controller->stop_component(id, seconds(1)));
    }
    EXPECT_THROW(kept->commit(), ProcessException);
    rig.engine.notes.trigger_with = [](ProcessContext&, ProcessSessionFactory& sessions) {
      const auto session = sessions.create_session();
      for (const FlowFile& flow_file : session->get(10)) session->transfer(flow_file, "a");
      session->commit();
    };
    rig.engine.controller->start_component(id);
    EXPECT_TRUE(rig.engine.run_until([&] { return rig.engine.queued("a") == 2; }, seconds(1)));
    EXPECT_EQ(rig.sent(), (Texts{"0", "1"}));
  }
}

TEST(Session, CountersAddUpWhatWasCommitted) {
  SessionRig rig;
  rig.feed(2);
  rig.trigger([](ProcessSession& session) {
    session.remove(session.get());
    session.adjust_counter("seen", 3);
    session.adjust_counter("seen", -1);
  });
  rig.trigger([](ProcessSession& session) {
    session.adjust_counter("seen", 100);
    throw ProcessException("not this time");
  });
  const auto counters = rig.engine.component("custom").counters;
  EXPECT_EQ(counters, (std::map<std::string, std::int64_t>{{"seen", 2}}));
}

TEST(Session, QueuedCountsWhatWaits) {
  SessionRig rig;
  rig.feed(3);
  rig.trigger([](ProcessSession& session) {
    EXPECT_EQ(session.queued(), 3u);
    session.remove(session.get());
    EXPECT_EQ(session.queued(), 2u);
    const auto chosen = session.get(
        [](const flowfile::FlowFileRecord&) { return FilterDecision::accept_and_stop; });
    EXPECT_EQ(chosen.size(), 1u);
    session.remove(chosen[0]);
  });
  EXPECT_EQ(rig.engine.queued("in"), 1u);
}

TEST(Session, PenalizedFlowFilesWaitWhereTheyAreSent) {
  SessionRig rig;
  rig.feed(1);
  rig.trigger([](ProcessSession& session) {
    const FlowFile flow_file = session.get();
    session.penalize(flow_file);
    session.transfer(flow_file, "a");
  });
  const std::int64_t before_ms = rig.engine.simulation.now_ms();
  EXPECT_EQ(rig.sent(), Texts{"0"});
  EXPECT_GE(rig.engine.simulation.now_ms() - before_ms, 4900);
}

}  // namespace
}  // namespace weir::runtime::testing
