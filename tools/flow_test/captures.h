#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/flow_controller.h"
#include "tools/flow_test/mock.h"

namespace weir::flow_test {

// The whole content of a FlowFile. Throws StorageError.
std::string read_content(content::ContentRepository& contents,
                         const flowfile::FlowFileRecord& record);

// Counts the FlowFiles of each relationship and keeps those of the watched ones, with their
// contents as they were.
class Captures : public runtime::RouteObserver {
 public:
  using Key = std::pair<std::string, std::string>;  // component id, relationship

  void watch(Key key) { watched_.insert(std::move(key)); }
  // Where contents are read; null while no engine is there.
  void set_contents(content::ContentRepository* contents) { contents_ = contents; }

  void routed(const std::string& component_id, const std::string& relationship,
              const flowfile::FlowFilePtr& flow_file) override;

  const std::vector<Seen>& seen(const Key& key) const;
  const std::map<Key, std::uint64_t>& counts() const { return counts_; }

 private:
  std::set<Key> watched_;
  std::map<Key, std::uint64_t> counts_;
  std::map<Key, std::vector<Seen>> seen_;
  content::ContentRepository* contents_ = nullptr;
};

}  // namespace weir::flow_test
