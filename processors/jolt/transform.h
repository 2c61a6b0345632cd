#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "engine/api/error.h"
#include "engine/json/value.h"

// Jolt: JSON transforms written in JSON.
namespace weir::jolt {

// A document that a transform cannot handle, or that would grow without bound.
class TransformError : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

enum class Operation {
  shift,
  chain,
  default_values,
  remove,
  cardinality,
  sort,
  modify_default,
  modify_overwrite,
  modify_define,
};

// One application of a program: where its values live, and how many it may still write.
struct Run {
  json::Arena& arena;
  std::uint64_t values_left;
};

// One compiled operation. Thread safe.
class Transform {
 public:
  virtual ~Transform() = default;
  // Changes `document` to the result. Throws TransformError; the document is then of no use.
  virtual void apply(json::Value& document, Run& run) const = 0;
};

struct SpecProblem {
  std::string place;  // "/0/spec/rating/*", or where the text is no JSON; empty: as a whole
  std::string message;
};

// A specification ready for use. Thread safe.
class Program {
 public:
  // `sort` does not look at the text. Comments are allowed in it, as Jolt allows them.
  static std::expected<std::shared_ptr<const Program>, SpecProblem> compile(Operation operation,
                                                                            std::string text);
  // Changes `document` to the result, which lives in `arena` as well and refers to this program.
  // Throws TransformError; the document is then of no use.
  void apply(json::Value& document, json::Arena& arena) const;

 private:
  explicit Program(std::string text) : text_(std::move(text)) {}

  std::string text_;
  json::Arena arena_;
  std::unique_ptr<const Transform> transform_;
  std::uint64_t steps_ = 1;  // operations of a chain
};

// The text with comments of both kinds blanked, so that positions stay.
std::string without_comments(std::string_view text);

// What keeps a transform's result bounded, whatever spec and data say.
// Values that may be written: so many, and some for each value of the document.
inline constexpr std::uint64_t free_values = 4'000'000;
inline constexpr std::uint64_t values_a_value = 16;
inline constexpr std::size_t most_elements = 1'000'000;  // an array grows to for an index
inline constexpr int deepest_level = 1'000;              // of objects and arrays in each other
inline constexpr std::size_t longest_path = 200;         // steps of one path in a spec

}  // namespace weir::jolt
