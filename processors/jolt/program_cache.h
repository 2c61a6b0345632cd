#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "processors/jolt/transform.h"

namespace weir::jolt {

// The programs that were used last, by the text of their specification, for specifications that
// differ from FlowFile to FlowFile. Thread safe.
class ProgramCache {
 public:
  explicit ProgramCache(std::size_t capacity) : capacity_(capacity) {}

  std::shared_ptr<const Program> find(const std::string& text);
  void put(const std::string& text, std::shared_ptr<const Program> program);

 private:
  struct Entry {
    std::string text;
    std::shared_ptr<const Program> program;
  };

  const std::size_t capacity_;
  std::mutex mutex_;
  // Guarded by mutex_. The last used is the first.
  std::list<Entry> entries_;
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;  // keys: of entries_
};

}  // namespace weir::jolt
