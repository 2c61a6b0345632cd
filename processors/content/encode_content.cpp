#include "processors/content/encode_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/text/base64.h"
#include "processors/support/declare.h"
#include "processors/support/failure.h"

namespace weir::processors {
namespace {

using text::BinaryText;

const Relationship success{.name = "success", .description = "FlowFiles with their new content."};
const Relationship failure{
    .name = "failure",
    .description =
        "FlowFiles whose content is not of the encoding, unchanged. The attribute "
        "encodeContent.error says why."};

const PropertyDescriptor mode{.name = "Mode",
                              .description = "Whether to encode or to decode.",
                              .default_value = "Encode",
                              .required = true,
                              .allowable_values = {{"Encode"}, {"Decode"}}};
const PropertyDescriptor encoding{
    .name = "Encoding",
    .description = "The encoding.",
    .default_value = "base64",
    .required = true,
    .allowable_values = {{"base64", "Base64"}, {"base32", "Base32"}, {"hex", "Hexadecimal"}}};
const PropertyDescriptor line_output_mode{
    .name = "Line Output Mode",
    .description = "Whether the encoded text has line breaks (LF).",
    .default_value = "SINGLE_LINE",
    .required = true,
    .allowable_values = {{"SINGLE_LINE", "Single Line"}, {"MULTIPLE_LINES", "Multiple Lines"}},
    .depends_on = {{"Encoding", {"base32", "base64"}}, {"Mode", {"Encode"}}}};
const PropertyDescriptor encoded_line_length{
    .name = "Encoded Line Length",
    .description =
        "Characters a line, rounded down to a multiple of 4 (Base64) or 8 (Base32). With less "
        "than that the text is one line.",
    .default_value = "76",
    .required = true,
    .validator = validators::integer(1, INT32_MAX),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{"Mode", {"Encode"}},
                   {"Line Output Mode", {"MULTIPLE_LINES"}},
                   {"Encoding", {"base32", "base64"}}}};

constexpr std::string_view error_attribute = "encodeContent.error";
constexpr std::size_t buffer_bytes = 64 * 1024;

// Characters that may stand in encoded text. All others are errors, as NiFi has it, where Commons
// Codec would pass over them.
class Alphabet {
 public:
  explicit Alphabet(BinaryText form) {
    allow("0123456789", form != BinaryText::base32);
    allow("234567", form == BinaryText::base32);
    allow("ABCDEFabcdef", true);
    if (form == BinaryText::hex) return;
    allow("GHIJKLMNOPQRSTUVWXYZghijklmnopqrstuvwxyz= \t\n\v\f\r\x1C\x1D\x1E\x1F", true);
    allow("+/-_", form == BinaryText::base64);
  }
  // Of the first character that may not stand there; npos where all may.
  std::size_t find_other(std::string_view text) const {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!allowed_[static_cast<unsigned char>(text[i])]) return i;
    }
    return std::string_view::npos;
  }

 private:
  void allow(std::string_view characters, bool is_allowed) {
    if (!is_allowed) return;
    for (const char c : characters) allowed_[static_cast<unsigned char>(c)] = true;
  }
  std::array<bool, 256> allowed_{};
};

class EncodeContent : public Processor {
 public:
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  std::size_t line_length_of(const FlowFile& flow_file) const;
  void encode(ProcessSession& session, const FlowFile& flow_file) const;
  // The reason where the content cannot be decoded; it is unchanged then.
  std::expected<void, text::Error> decode(ProcessSession& session, const FlowFile& flow_file) const;

  bool encodes_ = true;
  BinaryText form_ = BinaryText::base64;
  bool has_lines_ = false;
  PropertyValue line_length_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("EncodeContent");
  definition.summary =
      "Writes the content in Base64, Base32 or hexadecimal digits, or reads it back. Contents of "
      "any size take the same little memory.";
  definition.tags = {"encode", "decode", "base64", "base32", "hex"};
  definition.properties = {mode, encoding, line_output_mode, encoded_line_length};
  definition.relationships = {failure, success};
  definition.writes_attributes = {
      {std::string(error_attribute), "Why the FlowFile went to \"failure\"."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.delivery_note = "The content changes with the commit; a crash before it leaves it.";
  definition.example =
      R"({"type": "EncodeContent", "properties": {"Mode": "Decode", "Encoding": "base64"}})";
  definition.make = [] { return std::make_unique<EncodeContent>(); };
  return definition;
}

// Calls `use` for each piece of the content, until it says false.
template <typename Use>
void for_each_piece(InputStream& in, Use use) {
  std::vector<std::byte> buffer(std::clamp<std::uint64_t>(in.size(), 1, buffer_bytes));
  while (const std::size_t count = in.read(buffer)) {
    if (!use(std::string_view(reinterpret_cast<const char*>(buffer.data()), count))) return;
  }
}

void to_upper_hex(std::string& digits) {
  for (char& digit : digits) digit = static_cast<char>(digit >= 'a' ? digit - 32 : digit);
}

}  // namespace

void EncodeContent::on_scheduled(ProcessContext& context) {
  encodes_ = context.property(mode).text() == "Encode";
  const std::string& name = context.property(encoding).text();
  form_ = name == "hex"      ? BinaryText::hex
          : name == "base32" ? BinaryText::base32
                             : BinaryText::base64;
  has_lines_ =
      form_ != BinaryText::hex && context.property(line_output_mode).text() == "MULTIPLE_LINES";
  line_length_ = context.property(encoded_line_length);
}

std::size_t EncodeContent::line_length_of(const FlowFile& flow_file) const {
  if (!encodes_ || !has_lines_) return 0;
  const std::int64_t length = line_length_.integer(flow_file);
  const std::int64_t block = form_ == BinaryText::base64 ? 4 : 8;
  return length <= 0 ? 0 : static_cast<std::size_t>(length / block * block);
}

void EncodeContent::encode(ProcessSession& session, const FlowFile& flow_file) const {
  text::BinaryTextEncoder encoder(form_, line_length_of(flow_file), "\n");
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  const std::unique_ptr<OutputStream> out = session.write(flow_file);
  std::string encoded;
  const auto flush = [&] {
    if (form_ == BinaryText::hex) to_upper_hex(encoded);
    out->write(encoded);
    encoded.clear();
  };
  for_each_piece(*in, [&](std::string_view piece) {
    encoder.update(piece, encoded);
    flush();
    return true;
  });
  encoder.finish(encoded);
  flush();
  out->close();
}

std::expected<void, text::Error> EncodeContent::decode(ProcessSession& session,
                                                       const FlowFile& flow_file) const {
  const Alphabet alphabet(form_);
  text::BinaryTextDecoder decoder(form_, form_ == BinaryText::hex
                                             ? text::BinaryTextDecoder::Strictness::strict
                                             : text::BinaryTextDecoder::Strictness::lenient);
  const std::unique_ptr<InputStream> in = session.read(flow_file);
  const std::unique_ptr<OutputStream> out = session.write(flow_file);
  std::expected<void, text::Error> result;
  std::string decoded;
  std::size_t offset = 0;
  for_each_piece(*in, [&](std::string_view piece) {
    if (const std::size_t other = alphabet.find_other(piece); other != std::string_view::npos) {
      const auto code = static_cast<unsigned char>(piece[other]);
      result = std::unexpected(
          text::Error{offset + other, fmt::format("byte 0x{:02X} does not stand in {}", code,
                                                  form_ == BinaryText::hex ? "hexadecimal digits"
                                                  : form_ == BinaryText::base32 ? "Base32"
                                                                                : "Base64")});
      return false;
    }
    offset += piece.size();
    result = decoder.update(piece, decoded);
    if (!result) return false;
    out->write(decoded);
    decoded.clear();
    return true;
  });
  if (result) result = decoder.finish(decoded);
  if (!result) return result;  // `out` was not closed: the FlowFile keeps its content
  out->write(decoded);
  out->close();
  return result;
}

void EncodeContent::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  if (encodes_) {
    encode(session, flow_file);
  } else if (const auto decoded = decode(session, flow_file); !decoded) {
    return fail(context, session, flow_file, failure, error_attribute,
                fmt::format("{} at byte {}", decoded.error().message, decoded.error().offset));
  }
  session.provenance().modify_content(flow_file);
  session.transfer(flow_file, success);
}

const ProcessorDefinition& encode_content() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
