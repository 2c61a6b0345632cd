#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/pattern.h"
#include "engine/json/big_decimal.h"
#include "engine/json/path.h"

// What a JSONPath is compiled to. Only for the files of the compiler and the evaluator.
namespace weir::json {

struct Expression;
struct Program;

enum class Function {
  unknown,
  length,
  min,
  max,
  avg,
  sum,
  stddev,
  keys,
  concat,
  append,
  first,
  last,
  index,
};

struct Parameter {
  std::unique_ptr<Program> path;  // null: `json` is the value
  std::optional<Value> json;      // nullopt: the text is not JSON
};

struct Slice {
  std::optional<std::int32_t> from;
  std::optional<std::int32_t> to;
};

struct Token {
  enum class Type { property, wildcard, scan, index, slice, filter, function };

  Type type = Type::wildcard;
  std::vector<std::string> names = {};     // property: several are ['a','b']; of a function its own
  std::vector<std::int32_t> indexes = {};  // index
  Slice slice = {};
  std::unique_ptr<Expression> filter = {};
  Function function = Function::unknown;
  std::vector<Parameter> parameters = {};

  bool is_leaf = false;
  bool is_upstream_definite = true;  // all tokens before it name one element
  bool is_definite() const;
};

struct Program {
  char root = '$';  // or '@'
  std::vector<Token> tokens;
  bool is_definite = true;
  // Names and single indexes only, one after the other: no need for the whole evaluator.
  bool is_simple = true;

  bool ends_with_function() const {
    return !tokens.empty() && tokens.back().type == Token::Type::function;
  }
};

// One side of a comparison within a filter.
struct Operand {
  enum class Type { null, boolean, number, string, json, pattern, path };

  Type type = Type::null;
  bool boolean = false;
  std::string text = {};  // of a string, or a number as written
  std::optional<BigDecimal> number = {};
  std::optional<double> short_number = {};  // where a double is as good as `number`
  std::optional<Value> json = {};           // nullopt: the literal is malformed
  std::optional<Pattern> pattern = {};
  std::unique_ptr<Program> path = {};
  bool is_exists_check = false;
  bool should_exist = true;
};

enum class Operator {
  exists,
  equal,
  not_equal,
  strictly_equal,
  not_strictly_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  matches,
  in,
  not_in,
  contains,
  all,
  size,
  empty,
  subset_of,
  any_of,
  none_of,
  never,  // TYPE and MATCHES, which no literal can be an operand of
};

struct Expression {
  enum class Type { relation, all_of, one_of, negation };

  Type type = Type::relation;
  Operand left = {};
  Operator operation = Operator::exists;
  Operand right = {};
  std::vector<Expression> parts = {};
};

struct JsonPath::Compiled {
  std::string text;
  Arena arena;  // literals live here
  Program program;
};

}  // namespace weir::json
