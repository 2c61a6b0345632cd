#pragma once

namespace weir::flow_test {

// The group and all below it, the outer ones first.
template <typename Group, typename Visit>
void each_group(Group& group, const Visit& visit) {
  visit(group);
  for (auto& child : group.groups) each_group(child, visit);
}

}  // namespace weir::flow_test
