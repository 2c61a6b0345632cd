#pragma once

#include <string>
#include <string_view>

#include "engine/json/path_cursor.h"
#include "engine/json/path_program.h"

namespace weir::json {

// The first thing that went wrong. Everything returns false from there on.
struct CompileFailure {
  bool is_set = false;
  PathError error;

  // An offset before the beginning is that of the $ that was left out.
  bool set(std::ptrdiff_t offset, std::string message);
};

// Paths nest within filters and functions; what is shared by all of one JSONPath.
struct CompileState {
  Arena& arena;
  CompileFailure failure = {};
  int depth = 0;
};

// Compiles one path: the whole, or one within a filter or a function's parameters.
class PathCompiler {
 public:
  static constexpr int most_depth = 64;  // of paths within paths
  static constexpr std::size_t most_tokens = 1000;

  // `offset`: where `text` stands in the whole path.
  PathCompiler(std::string_view text, std::ptrdiff_t offset, CompileState& state)
      : path_(text), offset_(offset), state_(state) {}

  // As it stands in a JSONPath or a filter: a missing $ is put before it.
  static bool compile_whole(std::string_view text, std::ptrdiff_t offset, CompileState& state,
                            Program& program);
  // Must begin with $ or @.
  bool compile(Program& program);

 private:
  bool fail(std::string message) { return fail_at(path_.position(), std::move(message)); }
  bool fail_at(std::size_t position, std::string message) {
    return state_.failure.set(inside(position), std::move(message));
  }

  std::ptrdiff_t inside(std::size_t position) const {
    return offset_ + static_cast<std::ptrdiff_t>(position);
  }
  bool read_tokens();
  bool read_token();
  bool read_dot();
  bool read_name_or_function();
  bool read_function(std::size_t begin, std::size_t parenthesis);
  bool read_parameters(std::string_view name, std::vector<Parameter>& parameters);
  bool add_parameter(std::string_view text, std::size_t begin, char type,
                     std::vector<Parameter>& parameters);
  bool read_bracket();
  bool read_quoted_names(char quote);
  bool read_wildcard_in_brackets();
  bool read_indexes(bool& is_read);
  bool add_indexes(std::string_view expression);
  bool add_slice(std::string_view expression);
  bool read_filter();
  void finish(Program& program);
  static void turn_scan_into_parameter(Program& program);

  PathCursor path_;
  std::ptrdiff_t offset_;
  CompileState& state_;
  std::vector<Token> tokens_;
};

// "[?(...)]": the text between the brackets' ends, both included.
bool compile_filter(std::string_view text, std::ptrdiff_t offset, CompileState& state,
                    Expression& expression);

// Jayway's escapes within quotes: \n, \u0041, and a backslash before anything else drops out.
bool unescape(std::string_view text, std::string& out);

}  // namespace weir::json
