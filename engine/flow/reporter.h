#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/flow/document.h"
#include "engine/flow/flow.h"

namespace weir::flow {

// Collects problems of one file. Not thread safe.
class Reporter {
 public:
  explicit Reporter(std::string file) : file_(std::move(file)) {}

  // `component` null: the file as a whole.
  void error(const Component* component, Place place, std::string message,
             std::string nearest = "");
  void warning(const Component* component, Place place, std::string message,
               std::string nearest = "");

  // A component's id is known only when all of them are read: it has a placeholder until then.
  std::string placeholder_id() { return "#" + std::to_string(++placeholders_); }
  void replace_ids(const std::map<std::string, std::string>& final_ids);

  const std::string& file() const { return file_; }
  std::vector<Problem>& problems() { return problems_; }

 private:
  void add(Problem::Severity severity, const Component* component, Place place, std::string message,
           std::string nearest);

  std::string file_;
  std::vector<Problem> problems_;
  int placeholders_ = 0;
};

// Sorted as they stand in the file; those without a place come last.
void sort_by_place(std::vector<Problem>& problems);

// Reads the members of one component's JSON object into values that hold the defaults: a member
// that is absent or null changes nothing, one of the wrong kind is reported.
class Fields {
 public:
  Fields(const Node& node, const Component& component, Reporter& reporter)
      : node_(node), component_(component), reporter_(reporter) {}

  const Node& node() const { return node_; }
  void text(std::string_view key, std::string& value) const;
  void number(std::string_view key, int& value, int least) const;
  void number(std::string_view key, std::uint64_t& value) const;
  void names(std::string_view key, std::map<std::string, Place>& values) const;
  void names(std::string_view key, std::vector<std::string>& values) const;
  // One of `words`; the index of the one given, or `otherwise`.
  std::size_t choice(std::string_view key, const std::vector<std::string>& words,
                     std::size_t otherwise) const;
  void wrong_kind(const Node& value, std::string_view key, std::string_view wanted) const;

 private:
  const Node& node_;
  const Component& component_;
  Reporter& reporter_;
};

// Where a parameter's value comes from, if not from the flow: "environment" and "file".
void read_origin(const Fields& fields, ParameterValue& parameter);

}  // namespace weir::flow
