#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/component.h"
#include "processors/kafka/mirror/mirror_record.h"

namespace weir::processors::kafka {

// Filters, changes or multiplies records on their way (KIP-3). Called by several threads at once,
// by one at a time for the records of one partition, in their order. It should not block.
//
// A record that it gives out goes to the topic and partition that stand in it: a target topic that
// does not exist is created with as many partitions as the source's topic has.
class MirrorMessageHandler {
 public:
  virtual ~MirrorMessageHandler() = default;
  // Appends what becomes of `record`; nothing where it is filtered out. What it throws (a
  // std::exception) fails this record alone: see FailureRule.
  virtual void handle(MirrorRecord record, std::vector<MirrorRecord>& out) = 0;
  // Whether topics of the target bear the names they have in the source, so that they can be
  // created and grown before a record comes.
  virtual bool keeps_topic_names() const { return false; }
};

// Handlers by name, for the property "Message Handler". Thread safe. "identity" (no handler at
// all: records are not even unpacked) and "expression" are there from the beginning; a C++ author
// adds further ones before a flow is loaded.
using MirrorMessageHandlerFactory =
    std::function<std::unique_ptr<MirrorMessageHandler>(const PropertyContext&)>;
void register_mirror_message_handler(const std::string& name, MirrorMessageHandlerFactory make);
// Null for "identity". Throws ProcessException where nobody has the name.
std::unique_ptr<MirrorMessageHandler> make_mirror_message_handler(const std::string& name,
                                                                  const PropertyContext& context);
std::vector<std::string> mirror_message_handlers();  // names, sorted

inline constexpr const char* kIdentityHandler = "identity";
inline constexpr const char* kExpressionHandler = "expression";

}  // namespace weir::processors::kafka
