#include "processors/kafka/mirror/mirror_message_handler.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "processors/kafka/mirror/mirror_expression_handler.h"

namespace weir::processors::kafka {
namespace {

struct Handlers {
  std::mutex mutex;
  std::map<std::string, MirrorMessageHandlerFactory> by_name;  // guarded by it
};

Handlers& handlers() {
  static Handlers all{
      .mutex = {},
      .by_name = {
          {kIdentityHandler,
           [](const PropertyContext&) -> std::unique_ptr<MirrorMessageHandler> { return nullptr; }},
          {kExpressionHandler, &make_expression_handler}}};
  return all;
}

}  // namespace

void register_mirror_message_handler(const std::string& name, MirrorMessageHandlerFactory make) {
  const std::lock_guard lock(handlers().mutex);
  handlers().by_name[name] = std::move(make);
}

std::unique_ptr<MirrorMessageHandler> make_mirror_message_handler(const std::string& name,
                                                                  const PropertyContext& context) {
  MirrorMessageHandlerFactory make;
  {
    const std::lock_guard lock(handlers().mutex);
    const auto found = handlers().by_name.find(name);
    if (found == handlers().by_name.end()) {
      throw ProcessException(fmt::format("There is no message handler '{}'", name));
    }
    make = found->second;
  }
  return make(context);
}

std::vector<std::string> mirror_message_handlers() {
  const std::lock_guard lock(handlers().mutex);
  std::vector<std::string> names;
  for (const auto& [name, make] : handlers().by_name) names.push_back(name);
  return names;
}

}  // namespace weir::processors::kafka
