#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/api/error.h"
#include "engine/expression/expression.h"

namespace weir::expression {

// A clock and a source of randomness that stand still.
class StillClock final : public Clock {
 public:
  std::int64_t now_ms() const override { return 1'700'000'000'123; }
  std::int64_t steady_ns() const override { return 0; }
};
class Sequence final : public Random {
 public:
  std::uint64_t next() override { return next_ += 0x9E3779B97F4A7C15; }

 private:
  std::uint64_t next_ = 0;
};

class MapParameters final : public Parameters {
 public:
  explicit MapParameters(std::map<std::string, Parameter, std::less<>> parameters)
      : parameters_(std::move(parameters)) {}
  const Parameter* find(std::string_view name) const override {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? nullptr : &found->second;
  }

 private:
  const std::map<std::string, Parameter, std::less<>> parameters_;
};

using Names = std::map<std::string, std::string, std::less<>>;

// Prepares and evaluates texts against names and parameters.
class Bench {
 public:
  explicit Bench(Names names = {}, std::map<std::string, Parameter, std::less<>> parameters = {})
      : names_(std::move(names)), parameters_(std::move(parameters)) {}

  const Environment& environment() const { return environment_; }
  std::expected<Prepared, Error> prepare(std::string_view text) const {
    return expression::prepare(text, ExpressionScope::flow_file_attributes, environment_);
  }
  // The value, or "invalid: ..." with the position, or "failed: ...".
  std::string evaluate(std::string_view text) const {
    const auto prepared = prepare(text);
    if (!prepared) {
      return "invalid at " + std::to_string(prepared.error().offset) + ": " +
             prepared.error().message;
    }
    if (!prepared->expression) return prepared->text;
    try {
      std::string out;
      prepared->expression->evaluate({.variables = &names_}, out);
      return out;
    } catch (const ProcessException& failure) {
      return std::string("failed: ") + failure.what();
    }
  }

 private:
  const Names names_;
  const MapParameters parameters_;
  mutable StillClock clock_;
  mutable Sequence random_;
  const Environment environment_{.clock = clock_, .random = random_, .parameters = &parameters_};
};

}  // namespace weir::expression
