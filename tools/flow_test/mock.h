#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/processor.h"
#include "tools/flow_test/flow_test.h"

namespace weir::flow_test {

// A FlowFile as it was when it took a relationship, arrived at a mock, or waits in a queue.
struct Seen {
  std::string content;
  flowfile::AttributesPtr attributes;
};

// What a mocked sink does and has got. Lives as long as the test: a restart of the engine finds
// the outside world as it was.
struct MockedSink {
  std::string relationship;           // empty: what arrives ends here
  std::vector<FlowFileText> sent_on;  // what becomes of the n-th; the last holds for all after it
  std::function<std::string(std::string)> expand;  // {{dir}}
  std::vector<Seen> arrived;
  std::size_t taken = 0;
};

// The declaration of a processor that stands for another one with these relationships. `sink` is
// null where it is a source, which never runs: the test sends on its behalf.
std::unique_ptr<ProcessorDefinition> make_mock_definition(std::string type,
                                                          std::vector<std::string> relationships,
                                                          std::shared_ptr<MockedSink> sink);

}  // namespace weir::flow_test
