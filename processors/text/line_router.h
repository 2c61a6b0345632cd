#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/api/pattern.h"
#include "engine/api/process_session.h"
#include "processors/text/line_conditions.h"
#include "processors/text/text_output.h"

namespace weir::processors {

enum class RoutingStrategy { by_name, all_conditions, any_condition };

struct RouteRules {
  RoutingStrategy strategy = RoutingStrategy::by_name;
  const text::CharacterSet* character_set = nullptr;
  std::optional<Pattern> grouping = {};
  // Nobody gets these lines: they are not written.
  bool drops_matched = false;
  bool drops_unmatched = false;
};

// Gives each line of one FlowFile to the FlowFiles that RouteText makes of it, one a
// relationship and group. Lines next to each other that go the same way are written with one
// write.
class LineRouter {
 public:
  LineRouter(const RouteRules& rules, LineConditions& conditions, ProcessSession& session,
             const FlowFile& original);

  // Throws LineTooLong, PatternLimitExceeded.
  void route(InputStream& in);
  void transfer();  // what was made, with its attributes
  void discard();   // removes what was made

 private:
  struct Target {
    std::size_t route;
    std::string group;  // as it stands in the attribute
    TextOutput output;
    std::string_view pending = {};  // lines of the current block that are not written yet

    void add(std::string_view lines);
    void settle();
  };

  void route_block(std::string_view block);
  bool search_block(std::string_view block);
  void route_line(const TextLine& line);
  void send(std::size_t route, std::string_view lines);
  Target& target(std::size_t route);
  Target& make_target(std::size_t route, std::string group);
  void find_group();
  void settle();
  const std::string& relationship(std::size_t route) const;

  const RouteRules& rules_;
  LineConditions& conditions_;
  ProcessSession& session_;
  const FlowFile original_;
  // Routes: a condition's index, then these two.
  const std::size_t unmatched_;
  const std::size_t matched_;

  std::deque<Target> targets_;
  std::vector<Target*> of_route_;  // without grouping
  std::unordered_map<std::string, Target*> of_group_;
  std::vector<std::size_t> next_;  // for each condition, where it holds next in the block
  Match group_match_;
  bool group_is_known_ = false;
  std::string group_key_;
  std::string group_text_;
  std::string target_key_;
};

}  // namespace weir::processors
