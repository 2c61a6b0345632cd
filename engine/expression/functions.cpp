#include "engine/expression/functions.h"

#include <algorithm>
#include <vector>

#include "engine/expression/loop.h"

namespace weir::expression {
namespace {

std::vector<Function> all_functions() {
  std::vector<Function> all;
  for (const auto group :
       {string_functions(), search_functions(), boolean_functions(), encode_functions(),
        regex_functions(), math_functions(), date_functions(), json_functions(),
        standalone_functions(), reduce_functions()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  std::ranges::sort(all, {}, &Function::name);
  return all;
}

}  // namespace

std::span<const Function> functions() {
  static const std::vector<Function> all = all_functions();
  return all;
}

const Function* find_function(std::string_view name) {
  const auto all = functions();
  const auto found = std::ranges::lower_bound(all, name, {}, &Function::name);
  return found != all.end() && found->name == name ? &*found : nullptr;
}

bool is_keyword(std::string_view name) {
  return name == "true" || name == "false" || name == "null" || loop_kind(name) ||
         find_function(name);
}

}  // namespace weir::expression
