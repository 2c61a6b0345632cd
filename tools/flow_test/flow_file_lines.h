#pragma once

#include <filesystem>
#include <string_view>

#include "tools/flow_test/flow_test.h"

namespace weir::flow_test {

// Reads the indented lines below a statement, each of which tells something of a FlowFile. Throws
// SyntaxError.
class FlowFileLines {
 public:
  enum class Use { none, sent, expected, sent_on_by_sink };

  // `folder`: where `content-file` looks.
  explicit FlowFileLines(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The lines from here on go into `into`, which must live until the next `begin`.
  void begin(Use use, std::vector<FlowFileText>& into);
  void end() { use_ = Use::none; }
  // `raw`: the line as it stands in the file.
  void add(std::string_view raw, int line);

 private:
  void add_block_line(std::string_view raw);
  bool add_content(std::string_view word, std::string_view rest);
  bool add_expectation(std::string_view word, std::string_view rest);
  void add_attribute(const std::string& name, std::string_view value);
  void set_content(std::string content);

  const std::filesystem::path folder_;
  Use use_ = Use::none;
  std::vector<FlowFileText>* flow_files_ = nullptr;
  bool block_ = false;  // the content stands in lines that begin with |
};

}  // namespace weir::flow_test
