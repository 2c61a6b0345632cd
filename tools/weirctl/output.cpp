#include "tools/weirctl/output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/common/terminal.h"
#include "tools/common/text.h"

namespace weir::tools {
namespace {

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - std::min(width, shown_width(cell)), ' ');
  return right ? space + cell : cell + space;
}

}  // namespace

Output::Output(bool json) : json_(json), colours_(use_colours(stdout)) {}

void Output::line(std::string_view text) const {
  fmt::print("{}\n", text);
}

void Output::object(const nlohmann::ordered_json& object) const {
  line(object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string Output::paint(std::string_view colour, std::string_view text) const {
  if (!colours_ || colour.empty()) return std::string(text);
  return fmt::format("{}{}{}", colour, text, colour::reset);
}

void Table::print(const Output& output) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = shown_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, shown_width(row[i]));
    widths.push_back(width);
  }
  // The last column is not padded: long names must not fill lines with space.
  const auto joined = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool last = i + 1 == columns_.size();
      if (last && !columns_[i].right) {
        text += cell_of(i);
      } else {
        text += padded(cell_of(i), widths[i], columns_[i].right) + (last ? "" : "  ");
      }
    }
    return text.substr(0, text.find_last_not_of(' ') + 1);
  };
  output.line(output.paint(colour::bold, joined([&](std::size_t i) -> const std::string& {
                             return columns_[i].title;
                           })));
  for (const auto& row : rows_) {
    output.line(joined([&](std::size_t i) -> const std::string& { return row[i]; }));
  }
}

void Details::add(std::string name, std::string value) {
  lines_.emplace_back(std::move(name), std::move(value));
}

void Details::print(const Output& output, std::string_view indent) const {
  std::size_t width = 0;
  for (const auto& [name, value] : lines_) width = std::max(width, shown_width(name));
  for (const auto& [name, value] : lines_) {
    output.line(fmt::format("{}{}  {}", indent,
                            output.paint(colour::dim, padded(name, width, false)), value));
  }
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", one);
  return fmt::format("{} {}", with_thousands(count),
                     many.empty() ? std::string(one) + "s" : std::string(many));
}

}  // namespace weir::tools
