#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processors/text/line_replacer.h"

namespace weir::processors {

// Substitute Variables: ${name} becomes the attribute's value, in which ${...} is looked for
// again; ${name:-text} has a default; $${name} stands for ${name}; what is not there stays.
class VariableReplacer : public LineReplacer {
 public:
  explicit VariableReplacer(const FlowFile& flow_file) : flow_file_(flow_file) {}
  void replace_lines(std::string_view lines, TextOutput& out) override;
  bool replace_text(std::string_view text, std::string& out) override;

 private:
  // False where nothing was changed.
  bool substitute(std::string_view text, std::string& out);

  const FlowFile& flow_file_;
  std::vector<std::string> within_;  // names whose values are being looked through
};

}  // namespace weir::processors
