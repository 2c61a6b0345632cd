#include "processors/text/text_output.h"

namespace weir::processors {

TextOutput::TextOutput(ProcessSession& session, FlowFile flow_file,
                       const text::CharacterSet& character_set)
    : session_(session), flow_file_(flow_file) {
  if (character_set.form() != text::CharacterSet::Form::utf8) {
    encoder_ = std::make_unique<text::Encoder>(character_set);
  }
}

OutputStream& TextOutput::stream() {
  if (!stream_) stream_ = was_paused_ ? session_.append(flow_file_) : session_.write(flow_file_);
  return *stream_;
}

void TextOutput::write_more(std::string_view utf8) {
  if (encoder_) {
    encoder_->update(utf8, buffer_);
    if (buffer_.size() >= buffer_bytes) flush();
    return;
  }
  flush();
  if (utf8.size() >= direct_bytes) {
    stream().write(utf8);
  } else {
    buffer_.append(utf8);
  }
}

void TextOutput::flush() {
  if (buffer_.empty()) return;
  stream().write(std::string_view(buffer_));
  buffer_.clear();
}

void TextOutput::pause() {
  flush();
  if (!stream_) return;
  stream_->close();
  stream_.reset();
  was_paused_ = true;
}

void TextOutput::close() {
  if (encoder_) encoder_->finish(buffer_);
  flush();
  if (was_paused_ && !stream_) return;
  stream().close();
  stream_.reset();
}

}  // namespace weir::processors
