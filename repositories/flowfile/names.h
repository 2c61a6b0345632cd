#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "repositories/flowfile/commit_codec.h"

namespace weir::flowfile {

// Connection identifiers and container names, kept once each while records are read.
class Names {
 public:
  // A number for an encoded connection.
  std::uint32_t connection(storage::Bytes encoded) {
    const std::string_view key(reinterpret_cast<const char*>(encoded.data()), encoded.size());
    if (last_ < connections_.size() && connections_[last_] == key) return last_;
    const auto found = numbers_.find(key);
    if (found != numbers_.end()) return last_ = found->second;
    last_ = static_cast<std::uint32_t>(connections_.size());
    connections_.emplace_back(key);
    numbers_.emplace(connections_.back(), last_);
    return last_;
  }
  storage::Bytes encoded(std::uint32_t number) const {
    return std::as_bytes(std::span(connections_[number]));
  }
  std::string text(std::uint32_t number) const { return connection_text(encoded(number)); }
  std::size_t connections() const { return connections_.size(); }

  // A view that stays valid as long as this object.
  std::string_view container(std::string_view name) {
    if (name.empty()) return {};
    for (const std::string& known : containers_) {
      if (known == name) return known;
    }
    return containers_.emplace_back(name);
  }

 private:
  std::deque<std::string> connections_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
  std::deque<std::string> containers_;
};

}  // namespace weir::flowfile
