#include <algorithm>

#include "engine/text/java_case.h"
#include "processors/jolt/spec.h"
#include "processors/jolt/values.h"

// sort: the members of each object by their names, those that begin with ~ first.
namespace weir::jolt {
namespace {

bool comes_first(const json::Member& a, const json::Member& b) {
  const bool tilde_a = a.name.starts_with('~');
  const bool tilde_b = b.name.starts_with('~');
  if (tilde_a != tilde_b) return tilde_a;
  return text::compare(a.name, b.name) < 0;
}

// Depth is bounded by what the parser and the other operations let through.
Value sorted(const Value& value, Arena& arena) {
  if (value.is_array()) {
    Value out = Value::array(arena, value.size());
    for (const Value& item : value.items()) out.push_back(arena, sorted(item, arena));
    return out;
  }
  if (!value.is_object()) return value;
  std::vector<json::Member> members(value.members().begin(), value.members().end());
  std::ranges::stable_sort(members, comes_first);
  Value out = Value::object(arena, members.size());
  for (const json::Member& member : members) {
    out.set(arena, member.name, sorted(member.value, arena));
  }
  return out;
}

class Sort : public Transform {
 public:
  void apply(Value& document, Run& run) const override { document = sorted(document, run.arena); }
};

}  // namespace

TransformPtr compile_sort() {
  return std::make_unique<Sort>();
}

}  // namespace weir::jolt
