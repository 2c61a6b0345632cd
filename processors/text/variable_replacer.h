#pragma once

#include <cstdint>
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
  void replace_lines(std::string_view lines, ReplacedText& out) override;
  bool replace_text(std::string_view text, ReplacedText& out) override;

 private:
  bool substitute(std::string_view text, ReplacedText& out);
  void put_value(const std::string& name, const std::string& value, ReplacedText& out);

  const FlowFile& flow_file_;
  std::vector<std::string> within_;  // names whose values are being looked through
  std::uint64_t nested_ = 0;         // values put into values
};

}  // namespace weir::processors
