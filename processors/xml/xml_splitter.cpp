#include "processors/xml/xml_splitter.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/text/character_set.h"
#include "engine/text/escape.h"

namespace weir::processors {
namespace {

constexpr std::string_view prologue = R"(<?xml version="1.0" encoding="UTF-8"?>)";
constexpr std::size_t read_bytes = 64 * 1024;
// Text that waits to be handed on: past it the parser pauses.
constexpr std::size_t waiting_bytes = 256 * 1024;
// Expat remembers each open element.
constexpr std::uint64_t deepest_element = 100'000;
// It keeps a tag or comment whole, and looks at it anew as it grows.
constexpr std::size_t longest_token_bytes = 16 * 1024 * 1024;

void append_escaped(std::string& out, std::string_view text) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string_view entity;
    switch (text[at]) {
      case '<':
        entity = "&lt;";
        break;
      case '>':
        entity = "&gt;";
        break;
      case '&':
        entity = "&amp;";
        break;
      case '\'':
        entity = "&apos;";
        break;
      case '"':
        entity = "&quot;";
        break;
      default:
        continue;
    }
    out += text.substr(from, at - from);
    out += entity;
    from = at + 1;
  }
  out += text.substr(from);
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
  out += ' ';
  out += name;
  out += "=\"";
  text::escape_xml(value, out);
  out += '"';
}

// One byte, one character: all that expat can be told of an encoding it does not know.
int describe_encoding(void*, const XML_Char* name, XML_Encoding* encoding) {
  const text::CharacterSet* const set = text::CharacterSet::find(name);
  if (!set) return XML_STATUS_ERROR;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string utf8 = text::decode(std::string_view(&c, 1), *set);
    const auto first = static_cast<unsigned char>(utf8.empty() ? '\0' : utf8[0]);
    int& character = encoding->map[byte];
    if (utf8 == "\xEF\xBF\xBD" || utf8.empty()) {
      character = -1;
    } else if (first < 0x80) {
      character = first;
    } else if (first < 0xE0) {
      character = ((first & 0x1F) << 6) | (utf8[1] & 0x3F);
    } else {
      character = ((first & 0x0F) << 12) | ((utf8[1] & 0x3F) << 6) | (utf8[2] & 0x3F);
    }
  }
  encoding->data = nullptr;
  encoding->convert = nullptr;
  encoding->release = nullptr;
  return XML_STATUS_OK;
}

}  // namespace

struct XmlSplitter::Handlers {
  static XmlSplitter& self(void* data) {
    XmlSplitter& splitter = *static_cast<XmlSplitter*>(data);
    splitter.has_progress_ = true;
    return splitter;
  }
  static void start(void* data, const XML_Char* name, const XML_Char** attributes) {
    self(data).open_element(name, attributes);
  }
  static void end(void* data, const XML_Char* name) { self(data).close_element(name); }
  static void text(void* data, const XML_Char* text, int size) {
    self(data).add_text({text, static_cast<std::size_t>(size)});
  }
  static void comment(void* data, const XML_Char*) { self(data); }
  static void instruction(void* data, const XML_Char*, const XML_Char*) { self(data); }
  static void doctype(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    self(data).fail("a document type declaration is not allowed");
  }
  static void declaration(void* data, const XML_Char*, const XML_Char* encoding, int) {
    if (!encoding) return;
    const text::CharacterSet* const set = text::CharacterSet::find(encoding);
    if (set != &text::CharacterSet::utf8()) self(data).can_resume_by_offset_ = false;
  }
};

XmlSplitter::~XmlSplitter() {
  if (parser_) XML_ParserFree(parser_);
}

std::expected<XmlSplitter::Outcome, std::string> XmlSplitter::run(InputStream& in,
                                                                  FragmentSink* sink,
                                                                  const XmlPosition& from,
                                                                  std::uint64_t most) {
  parser_ = XML_ParserCreate(from.ancestors.empty() ? nullptr : "UTF-8");
  if (!parser_) throw std::bad_alloc();
  XML_SetUserData(parser_, this);
  XML_SetElementHandler(parser_, Handlers::start, Handlers::end);
  XML_SetCharacterDataHandler(parser_, Handlers::text);
  XML_SetCommentHandler(parser_, Handlers::comment);
  XML_SetProcessingInstructionHandler(parser_, Handlers::instruction);
  XML_SetStartDoctypeDeclHandler(parser_, Handlers::doctype);
  XML_SetXmlDeclHandler(parser_, Handlers::declaration);
  XML_SetUnknownEncodingHandler(parser_, describe_encoding, nullptr);
  sink_ = sink;
  skip_ = from.skip;
  skipped_ = from.skip;
  most_ = most;
  start_offset_ = from.offset - from.ancestors.size();
  if (!from.ancestors.empty() && !parse(from.ancestors.data(), from.ancestors.size(), false)) {
    return std::unexpected(error());
  }
  in.seek(from.offset);
  std::vector<char> buffer(read_bytes);
  bool is_first = from.offset == 0;
  std::size_t stalled_bytes = 0;
  for (bool last = false; !last;) {
    const std::size_t count = in.read_fully(std::as_writable_bytes(std::span(buffer)));
    last = count < buffer.size();
    // A byte order mark of UTF-16, or none with a zero byte first or second.
    if (is_first && count >= 2 &&
        (buffer[0] == '\xFE' || buffer[0] == '\xFF' || !buffer[0] || !buffer[1])) {
      can_resume_by_offset_ = false;
    }
    is_first = false;
    has_progress_ = false;
    bool went_well = parse(buffer.data(), count, last);
    stalled_bytes = has_progress_ ? 0 : stalled_bytes + count;
    if (went_well && stalled_bytes > longest_token_bytes) {
      fail(
          fmt::format("a tag, comment or instruction has more than {} bytes", longest_token_bytes));
      went_well = false;
    }
    drain();
    if (outcome_.stopped) return outcome_;
    if (!went_well) return std::unexpected(error());
  }
  return outcome_;
}

bool XmlSplitter::parse(const char* data, std::size_t size, bool last) {
  XML_Status status = XML_Parse(parser_, data, static_cast<int>(size), last);
  while (status == XML_STATUS_SUSPENDED) {
    drain();
    status = XML_ResumeParser(parser_);
  }
  return status == XML_STATUS_OK && failure_.empty();
}

// What was found since the last time goes to the sink, out of reach of expat's own functions,
// which no exception may pass.
void XmlSplitter::drain() {
  std::size_t from = 0;
  const std::string_view text = text_;
  for (const Event& event : events_) {
    if (event.at > from) sink_->write(text.substr(from, event.at - from));
    from = event.at;
    if (event.begins) {
      sink_->begin();
    } else {
      sink_->end();
    }
  }
  if (from < text.size()) sink_->write(text.substr(from));
  text_.clear();
  events_.clear();
}

std::string XmlSplitter::with_place(std::string_view message) const {
  return fmt::format("{} at line {}, column {}", message, XML_GetCurrentLineNumber(parser_),
                     XML_GetCurrentColumnNumber(parser_) + 1);
}

std::string XmlSplitter::error() const {
  return failure_.empty() ? with_place(XML_ErrorString(XML_GetErrorCode(parser_))) : failure_;
}

void XmlSplitter::fail(std::string_view message) {
  if (!failure_.empty()) return;
  failure_ = with_place(message);
  XML_StopParser(parser_, XML_FALSE);
}

void XmlSplitter::open_element(const char* name, const char** attributes) {
  // Expat may still report what it has read of the same tag after it was told to stop.
  if (!failure_.empty() || outcome_.stopped) return;
  if (depth_ == deepest_element) {
    return fail(fmt::format("elements are nested more than {} deep", deepest_element));
  }
  const bool begins = depth_ == static_cast<std::uint64_t>(split_depth_);
  if (begins && skip_ == 0 && outcome_.fragments == most_) return stop_at_fragment();
  if (std::string problem = scopes_.open_element(name, attributes); !problem.empty()) {
    return fail(problem);
  }
  ++depth_;
  if (depth_ <= static_cast<std::uint64_t>(split_depth_)) remember_ancestor(name, attributes);
  if (begins) begin_fragment();
  if (depth_ > static_cast<std::uint64_t>(split_depth_) && sink_ && !is_skipping_) {
    add_start_tag(name, attributes);
  }
}

// Its name and the namespaces it declares.
void XmlSplitter::remember_ancestor(std::string_view name, const char* const* attributes) {
  std::string tag = "<";
  tag += name;
  for (const char* const* at = attributes; *at; at += 2) {
    if (is_declaration(at[0])) append_attribute(tag, at[0], at[1]);
  }
  tag += '>';
  open_.push_back(std::move(tag));
}

void XmlSplitter::begin_fragment() {
  is_skipping_ = skip_ > 0;
  if (is_skipping_) {
    --skip_;
    return;
  }
  ++outcome_.fragments;
  if (!sink_) return;
  events_.push_back({true, text_.size()});
  text_ += prologue;
}

void XmlSplitter::add_start_tag(std::string_view name, const char* const* attributes) {
  text_ += '<';
  text_ += name;
  for (const char* const* at = attributes; *at; at += 2) append_attribute(text_, at[0], at[1]);
  // A fragment takes along what its ancestors declared.
  if (depth_ == static_cast<std::uint64_t>(split_depth_) + 1) {
    scopes_.for_each([&](const std::string& prefix, const std::string& uri) {
      const std::string attribute = prefix.empty() ? "xmlns" : "xmlns:" + prefix;
      for (const char* const* at = attributes; *at; at += 2) {
        if (attribute == at[0]) return;
      }
      append_attribute(text_, attribute, uri);
    });
  }
  text_ += '>';
}

void XmlSplitter::close_element(const char* name) {
  if (!failure_.empty() || outcome_.stopped) return;
  const auto split_depth = static_cast<std::uint64_t>(split_depth_);
  if (depth_ <= split_depth) open_.pop_back();
  scopes_.close_element();
  --depth_;
  if (depth_ < split_depth || !sink_ || is_skipping_) return;
  text_ += "</";
  text_ += name;
  text_ += '>';
  if (depth_ == split_depth) events_.push_back({false, text_.size()});
  if (text_.size() > waiting_bytes) XML_StopParser(parser_, XML_TRUE);
}

void XmlSplitter::add_text(std::string_view text) {
  if (depth_ <= static_cast<std::uint64_t>(split_depth_) || !sink_ || is_skipping_) return;
  if (!failure_.empty() || outcome_.stopped) return;
  append_escaped(text_, text);
}

// The next run may begin right here, after the tags of the ancestors, where the bytes are UTF-8;
// else from the beginning once more.
void XmlSplitter::stop_at_fragment() {
  outcome_.stopped = true;
  if (can_resume_by_offset_) {
    outcome_.next.offset =
        start_offset_ + static_cast<std::uint64_t>(XML_GetCurrentByteIndex(parser_));
    for (const std::string& tag : open_) outcome_.next.ancestors += tag;
  } else {
    outcome_.next.skip = skipped_ + outcome_.fragments;
  }
  XML_StopParser(parser_, XML_FALSE);
}

}  // namespace weir::processors
