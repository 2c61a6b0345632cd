#include "processors/text/line_router.h"

#include <algorithm>
#include <charconv>

#include "processors/text/text_blocks.h"

namespace weir::processors {
namespace {

constexpr std::size_t longest_line = 16u << 20;
// Groups may be many: no more streams than this stay open, and what all gather is bounded.
constexpr std::size_t most_open = 200;
constexpr std::size_t most_gathered_bytes = 32u << 20;

const std::string unmatched_name = "unmatched";
const std::string matched_name = "matched";

}  // namespace

void LineRouter::Target::add(std::string_view lines) {
  if (pending.data() + pending.size() == lines.data()) {
    pending = {pending.data(), pending.size() + lines.size()};
    return;
  }
  settle();
  pending = lines;
}

void LineRouter::Target::settle() {
  if (!pending.empty()) output.write(pending);
  pending = {};
}

LineRouter::LineRouter(const RouteRules& rules, LineConditions& conditions, ProcessSession& session,
                       const FlowFile& original)
    : rules_(rules),
      conditions_(conditions),
      session_(session),
      original_(original),
      unmatched_(conditions.size()),
      matched_(conditions.size() + 1),
      of_route_(conditions.size() + 2),
      next_(conditions.size()) {}

const std::string& LineRouter::relationship(std::size_t route) const {
  if (route == unmatched_) return unmatched_name;
  return route == matched_ ? matched_name : conditions_.name(route);
}

void LineRouter::route(InputStream& in) {
  TextBlocks blocks(in, *rules_.character_set, longest_line);
  for (std::string_view block = blocks.next(); !block.empty(); block = blocks.next()) {
    route_block(block);
    settle();
  }
}

void LineRouter::route_block(std::string_view block) {
  if (conditions_.can_search() && !rules_.grouping && search_block(block)) return;
  LineCursor cursor(block);
  for (TextLine line; cursor.next(line);) route_line(line);
}

// Jumps from one place where a condition holds to the next: lines between them are not looked at.
bool LineRouter::search_block(std::string_view block) {
  const auto text = conditions_.searchable(block);
  if (!text) return false;
  for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = conditions_.search(i, *text, 0);
  for (std::size_t at = 0; at < block.size();) {
    const std::size_t found = *std::ranges::min_element(next_);
    if (found == std::string_view::npos) {
      send(unmatched_, block.substr(at));
      return true;
    }
    const std::size_t before = block.substr(at, found - at).find_last_of("\r\n");
    const std::size_t start = before == std::string_view::npos ? at : at + before + 1;
    if (start > at) send(unmatched_, block.substr(at, start - at));
    const std::string_view line = block.substr(start, first_line_length(block.substr(start)));
    const std::size_t end = start + line.size();
    std::size_t holding = 0;
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (next_[i] >= end) continue;
      ++holding;
      if (rules_.strategy == RoutingStrategy::by_name) send(i, line);
      next_[i] = conditions_.search(i, *text, end);
    }
    if (rules_.strategy != RoutingStrategy::by_name) {
      const bool is_match =
          rules_.strategy == RoutingStrategy::any_condition || holding == next_.size();
      send(is_match ? matched_ : unmatched_, line);
    }
    at = end;
  }
  return true;
}

void LineRouter::route_line(const TextLine& line) {
  conditions_.set_line(line);
  group_is_known_ = false;
  std::size_t holding = 0;
  std::size_t asked = 0;
  for (; asked < conditions_.size(); ++asked) {
    const bool holds = conditions_.holds(asked);
    if (holds) ++holding;
    if (rules_.strategy == RoutingStrategy::by_name) {
      if (holds) send(asked, line.text);
    } else if (holds == (rules_.strategy == RoutingStrategy::any_condition)) {
      break;
    }
  }
  if (rules_.strategy == RoutingStrategy::by_name) {
    if (holding == 0) send(unmatched_, line.text);
    return;
  }
  const bool is_match = rules_.strategy == RoutingStrategy::any_condition
                            ? holding > 0
                            : holding == conditions_.size();
  send(is_match ? matched_ : unmatched_, line.text);
}

void LineRouter::send(std::size_t route, std::string_view lines) {
  if (route == unmatched_ && rules_.drops_unmatched) return;
  if (route == matched_ && rules_.drops_matched) return;
  target(route).add(lines);
}

// The key tells groups apart whose values only look alike once they are joined.
void LineRouter::find_group() {
  group_is_known_ = true;
  group_key_.clear();
  group_text_.clear();
  if (!rules_.grouping->matches(conditions_.seen(), group_match_)) return;
  for (std::size_t i = 1; i <= group_match_.group_count(); ++i) {
    if (i > 1) group_text_ += ", ";
    if (!group_match_.participated(i)) {
      group_key_ += "-,";
      continue;
    }
    const std::string_view value = group_match_.group(i);
    group_key_.append(std::to_string(value.size())).append(":");
    group_key_ += value;
    group_text_ += value;
  }
}

LineRouter::Target& LineRouter::target(std::size_t route) {
  if (!rules_.grouping) {
    if (!of_route_[route]) of_route_[route] = &make_target(route, "");
    return *of_route_[route];
  }
  if (!group_is_known_) find_group();
  target_key_.assign(std::to_string(route)).append("/").append(group_key_);
  Target*& found = of_group_[target_key_];
  if (!found) found = &make_target(route, group_text_);
  return *found;
}

LineRouter::Target& LineRouter::make_target(std::size_t route, std::string group) {
  return targets_.emplace_back(
      route, std::move(group),
      TextOutput(session_, session_.create(original_), *rules_.character_set));
}

void LineRouter::settle() {
  std::size_t gathered = 0;
  std::size_t open = 0;
  for (Target& target : targets_) {
    target.settle();
    gathered += target.output.gathered_bytes();
    if (target.output.is_open()) ++open;
  }
  const bool is_full = gathered > most_gathered_bytes;
  if (open + (is_full ? targets_.size() : 0) <= most_open) return;
  for (Target& target : targets_) {
    if (is_full || target.output.is_open()) target.output.pause();
  }
}

void LineRouter::transfer() {
  for (Target& target : targets_) {
    target.output.close();
    const FlowFile& made = target.output.flow_file();
    const flowfile::Attributes::Entry attributes[] = {
        {"RouteText.Route", relationship(target.route)}, {"RouteText.Group", target.group}};
    session_.put_attributes(made, attributes);
    session_.provenance().route(made, Relationship{.name = relationship(target.route)});
    session_.transfer(made, relationship(target.route));
  }
}

void LineRouter::discard() {
  while (!targets_.empty()) {
    const FlowFile made = targets_.back().output.flow_file();
    targets_.pop_back();
    session_.remove(made);
  }
}

}  // namespace weir::processors
