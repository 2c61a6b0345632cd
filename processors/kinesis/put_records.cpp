#include "processors/kinesis/put_records.h"

#include <algorithm>

#include "engine/json/parse.h"
#include "engine/json/write.h"
#include "engine/text/base64.h"
#include "processors/aws/service_error.h"

namespace weir::processors::kinesis {
namespace {

std::string member(const json::Value& value, std::string_view name) {
  const json::Value* found = value.find(name);
  return found != nullptr && found->is_string() ? std::string(found->as_text()) : std::string();
}

std::string message_of(const json::Value& result, const std::string& code) {
  std::string message = member(result, "ErrorMessage");
  return message.empty() ? code : message;
}

}  // namespace

void PutRecord::note_error(std::string code, std::string message) {
  error_code = std::move(code);
  error_message = std::move(message);
}

void PutRecord::fail(std::string code, std::string message) {
  state = State::failed;
  note_error(std::move(code), std::move(message));
  content = {};
}

std::string PutRecord::reason() const {
  if (error_message.contains(error_code)) return error_message;
  return error_code + ": " + error_message;
}

std::string put_records_request(const PutRecords& records) {
  std::size_t size = 200;
  for (const PutRecord* record : records) size += record->bytes() * 4 / 3 + 64;
  std::string body;
  body.reserve(size);
  body += R"({"StreamName":)";
  json::write_string(records.front()->stream, body);
  body += R"(,"Records":[)";
  for (const PutRecord* record : records) {
    body += record == records.front() ? R"({"Data":")" : R"(,{"Data":")";
    body += text::base64_encode(record->content);
    body += R"(","PartitionKey":)";
    json::write_string(record->key, body);
    body += '}';
  }
  body += "]}";
  return body;
}

bool read_put_records_answer(const std::string& answer, const PutRecords& records) {
  json::Arena arena;
  const auto value = json::parse(answer, arena);
  const json::Value* results = value && value->is_object() ? value->find("Records") : nullptr;
  if (results == nullptr || !results->is_array() || results->size() != records.size() ||
      !std::ranges::all_of(results->items(), &json::Value::is_object)) {
    return false;
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const json::Value& result = results->items()[i];
    PutRecord& record = *records[i];
    const std::string code = member(result, "ErrorCode");
    if (code.empty()) {
      record.state = PutRecord::State::accepted;
      record.shard_id = member(result, "ShardId");
      record.sequence_number = member(result, "SequenceNumber");
      record.content = {};
      record.note_error({}, {});
    } else if (aws::is_retryable_code(code)) {
      record.note_error(code, message_of(result, code));
    } else {
      record.fail(code, message_of(result, code));
    }
  }
  return true;
}

}  // namespace weir::processors::kinesis
