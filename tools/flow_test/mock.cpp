#include "tools/flow_test/mock.h"

namespace weir::flow_test {
namespace {

constexpr std::size_t kBatch = 100;

class MockProcessor : public Processor {
 public:
  explicit MockProcessor(std::shared_ptr<MockedSink> sink) : sink_(std::move(sink)) {}

  void on_trigger(ProcessContext&, ProcessSession& session) override {
    if (!sink_) return;
    for (const FlowFile& flow_file : session.get(kBatch)) {
      Seen seen{session.read(flow_file)->read_all(), flow_file.record().attributes};
      session.after_commit(
          [sink = sink_, seen = std::move(seen)] { sink->arrived.push_back(seen); });
      send_on(session, flow_file);
    }
  }

 private:
  void send_on(ProcessSession& session, const FlowFile& flow_file) {
    const std::size_t number = ++sink_->taken;
    std::string relationship = sink_->relationship;
    if (!sink_->sent_on.empty()) {
      const auto& given = sink_->sent_on[std::min(number, sink_->sent_on.size()) - 1];
      const FlowFileText made = given.numbered(number);
      for (const auto& [name, value] : made.attributes) {
        session.put_attribute(flow_file, name, sink_->expand(value.text));
      }
      if (made.content) {
        session.write(flow_file,
                      [&](OutputStream& out) { out.write(sink_->expand(*made.content)); });
      }
      if (!made.relationship.empty()) relationship = made.relationship;
    }
    if (relationship.empty()) {
      session.remove(flow_file);
    } else {
      session.transfer(flow_file, relationship);
    }
  }

  const std::shared_ptr<MockedSink> sink_;
};

}  // namespace

std::unique_ptr<ProcessorDefinition> make_mock_definition(std::string type,
                                                          std::vector<std::string> relationships,
                                                          std::shared_ptr<MockedSink> sink) {
  auto definition = std::make_unique<ProcessorDefinition>();
  definition->type = std::move(type);
  definition->summary = "Stands for another processor in a flow test.";
  for (std::string& name : relationships) {
    definition->relationships.push_back({std::move(name), ""});
  }
  definition->trigger_serially = true;
  definition->make = [sink] { return std::make_unique<MockProcessor>(sink); };
  return definition;
}

}  // namespace weir::flow_test
