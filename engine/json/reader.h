#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/json/containers.h"
#include "engine/json/parse.h"

namespace weir::json {

// One pass over a text. Elements of arrays and objects that are not complete yet wait on two
// stacks, so that each container is made once, in its final size.
class Reader {
 public:
  Reader(std::string_view text, Arena& arena, const ParseOptions& options)
      : begin_(text.data()),
        at_(text.data()),
        end_(text.data() + text.size()),
        arena_(arena),
        options_(options) {}

  std::optional<Value> read();  // nullopt: the error is set
  std::size_t error_offset() const { return error_offset_; }
  const std::string& error_message() const { return error_message_; }

 private:
  struct Open {
    bool is_object;
    std::size_t first;  // of its elements on the stack
  };

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool fail(const char* where, std::string message);
  bool fail_here(std::string_view expected);

  bool read_document(Value& root);
  bool open_container(bool is_object, Value& value, bool& opened);
  void store(const Value& value);
  // A scalar, or the opening of a container, for which `opened` is set.
  bool read_value(Value& value, bool& opened);
  bool read_member_name();
  // After a value within a container: the comma and the next name, or the end. `closed` where the
  // container ended.
  bool after_element(bool& closed);
  Value close();
  Value close_array(std::size_t first);
  Value close_object(std::size_t first);
  Value close_large_object(std::span<const Member> members);
  // Of members with one name the last one's value stays, at the place of the first.
  void drop_doubled(std::size_t first);

  bool read_word(std::string_view word, Value made, Value& value);
  bool read_number(Value& value);
  bool check_root_end();
  bool read_string(std::string_view& string, std::size_t longest, const char* what);
  bool read_slow_string(const char* start, std::string_view& string, std::size_t longest,
                        const char* what);
  bool read_escape(std::string& out);
  bool read_unicode_escape(std::uint32_t& unit);

  const char* begin_;
  const char* at_;
  const char* end_;
  Arena& arena_;
  const ParseOptions& options_;

  // Per thread: they keep their memory from text to text.
  std::vector<Open>& open_ = scratch().open;
  std::vector<Value>& values_ = scratch().values;
  std::vector<Member>& members_ = scratch().members;
  std::string& buffer_ = scratch().buffer;

  std::size_t values_read_ = 0;
  std::size_t error_offset_ = 0;
  std::string error_message_;

  struct Scratch {
    std::vector<Open> open;
    std::vector<Value> values;
    std::vector<Member> members;
    std::string buffer;
  };
  static Scratch& scratch();
};

}  // namespace weir::json
