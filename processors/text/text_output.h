#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/api/process_session.h"
#include "engine/text/character_set.h"

namespace weir::processors {

// Writes a FlowFile's new content from UTF-8, in pieces of 64 KB or more. The stream is opened
// with the first piece. Without `close` the FlowFile keeps the content it has.
class TextOutput {
 public:
  TextOutput(ProcessSession& session, FlowFile flow_file, const text::CharacterSet& character_set);

  void write(std::string_view utf8) {
    // Small pieces are gathered, large ones are not copied.
    if (!encoder_ && utf8.size() < direct_bytes && buffer_.size() + utf8.size() <= buffer_bytes) {
      buffer_.append(utf8);
      return;
    }
    write_more(utf8);
  }
  void flush();  // what is gathered goes to the stream
  void close();

  const FlowFile& flow_file() const { return flow_file_; }
  std::size_t gathered_bytes() const { return buffer_.size(); }
  bool is_open() const { return stream_ != nullptr; }
  // Closes the stream; a later write opens it again and appends, which copies what is there.
  void pause();

 private:
  static constexpr std::size_t buffer_bytes = 64 * 1024;
  static constexpr std::size_t direct_bytes = 16 * 1024;

  void write_more(std::string_view utf8);
  OutputStream& stream();

  ProcessSession& session_;
  FlowFile flow_file_;
  std::unique_ptr<text::Encoder> encoder_;  // none for UTF-8
  std::unique_ptr<OutputStream> stream_;
  std::string buffer_;
  bool was_paused_ = false;
};

}  // namespace weir::processors
