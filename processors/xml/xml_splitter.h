#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/process_session.h"
#include "processors/xml/name_scopes.h"

struct XML_ParserStruct;

namespace weir::processors {

// Where to go on with a document whose first fragments are there already.
struct XmlPosition {
  std::uint64_t offset = 0;  // bytes into the content
  std::string ancestors;     // tags that are open there, as text; empty at the beginning
  std::uint64_t skip = 0;    // fragments from there on that are there already
};

// Takes what a splitter finds, in the order of the document.
class FragmentSink {
 public:
  virtual ~FragmentSink() = default;
  virtual void begin() = 0;
  virtual void write(std::string_view text) = 0;
  virtual void end() = 0;
};

// Cuts an XML document into the elements below a depth, as text in UTF-8 of its own each. Memory
// depends neither on the document's size nor on that of a fragment. No entity but the predefined
// ones and no document type declaration: nothing outside of the document is ever looked at.
class XmlSplitter {
 public:
  explicit XmlSplitter(int depth) : split_depth_(depth) {}
  ~XmlSplitter();
  XmlSplitter(const XmlSplitter&) = delete;
  XmlSplitter& operator=(const XmlSplitter&) = delete;

  struct Outcome {
    std::uint64_t fragments = 0;  // without those skipped
    bool stopped = false;         // at the beginning of the fragment after the last
    XmlPosition next = {};        // where it stopped
  };
  // Reads to the end, or to where a fragment after the first `most` begins. Without a sink the
  // fragments are only counted. The error says what is wrong with the document, and where.
  std::expected<Outcome, std::string> run(InputStream& in, FragmentSink* sink,
                                          const XmlPosition& from = {},
                                          std::uint64_t most = UINT64_MAX);

 private:
  struct Event {
    bool begins;
    std::size_t at;  // bytes of `text_`
  };

  struct Handlers;  // what expat calls
  void open_element(const char* name, const char** attributes);
  void close_element(const char* name);
  void add_text(std::string_view text);
  void remember_ancestor(std::string_view name, const char* const* attributes);
  void begin_fragment();
  void add_start_tag(std::string_view name, const char* const* attributes);
  void fail(std::string_view message);
  void stop_at_fragment();
  bool parse(const char* data, std::size_t size, bool last);
  void drain();
  std::string with_place(std::string_view message) const;
  std::string error() const;

  const int split_depth_;
  XML_ParserStruct* parser_ = nullptr;
  FragmentSink* sink_ = nullptr;
  NameScopes scopes_;
  std::vector<std::string> open_;  // tags of the elements above the fragments
  std::uint64_t depth_ = 0;
  std::uint64_t skip_ = 0;     // still to come
  std::uint64_t skipped_ = 0;  // from the beginning
  std::uint64_t most_ = 0;
  std::uint64_t start_offset_ = 0;  // what expat's byte 0 is in the content
  bool is_skipping_ = false;        // the fragment we are in
  bool can_resume_by_offset_ = true;
  bool has_progress_ = false;  // expat reported something
  Outcome outcome_;
  std::string failure_;
  std::string text_;
  std::vector<Event> events_;
};

}  // namespace weir::processors
