#include <fmt/format.h>

#include "tools/common/terminal.h"
#include "tools/common/text.h"
#include "tools/weirctl/event_output.h"
#include "tools/weirctl/lineage_output.h"

namespace weir::tools {
namespace {

class TreePrinter {
 public:
  TreePrinter(const Output& output, const provenance::Lineage& lineage)
      : output_(output), lineage_(lineage), next_(lineage.events.size()) {
    waiting_.resize(lineage.events.size());
    for (const auto& edge : lineage.edges) {
      next_[edge.from].push_back(edge.to);
      ++waiting_[edge.to];
    }
    printed_.resize(lineage.events.size());
  }

  void print() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (waiting_[i] == 0 && !printed_[i]) chain(i, "", "");
    }
    // Only a damaged store has events that wait for each other.
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (!printed_[i]) chain(i, "", "");
    }
  }

 private:
  // Prints the event and what follows it. `first` stands before its line, `rest` before others.
  void chain(std::size_t at, std::string first, const std::string& rest) {
    for (;;) {
      event(at, first);
      first = rest;
      const auto& followers = next_[at];
      if (followers.size() != 1) break;
      if (!arrive(followers[0], first)) return;
      at = followers[0];
    }
    const auto& followers = next_[at];
    for (std::size_t i = 0; i < followers.size(); ++i) {
      const bool last = i + 1 == followers.size();
      const std::string head = rest + (last ? "└─ " : "├─ ");
      if (arrive(followers[i], head)) chain(followers[i], head, rest + (last ? "   " : "│  "));
    }
  }

  // False where other branches lead to the event and were not printed yet, or it was printed.
  bool arrive(std::size_t at, const std::string& before) {
    if (waiting_[at] > 0) --waiting_[at];
    if (waiting_[at] == 0 && !printed_[at]) return true;
    output_.line(before +
                 output_.paint(colour::dim, fmt::format("→ event {}  {}", lineage_.events[at].id,
                                                        event_title(lineage_.events[at]))));
    return false;
  }

  void event(std::size_t at, const std::string& before) {
    printed_[at] = true;
    const auto& event = lineage_.events[at];
    std::string text = before;
    text += output_.paint(colour::cyan, provenance::to_string(event.type));
    text += "  " + output_.paint(colour::bold, printable(event.component.name));
    if (!event.relationship.empty()) text += " to " + printable(event.relationship);
    text += "  " + event_filename(event);
    text +=
        output_.paint(colour::dim, fmt::format("  {}  {}  event {}", event.flow_file.to_string(),
                                               format_time(event.time_ms), event.id));
    output_.line(text);
  }

  const Output& output_;
  const provenance::Lineage& lineage_;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<std::size_t> waiting_;  // edges to the event whose origin was not printed yet
  std::vector<bool> printed_;
};

}  // namespace

void print_lineage_tree(const Output& output, const provenance::Lineage& lineage) {
  TreePrinter(output, lineage).print();
}

}  // namespace weir::tools
