#include <fmt/format.h>

#include "tools/common/text.h"
#include "tools/weirctl/event_output.h"
#include "tools/weirctl/lineage_output.h"

namespace weir::tools {
namespace {

constexpr int kBoxWidth = 190, kBoxHeight = 58, kGapX = 60, kGapY = 18, kMargin = 20;
constexpr std::size_t kShownCharacters = 26;

std::string escaped(std::string_view text, bool for_dot) {
  std::string out;
  for (const char c : text) {
    if (for_dot) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string shortened(const std::string& text) {
  if (shown_width(text) <= kShownCharacters) return text;
  std::size_t bytes = 0;
  for (std::size_t shown = 0; shown < kShownCharacters - 1; ++shown) {
    do ++bytes;
    while ((static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80);
  }
  return text.substr(0, bytes) + "…";
}

struct Position {
  int column = 0;
  int row = 0;
};

// An event stands one column behind the last of those it follows from, and near them.
std::vector<Position> lay_out(const provenance::Lineage& lineage) {
  std::vector<std::vector<std::size_t>> before(lineage.events.size());
  for (const auto& edge : lineage.edges) before[edge.to].push_back(edge.from);
  std::vector<Position> places(lineage.events.size());
  std::vector<int> used;                             // rows of each column
  for (std::size_t i = 0; i < places.size(); ++i) {  // oldest first, so origins have their place
    for (const std::size_t from : before[i]) {
      if (from >= i) continue;
      places[i].column = std::max(places[i].column, places[from].column + 1);
      places[i].row = std::max(places[i].row, places[from].row);
    }
    if (before[i].size() > 1) places[i].row /= 2;  // where branches meet: in their middle
    const auto column = static_cast<std::size_t>(places[i].column);
    if (used.size() <= column) used.resize(column + 1, 0);
    places[i].row = std::max(places[i].row, used[column]);
    used[column] = places[i].row + 1;
  }
  return places;
}

int left(const Position& place) {
  return kMargin + place.column * (kBoxWidth + kGapX);
}
int top(const Position& place) {
  return kMargin + place.row * (kBoxHeight + kGapY);
}

std::string edge_path(const Position& from, const Position& to) {
  const int x1 = left(from) + kBoxWidth, y1 = top(from) + kBoxHeight / 2;
  const int x2 = left(to), y2 = top(to) + kBoxHeight / 2;
  return fmt::format("<path d=\"M{} {} C{} {} {} {} {} {}\" fill=\"none\" stroke=\"#8a94a0\"/>\n",
                     x1, y1, x1 + kGapX / 2, y1, x2 - kGapX / 2, y2, x2, y2);
}

std::string event_box(const provenance::StoredEvent& event, const Position& place) {
  const int x = left(place), y = top(place);
  const auto text = [&](int line, const char* style, const std::string& shown) {
    return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", x + 9, y + 18 + line * 16, style,
                       escaped(shortened(shown), false));
  };
  return fmt::format(
             "<g><title>event {} of FlowFile {}</title>\n"
             "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"#f4f7fa\" "
             "stroke=\"#4a6785\"/>\n",
             event.id, event.flow_file.to_string(), x, y, kBoxWidth, kBoxHeight) +
         text(0, "font-weight=\"bold\"", event_title(event)) + text(1, "", event_filename(event)) +
         text(2, "fill=\"#667\"", format_time(event.time_ms)) + "</g>\n";
}

}  // namespace

std::string lineage_dot(const provenance::Lineage& lineage) {
  std::string out = "digraph lineage {\n  rankdir=LR;\n  node [shape=box, fontname=sans];\n";
  for (const auto& event : lineage.events) {
    out += fmt::format("  e{} [label=\"{}\\n{}\\n{}\"];\n", event.id,
                       escaped(event_title(event), true), escaped(event_filename(event), true),
                       format_time(event.time_ms));
  }
  for (const auto& edge : lineage.edges) {
    out += fmt::format("  e{} -> e{} [tooltip=\"{}\"];\n", lineage.events[edge.from].id,
                       lineage.events[edge.to].id, edge.flow_file.to_string());
  }
  return out + "}\n";
}

std::string lineage_svg(const provenance::Lineage& lineage) {
  const std::vector<Position> places = lay_out(lineage);
  Position most;
  for (const Position& place : places) {
    most.column = std::max(most.column, place.column);
    most.row = std::max(most.row, place.row);
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n",
      left(most) + kBoxWidth + kMargin, top(most) + kBoxHeight + kMargin);
  for (const auto& edge : lineage.edges) out += edge_path(places[edge.from], places[edge.to]);
  for (std::size_t i = 0; i < places.size(); ++i) out += event_box(lineage.events[i], places[i]);
  return out + "</svg>\n";
}

}  // namespace weir::tools
