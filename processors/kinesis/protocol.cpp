#include "processors/kinesis/protocol.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/text/base64.h"

namespace weir::processors::kinesis::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

template <typename T>
using Result = std::expected<T, std::string>;

// Where in a line something is; only written out for an error.
struct Place {
  std::string_view field;
  std::optional<std::size_t> record = std::nullopt;

  std::unexpected<std::string> error(std::string_view what) const {
    if (!record) return std::unexpected(fmt::format("{}: {}", field, what));
    if (field.empty()) return std::unexpected(fmt::format("records[{}]: {}", *record, what));
    return std::unexpected(fmt::format("records[{}].{}: {}", *record, field, what));
  }
  std::unexpected<std::string> error(simdjson::error_code code) const {
    return error(simdjson::error_message(code));
  }
};

std::optional<std::uint32_t> hex4(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : digits.substr(0, 4)) {
    const auto at = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
    if (at == std::string_view::npos) return std::nullopt;
    value = value << 4 | static_cast<std::uint32_t>(at);
  }
  return value;
}

// The parser joins any two escapes that begin with an upper surrogate, and passes a lone lower one
// on: neither gives UTF-8 that means what was written.
bool surrogates_paired(std::string_view escaped) {
  for (std::size_t at = escaped.find('\\'); at != std::string_view::npos;
       at = escaped.find('\\', at)) {
    if (escaped.substr(at, 2) != "\\u") {
      at += 2;
      continue;
    }
    const auto unit = hex4(escaped.substr(at + 2));
    if (!unit) return false;
    at += 6;
    if (*unit < 0xD800 || *unit > 0xDFFF) continue;
    if (*unit > 0xDBFF || escaped.substr(std::min(at, escaped.size()), 2) != "\\u") return false;
    const auto next = hex4(escaped.substr(at + 2));
    if (!next || *next < 0xDC00 || *next > 0xDFFF) return false;
    at += 6;
  }
  return true;
}

// A string's text: as it stands in the line, which the daemon's nearly always can be, or in the
// parser's own memory where it has escapes.
Result<std::string_view> text_of(ondemand::value& value, const Place& place) {
  std::string_view token = value.raw_json_token();
  if (!token.starts_with('"')) return place.error("is no string");
  token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  if (token.size() < 2 || !token.ends_with('"')) return place.error("does not end");
  const std::string_view escaped = token.substr(1, token.size() - 2);
  if (escaped.find('\\') == std::string_view::npos) return escaped;
  if (!surrogates_paired(escaped)) return place.error("has a surrogate without its other half");
  std::string_view text;
  if (const auto error = value.get_string().get(text)) return place.error(error);
  if (!simdjson::validate_utf8(text)) return place.error("is no UTF-8");
  return text;
}

bool is_null(ondemand::value& value) {
  bool null = false;
  return value.raw_json_token().starts_with('n') && !value.is_null().get(null) && null;
}

Result<std::int64_t> number_of(ondemand::value& value, const Place& place) {
  std::int64_t number = 0;
  if (value.get_int64().get(number)) return place.error("is no whole number");
  return number;
}

Result<std::int64_t> number_or_null(ondemand::value& value, const Place& place) {
  return is_null(value) ? 0 : number_of(value, place);
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

Result<void> set(std::string_view& to, Result<std::string_view> text) {
  if (!text) return std::unexpected(std::move(text.error()));
  to = *text;
  return {};
}

Result<void> set(std::int64_t& to, Result<std::int64_t> number) {
  if (!number) return std::unexpected(std::move(number.error()));
  to = *number;
  return {};
}

// The fields of a record that it must have.
enum Present : unsigned { data = 1, key = 2, sequence = 4, sub_sequence = 8, all = 15 };

// `record.data` is still Base64.
Result<void> read_field(ondemand::field& field, Record& record, unsigned& present,
                        std::size_t index) {
  const ondemand::raw_json_string name = field.key();
  ondemand::value& value = field.value();
  if (name == "data") {
    present |= Present::data;
    // A record without a buffer is written so; it is as good as empty.
    if (is_null(value)) return {};
    return set(record.data, text_of(value, {"data", index}));
  }
  if (name == "partitionKey") {
    present |= Present::key;
    return set(record.partition_key, text_of(value, {"partitionKey", index}));
  }
  if (name == "sequenceNumber") {
    present |= Present::sequence;
    const Place place{"sequenceNumber", index};
    if (auto done = set(record.sequence_number, text_of(value, place)); !done) return done;
    if (!is_digits(record.sequence_number)) return place.error("is no decimal number");
    return {};
  }
  if (name == "subSequenceNumber") {
    present |= Present::sub_sequence;
    const Place place{"subSequenceNumber", index};
    if (auto done = set(record.sub_sequence_number, number_of(value, place)); !done) return done;
    if (record.sub_sequence_number < 0) return place.error("is negative");
    return {};
  }
  if (name == "approximateArrivalTimestamp") {
    return set(record.approximate_arrival_ms,
               number_or_null(value, {"approximateArrivalTimestamp", index}));
  }
  return {};
}

Result<Record> read_record(ondemand::value value, std::size_t index) {
  const Place place{"", index};
  Record record;
  unsigned present = 0;
  ondemand::object object;
  if (value.get_object().get(object)) return place.error("is no object");
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return place.error(error);
    if (auto done = read_field(field, record, present, index); !done) {
      return std::unexpected(std::move(done.error()));
    }
  }
  if (present == Present::all) return record;
  static constexpr std::pair<Present, const char*> names[] = {
      {Present::data, "data"},
      {Present::key, "partitionKey"},
      {Present::sequence, "sequenceNumber"},
      {Present::sub_sequence, "subSequenceNumber"}};
  for (const auto& [bit, name] : names) {
    if ((present & bit) == 0) return Place{name, index}.error("is missing");
  }
  std::unreachable();
}

// Everything that any message has, in whatever order it comes.
struct Fields {
  std::optional<std::string_view> action, shard_id, sequence_number, error;
  std::int64_t sub_sequence_number = 0, millis_behind_latest = 0;
  bool records = false;
};

// Copies the texts together, and decodes the data, into one piece of memory of their exact size.
Result<RecordBatchPtr> make_batch(const std::vector<Record>& read, std::int64_t behind) {
  std::size_t bytes = 0;
  for (const Record& record : read) {
    bytes += text::base64_decoded_size(record.data) + record.partition_key.size() +
             record.sequence_number.size();
  }
  auto storage = std::make_unique_for_overwrite<char[]>(bytes);
  char* to = storage.get();
  const auto copy = [&to](std::string_view text) {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    to += text.size();
    return std::string_view(to - text.size(), text.size());
  };
  std::vector<Record> records;
  records.reserve(read.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    Record record = read[i];
    const auto size = text::base64_decode(record.data, to);
    if (!size) {
      return Place{"data", i}.error(
          fmt::format("is no Base64: {} at {}", size.error().message, size.error().offset));
    }
    record.data = {to, *size};
    to += *size;
    record.partition_key = copy(record.partition_key);
    record.sequence_number = copy(record.sequence_number);
    records.push_back(record);
  }
  return std::make_shared<const RecordBatch>(std::move(storage), bytes, std::move(records), behind);
}

Result<Message> make_initialize(const Fields& fields) {
  if (!fields.shard_id || fields.shard_id->empty()) return Place{"shardId"}.error("is missing");
  return Initialize{std::string(*fields.shard_id), std::string(fields.sequence_number.value_or("")),
                    fields.sub_sequence_number};
}

Result<Message> make_message(const Fields& fields, const std::vector<Record>& records) {
  if (!fields.action) return Place{"action"}.error("is missing");
  const std::string_view action = *fields.action;
  if (action == "processRecords") {
    if (!fields.records) return Place{"records"}.error("is missing");
    auto batch = make_batch(records, fields.millis_behind_latest);
    if (!batch) return std::unexpected(std::move(batch.error()));
    return ProcessRecords{std::move(*batch)};
  }
  if (action == "checkpoint") {
    if (!fields.error) return CheckpointResult{};
    return CheckpointResult{std::string(*fields.error)};
  }
  if (action == "initialize") return make_initialize(fields);
  if (action == "leaseLost") return LeaseLost{};
  if (action == "shardEnded") return ShardEnded{};
  if (action == "shutdownRequested") return ShutdownRequested{};
  constexpr std::size_t shown_bytes = 40;
  if (action.size() > shown_bytes) {
    return Place{"action"}.error(fmt::format("is unknown, of {} bytes", action.size()));
  }
  return Place{"action"}.error(fmt::format("is unknown: {}", action));
}

Result<void> set_or_null(std::optional<std::string_view>& to, ondemand::value& value,
                         const Place& place) {
  if (is_null(value)) return {};
  return set(to.emplace(), text_of(value, place));
}

}  // namespace

struct Reader::Parser {
  ondemand::parser json;
  std::vector<Record> records;  // of the line at hand; views into it

  Result<void> read_records(ondemand::value& value);
  Result<void> read_field(ondemand::field& field, Fields& fields);
  Result<Message> read(std::string_view line);
};

Result<void> Reader::Parser::read_records(ondemand::value& value) {
  ondemand::array array;
  if (value.get_array().get(array)) return Place{"records"}.error("is no array");
  for (auto item : array) {
    ondemand::value element;
    if (const auto error = std::move(item).get(element)) return Place{"records"}.error(error);
    auto record = read_record(element, records.size());
    if (!record) return std::unexpected(std::move(record.error()));
    records.push_back(*record);
  }
  return {};
}

Result<void> Reader::Parser::read_field(ondemand::field& field, Fields& fields) {
  const ondemand::raw_json_string name = field.key();
  ondemand::value& value = field.value();
  if (name == "action") return set(fields.action.emplace(), text_of(value, {"action"}));
  if (name == "records") {
    if (std::exchange(fields.records, true)) return Place{"records"}.error("is there twice");
    return read_records(value);
  }
  if (name == "millisBehindLatest") {
    return set(fields.millis_behind_latest, number_or_null(value, {"millisBehindLatest"}));
  }
  if (name == "shardId") return set_or_null(fields.shard_id, value, {"shardId"});
  if (name == "sequenceNumber") {
    return set_or_null(fields.sequence_number, value, {"sequenceNumber"});
  }
  if (name == "subSequenceNumber") {
    return set(fields.sub_sequence_number, number_or_null(value, {"subSequenceNumber"}));
  }
  if (name == "error") return set_or_null(fields.error, value, {"error"});
  return {};
}

Result<Message> Reader::Parser::read(std::string_view line) {
  const Place place{"line"};
  records.clear();
  const simdjson::padded_string_view padded(line.data(), line.size(), line.size() + padding());
  ondemand::document document;
  if (const auto error = json.iterate(padded).get(document)) return place.error(error);
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return place.error(error);
  Fields fields;
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return place.error(error);
    if (auto done = read_field(field, fields); !done) {
      return std::unexpected(std::move(done.error()));
    }
  }
  // An end of the document that is not the line's, too, is what two lines run together look like.
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return place.error("goes on behind its object");
  }
  return make_message(fields, records);
}

Reader::Reader() : parser_(std::make_unique<Parser>()) {}
Reader::~Reader() = default;

std::size_t Reader::padding() {
  return simdjson::SIMDJSON_PADDING;
}

std::expected<Message, std::string> Reader::read(std::string_view line) {
  return parser_->read(line);
}

// The texts are names and digits: nothing in them needs an escape.
std::string status(std::string_view response_for) {
  return fmt::format(R"({{"action":"status","responseFor":"{}"}})", response_for);
}

std::string checkpoint(const Position& position) {
  return fmt::format(R"({{"action":"checkpoint","sequenceNumber":"{}","subSequenceNumber":{}}})",
                     position.sequence_number, position.sub_sequence_number);
}

std::string checkpoint_all() {
  return R"({"action":"checkpoint"})";
}

}  // namespace weir::processors::kinesis::protocol
