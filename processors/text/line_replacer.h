#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "processors/text/text_lines.h"
#include "processors/text/text_output.h"

namespace weir::processors {

// Where changed text goes: what is made is gathered, what stays as it is goes out in runs.
class ReplacedText {
 public:
  explicit ReplacedText(TextOutput& out) : out_(out) {}
  // Before what was given to `keep` goes away.
  void finish() {
    end_run();
    flush();
  }
  // `text` goes out as it is; it must live until `finish`.
  void keep(std::string_view text) {
    if (run_.data() + run_.size() == text.data()) {
      run_ = {run_.data(), run_.size() + text.size()};
      return;
    }
    end_run();
    run_ = text;
  }
  // For text that is made; complete before the next call.
  std::string& made() {
    end_run();
    if (made_.size() >= full_bytes) flush();
    return made_;
  }

 private:
  static constexpr std::size_t long_run_bytes = 16 * 1024;
  static constexpr std::size_t full_bytes = 64 * 1024;

  void end_run() {
    if (run_.size() < long_run_bytes) {
      made_.append(run_);
    } else {
      flush();
      out_.write(run_);
    }
    run_ = {};
  }
  void flush() {
    out_.write(made_);
    made_.clear();
  }

  TextOutput& out_;
  std::string_view run_;
  std::string made_;
};

// How ReplaceText changes one FlowFile's text; made for each.
class LineReplacer {
 public:
  virtual ~LineReplacer() = default;
  // Changes whole lines, each by itself.
  virtual void replace_lines(std::string_view lines, ReplacedText& out) = 0;
  // Changes a text as a whole; false where nothing was found in it.
  virtual bool replace_text(std::string_view text, ReplacedText& out) = 0;
};

// Prepend, Append, Surround.
class SurroundReplacer : public LineReplacer {
 public:
  SurroundReplacer(std::string before, std::string after)
      : before_(std::move(before)), after_(std::move(after)) {}
  void replace_lines(std::string_view lines, ReplacedText& out) override;
  bool replace_text(std::string_view text, ReplacedText& out) override;

 private:
  std::string before_;
  std::string after_;
};

// Always Replace.
class AlwaysReplacer : public LineReplacer {
 public:
  explicit AlwaysReplacer(std::string value) : value_(std::move(value)) {}
  void replace_lines(std::string_view lines, ReplacedText& out) override;
  bool replace_text(std::string_view text, ReplacedText& out) override;

 private:
  std::string value_;
};

// Literal Replace.
class LiteralReplacer : public LineReplacer {
 public:
  LiteralReplacer(std::string what, std::string value);
  void replace_lines(std::string_view lines, ReplacedText& out) override;
  bool replace_text(std::string_view text, ReplacedText& out) override;

 private:
  std::string what_;
  std::string value_;
  bool is_within_a_line_ = true;
};

}  // namespace weir::processors
