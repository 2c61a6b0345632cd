#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weir::processors {

// Which namespace each prefix stands for, element by element.
class NameScopes {
 public:
  NameScopes();

  // `attributes`: names and values in turn, ended by null, as expat gives them. Empty: fine; else
  // what is wrong with the names.
  std::string open_element(std::string_view name, const char* const* attributes);
  void close_element();

  // Prefixes in order, "" for the default namespace, with what they stand for where we are.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [prefix, names] : namespaces_) {
      if (!names.empty() && prefix != "xml") visit(prefix, names.back());
    }
  }

 private:
  std::string declare(std::string_view attribute, std::string_view value);
  std::string check_name(std::string_view name) const;
  std::string check_doubles(const char* const* attributes) const;
  const std::string* find(std::string_view prefix) const;

  // Outer ones first.
  std::map<std::string, std::vector<std::string>, std::less<>> namespaces_;
  struct Declared {
    std::size_t depth;
    std::string prefix;
  };
  std::vector<Declared> declared_;
  std::size_t depth_ = 0;
};

// "xmlns" and "xmlns:p" declare; the prefix is "" and "p".
bool is_declaration(std::string_view attribute);
std::string_view declared_prefix(std::string_view attribute);

}  // namespace weir::processors
