#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "processors/text/text_lines.h"
#include "processors/text/text_output.h"

namespace weir::processors {

// How ReplaceText changes one FlowFile's text; made for each.
class LineReplacer {
 public:
  virtual ~LineReplacer() = default;
  // Writes whole lines, each changed by itself.
  virtual void replace_lines(std::string_view lines, TextOutput& out) = 0;
  // Changes a text as a whole, appending to `out`; false where nothing was found in it.
  virtual bool replace_text(std::string_view text, std::string& out) = 0;
};

// Gathers a line's changes before they are written; what stays as it is is written in runs.
class ReplacedText {
 public:
  explicit ReplacedText(TextOutput& out) : out_(out) {}
  // At the end of a block; nothing is kept for the next one.
  void finish() {
    keep({});
    flush();
  }
  // `text` goes out as it is.
  void keep(std::string_view text) {
    if (!text.empty() && run_.data() + run_.size() == text.data()) {
      run_ = {run_.data(), run_.size() + text.size()};
      return;
    }
    if (!run_.empty()) end_run();
    run_ = text;
  }
  // For text that is made; complete before the next `keep`.
  std::string& made() {
    if (!run_.empty()) end_run();
    run_ = {};
    return made_;
  }

 private:
  static constexpr std::size_t long_run_bytes = 16 * 1024;
  static constexpr std::size_t full_bytes = 64 * 1024;

  void end_run() {
    if (run_.size() >= long_run_bytes) {
      flush();
      out_.write(run_);
      return;
    }
    made_.append(run_);
    if (made_.size() >= full_bytes) flush();
  }
  void flush() {
    out_.write(made_);
    made_.clear();
  }

  TextOutput& out_;
  std::string_view run_;
  std::string made_;
};

// Prepend, Append, Surround.
class SurroundReplacer : public LineReplacer {
 public:
  SurroundReplacer(std::string before, std::string after)
      : before_(std::move(before)), after_(std::move(after)) {}
  void replace_lines(std::string_view lines, TextOutput& out) override;
  bool replace_text(std::string_view text, std::string& out) override;

 private:
  std::string before_;
  std::string after_;
};

// Always Replace.
class AlwaysReplacer : public LineReplacer {
 public:
  explicit AlwaysReplacer(std::string value) : value_(std::move(value)) {}
  void replace_lines(std::string_view lines, TextOutput& out) override;
  bool replace_text(std::string_view text, std::string& out) override;

 private:
  std::string value_;
};

// Literal Replace.
class LiteralReplacer : public LineReplacer {
 public:
  LiteralReplacer(std::string what, std::string value);
  void replace_lines(std::string_view lines, TextOutput& out) override;
  bool replace_text(std::string_view text, std::string& out) override;

 private:
  void replace_in(std::string_view text, ReplacedText& replaced) const;

  std::string what_;
  std::string value_;
  bool is_within_a_line_ = true;
};

}  // namespace weir::processors
