#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "processors/jolt/transform.h"

// What the compilers of the operations share.
namespace weir::jolt {

// Where in a spec a key stands. Lives on the stack of the compiler that walks down the spec.
struct Place {
  const Place* parent = nullptr;
  std::string_view key = {};

  Place below(std::string_view child) const { return {this, child}; }
  std::string text() const;  // a JSON pointer: "/rating/*"
};

// Thrown while a spec is compiled, caught by Program::compile alone.
class SpecError : public std::runtime_error {
 public:
  SpecError(const Place& place, const std::string& message)
      : std::runtime_error(message), place_(place.text()) {}
  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

using TransformPtr = std::unique_ptr<const Transform>;

TransformPtr compile_shift(const Place& place, const json::Value& spec);
TransformPtr compile_default(const Place& place, const json::Value& spec);
TransformPtr compile_remove(const Place& place, const json::Value& spec);
TransformPtr compile_cardinality(const Place& place, const json::Value& spec);
TransformPtr compile_sort();
TransformPtr compile_modify(Operation operation, const Place& place, const json::Value& spec);
TransformPtr compile_chain(const Place& place, const json::Value& spec);
TransformPtr compile_operation(Operation operation, const Place& place, const json::Value& spec);

// The spec as an object; all operations but `default` need one.
const json::Value& object_spec(const Place& place, const json::Value& spec);

// The keys that "a|b" stands for, as Java's split gives them: nothing for what is empty at the end.
std::vector<std::string_view> alternatives(std::string_view key);

}  // namespace weir::jolt
