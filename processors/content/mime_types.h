#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "processors/content/mime_magic.h"

namespace weir::processors {

// Which type a content has, by its first bytes, by the root element of XML, and by its file's
// name where that says more. Filled once, then thread safe.
class MimeTypes {
 public:
  // So many bytes at the beginning of a content are looked at.
  static constexpr std::size_t prefix_bytes = 64 * 1024;

  MimeTypes();
  void add_builtin();
  // A type is there from its first mention on. Names of types are lower case.
  void add_parent(const std::string& type, const std::string& parent);
  void add_alias(const std::string& type, const std::string& alias);
  void add_magic(const std::string& type, int priority, MagicRule rule);
  void add_root(const std::string& type, std::string name_space, std::string local_name);
  // "*.csv", "README", or a pattern with * and ? in it. False: another type has it already, and
  // neither is a kind of the other.
  bool add_glob(const std::string& type, const std::string& glob);
  void add_name_expression(const std::string& type, Pattern expression);
  void finish();  // after the last addition

  // `prefix`: the first bytes, all of a small content. `file_name`: null where it does not count.
  // The type comes without parameters.
  std::string detect(std::string_view prefix, const std::string* file_name) const;
  // The usual extension of a type with its dot; "" where none is known.
  std::string extension(const std::string& type) const;
  bool is_known(const std::string& type) const { return extensions_.contains(resolve(type)); }

 private:
  struct Magic {
    std::string type;
    int priority;
    MagicRule rule;
    std::size_t weight;
  };
  struct Root {
    std::string type;
    std::string name_space;
    std::string local_name;
  };
  struct NameExpression {
    Pattern expression;
    std::string type;
  };

  const std::string& resolve(const std::string& type) const;
  std::optional<std::string> parent_of(const std::string& type) const;
  bool is_kind_of(std::string type, const std::string& ancestor) const;
  bool claim(std::unordered_map<std::string, std::string>& names, const std::string& name,
             const std::string& type) const;
  std::vector<std::string> by_magic(std::string_view prefix) const;
  void look_into_xml(std::string_view prefix, std::string& type) const;
  const std::string* by_name(const std::string& file_name) const;

  std::unordered_map<std::string, std::vector<std::string>> extensions_;  // of each known type
  std::unordered_map<std::string, std::string> parents_;
  std::unordered_map<std::string, std::string> aliases_;
  std::vector<Magic> magics_;  // the first that matches has the highest priority
  std::vector<Root> roots_;
  std::unordered_map<std::string, std::string> names_;      // whole names
  std::unordered_map<std::string, std::string> by_ending_;  // ".tar.gz"
  std::size_t longest_ending_ = 0;
  std::vector<NameExpression> name_expressions_;
};

// The last part of a name that may be a path or a URI, without percent signs in it. Empty: there
// is none.
std::optional<std::string> base_name(const std::string& name);

}  // namespace weir::processors
