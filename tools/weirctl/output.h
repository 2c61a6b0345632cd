#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace weir::tools {

// What a command prints on standard output: aligned text for people, or with `--json` one object
// a line for programs.
class Output {
 public:
  explicit Output(bool json);

  bool json() const { return json_; }
  void line(std::string_view text) const;
  void object(const nlohmann::ordered_json& object) const;
  // The text in a colour (of tools/common/terminal.h), where standard output takes colours.
  std::string paint(std::string_view colour, std::string_view text) const;

 private:
  bool json_;
  bool colours_;
};

// Rows with aligned columns. Cells are shown as they are: text of others goes through
// `printable` first.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  void print(const Output& output) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Names and values, one below the other.
class Details {
 public:
  void add(std::string name, std::string value);
  void print(const Output& output, std::string_view indent = "") const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

// "1 FlowFile", "2 FlowFiles", "1,000 FlowFiles".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {});

}  // namespace weir::tools
