#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "engine/json/value.h"

namespace weir::json {

struct PathError {
  std::size_t offset = 0;  // bytes into the path
  std::string message;
};

// Why a path could not be read or changed.
struct EvaluationError {
  enum class Reason {
    not_found,  // no such element
    invalid,    // what the path asks cannot be done here: min() of no numbers, set of the root
    limit,      // more than `JsonPath::most_steps` or `most_results`, or an exploding pattern
  };
  Reason reason = Reason::not_found;
  std::string message;
};

// A JSONPath in Jayway's dialect, compiled once. Cheap to copy; thread safe.
//
//   $ @ .name ..name ['a','b'] .* [*] [0] [-1] [0,2] [1:3] [-2:] [:2] [?(...)] and functions:
//   length() size() min() max() avg() sum() stddev() keys() concat() append() first() last()
//   index(n)
//
// A path without a leading $ begins at the root. In filters: == === != !== < <= > >= =~ in nin
// subsetof anyof noneof all size empty contains && || ! and existence, with @ for the element,
// $ for the document, and literals ('text', "text", 1.5, true, null, [..], {..}, /regex/i).
//
// A definite path (names and single indexes only) gives the one element or `not_found`; any other
// gives an array of what it found, empty where there is nothing.
//
// One evaluation visits at most `most_steps` values and gathers at most `most_results`: more is
// the error `limit`, never a hang.
class JsonPath {
 public:
  static constexpr std::uint64_t most_steps = 100'000'000;
  static constexpr std::uint64_t most_results = 16'000'000;

  static std::expected<JsonPath, PathError> compile(std::string_view text);

  bool is_definite() const;
  const std::string& text() const;  // as it was given
  std::string normalized() const;   // "$['a'][0]"

  // What the path finds, good as long as document, arena and path are. New arrays and numbers are
  // made in `arena`; the document does not change.
  std::expected<Value, EvaluationError> read(const Value& root, Arena& arena) const;

  // Change the document in place, at every place that the path finds.
  using Changed = std::expected<void, EvaluationError>;
  Changed set(const Value& root, const Value& value, Arena& arena) const;
  Changed add(const Value& root, const Value& value, Arena& arena) const;  // to arrays
  Changed put(const Value& root, std::string_view key, const Value& value, Arena& arena) const;
  Changed remove(const Value& root, Arena& arena) const;

 private:
  struct Compiled;

  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace weir::json
