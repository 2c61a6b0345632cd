#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/registry.h"
#include "engine/expression/expression.h"
#include "engine/flow/flow.h"
#include "engine/flow/sensitive.h"
#include "repositories/storage/file_system.h"

namespace weir::flow {

// Where values come from that do not stand in the flow, or stand there encrypted.
struct ValueSources {
  storage::FileSystem& files;
  const std::map<std::string, std::string>& environment;  // the process's variables
  const SensitiveValues& sensitive;
};

// Makes all values of the flow plain text, in memory only: asks the parameter providers, reads
// the files and variables that parameters name, decrypts what is encrypted, also sensitive
// properties. What cannot be had stays without value, with a warning: it is an error where it is
// used.
std::vector<Problem> open_values(Flow& flow, const ValueSources& sources);

// The flow as it may be written: sensitive values encrypted, or left out where there is no key;
// what is encrypted stays so; values from providers, files and variables are left out.
Flow seal_values(Flow flow, const SensitiveValues& sensitive, const ComponentRegistry& registry);

// The parameters that the components of a group see: those of its context, then those of the
// contexts it inherits, in their order, depth first; the first of a name counts.
class ParameterContexts {
 public:
  explicit ParameterContexts(const Flow& flow);
  // By the name of a context; of an unknown one or "" there are none.
  const expression::Parameters& of(const std::string& context) const;

 private:
  class Values;
  void collect(const Flow& flow, const ParameterContextNode& context, Values& values,
               std::set<std::string>& seen);

  std::map<std::string, std::shared_ptr<Values>> contexts_;
};

// Names that a property's value may refer to by #{name}, escaped ones included.
std::set<std::string> parameters_named(std::string_view value);

}  // namespace weir::flow
