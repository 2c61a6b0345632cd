#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/expression/node.h"

namespace weir::expression {

// Into what a subject or an argument is converted before a function sees it.
enum class As : std::uint8_t { text, whole, number, decimal, boolean, date, instant, any, json };

// Where a function may stand.
enum class Place : std::uint8_t { on_subject, alone, both };

constexpr std::size_t most_arguments = 7;
constexpr std::size_t any_number = 1u << 16;

// Prepares one constant argument. The error makes an expression invalid where the argument is a
// literal; otherwise the function meets the fault again when it is evaluated.
using Prepare =
    std::expected<std::unique_ptr<const PreparedData>, std::string> (*)(const Value& argument);

// One function of the Expression Language.
struct Function {
  std::string_view name;
  Type result;
  Value (*run)(const Call& call, Evaluation& evaluation);
  std::size_t least = 0;
  std::size_t most = 0;
  std::array<As, most_arguments> arguments = {};  // behind the last one it repeats
  As subject = As::text;
  Place place = Place::on_subject;
  std::array<Prepare, 2> prepare = {};
  // A literal that is wrong makes the expression invalid (else it fails when evaluated).
  bool checks_literals = false;
  bool reduces = false;
  bool dates = false;          // the first argument is a date pattern
  bool exact_subject = false;  // the subject must have the type, it is not converted

  As argument(std::size_t index) const {
    return arguments[index < most_arguments ? index : most_arguments - 1];
  }
};

// The functions, sorted by name. Those that run over several attributes are not among them.
std::span<const Function> functions();
const Function* find_function(std::string_view name);
// A name that may not stand unquoted for an attribute.
bool is_keyword(std::string_view name);

// What toDate and toInstant are where the subject is no text or no pattern is given.
const Function& date_of_number();
const Function& instant_of_number();

// By group, each in a file of its own.
std::span<const Function> string_functions();
std::span<const Function> search_functions();
std::span<const Function> boolean_functions();
std::span<const Function> encode_functions();
std::span<const Function> regex_functions();
std::span<const Function> math_functions();
std::span<const Function> date_functions();
std::span<const Function> json_functions();
std::span<const Function> standalone_functions();
std::span<const Function> reduce_functions();

}  // namespace weir::expression
