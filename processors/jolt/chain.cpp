#include <fmt/format.h>

#include <array>
#include <optional>

#include "processors/jolt/spec.h"

// chain: operations one after the other.
namespace weir::jolt {
namespace {

struct Name {
  std::string_view short_name;
  std::string_view class_name;  // accepted as well, without its package
  Operation operation;
};

constexpr std::array names = {
    Name{"shift", "Shiftr", Operation::shift},
    Name{"default", "Defaultr", Operation::default_values},
    Name{"remove", "Removr", Operation::remove},
    Name{"sort", "Sortr", Operation::sort},
    Name{"cardinality", "CardinalityTransform", Operation::cardinality},
    Name{"modify-overwrite-beta", "Modifier$Overwritr", Operation::modify_overwrite},
    Name{"modify-default-beta", "Modifier$Defaultr", Operation::modify_default},
    Name{"modify-define-beta", "Modifier$Definr", Operation::modify_define},
};

std::optional<Operation> find_operation(std::string_view text) {
  constexpr std::string_view package = "com.bazaarvoice.jolt.";
  for (const Name& name : names) {
    if (text == name.short_name) return name.operation;
    if (text.starts_with(package) && text.substr(package.size()) == name.class_name) {
      return name.operation;
    }
  }
  return std::nullopt;
}

class Chain : public Transform {
 public:
  Chain(const Place& place, const json::Value& spec) {
    if (!spec.is_array()) throw SpecError(place, "a chain must be an array of operations");
    if (spec.size() == 0) throw SpecError(place, "the chain is empty");
    std::size_t index = 0;
    for (const json::Value& entry : spec.items()) {
      const std::string key = std::to_string(index++);
      steps_.push_back(compile_entry(place.below(key), entry));
    }
  }

  void apply(json::Value& document, Run& run) const override {
    for (const TransformPtr& step : steps_) step->apply(document, run);
  }

 private:
  static TransformPtr compile_entry(const Place& place, const json::Value& entry) {
    if (!entry.is_object()) throw SpecError(place, "an operation of a chain must be an object");
    const json::Value* const operation = entry.find("operation");
    if (!operation || !operation->is_string()) {
      throw SpecError(place, "\"operation\" must name an operation");
    }
    const auto found = find_operation(operation->as_text());
    if (!found) {
      throw SpecError(place.below("operation"),
                      fmt::format("\"{}\" is no operation; there are shift, default, remove, sort, "
                                  "cardinality, modify-overwrite-beta, modify-default-beta and "
                                  "modify-define-beta",
                                  operation->as_text()));
    }
    const json::Value* const spec = entry.find("spec");
    return compile_operation(*found, place.below("spec"), spec ? *spec : json::Value());
  }

  std::vector<TransformPtr> steps_;
};

}  // namespace

TransformPtr compile_chain(const Place& place, const json::Value& spec) {
  return std::make_unique<Chain>(place, spec);
}

}  // namespace weir::jolt
