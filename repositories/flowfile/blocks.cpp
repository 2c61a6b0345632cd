#include "repositories/flowfile/blocks.h"

#include <algorithm>

namespace weir::flowfile {

void BatchWriter::add(const PlainFlowFile& file, std::uint32_t connection,
                      storage::Bytes encoded_connection) {
  const auto known = std::find(table_numbers_.rbegin(), table_numbers_.rend(), connection);
  std::size_t index;
  if (known == table_numbers_.rend()) {
    index = table_numbers_.size();
    table_numbers_.push_back(connection);
    storage::Encoder(table_).raw(encoded_connection);
  } else {
    index = static_cast<std::size_t>(table_numbers_.rend() - known) - 1;
  }
  storage::Encoder out(body_);
  encode_update({.kind = FlowFileUpdate::Kind::create,
                 .has_attributes = true,
                 .has_content = !file.claim.container.empty(),
                 .connection = static_cast<std::uint32_t>(index),
                 .file = file},
                context_, out);
  out.signed_varint(static_cast<std::int64_t>(file.order - context_.order));
  context_.order = file.order;
  ++batch_count_;
  ++count_;
  if (body_.size() >= format::kBatchBytes) write_batch();
}

void BatchWriter::write_batch() {
  if (batch_count_ == 0) return;
  payload_.clear();
  storage::Encoder out(payload_);
  out.u8(static_cast<std::uint8_t>(format::BlockKind::flow_files));
  out.varint(table_numbers_.size());
  out.raw(table_);
  out.varint(batch_count_);
  out.raw(body_);
  log_.append(++sequence_, payload_);
  batch_count_ = 0;
  context_ = {};
  table_.clear();
  table_numbers_.clear();
  body_.clear();
}

void BatchWriter::write_record(storage::Bytes payload) {
  write_batch();
  log_.append(++sequence_, payload);
}

void decode_batch(storage::Decoder in, const BatchVisitor& visit) {
  std::vector<storage::Bytes> connections(in.count(1));
  for (storage::Bytes& connection : connections) connection = decode_connection(in);
  const std::size_t count = in.count(1);
  UpdateContext context;
  for (std::size_t i = 0; i < count; ++i) {
    PlainUpdate update = decode_update(context, in);
    context.order += static_cast<std::uint64_t>(in.signed_varint());
    update.file.order = context.order;
    if (update.kind != FlowFileUpdate::Kind::create || update.connection >= connections.size()) {
      throw storage::DecodeError("a FlowFile of a batch is malformed");
    }
    visit(update.file, connections[update.connection]);
  }
  if (!in.at_end()) throw storage::DecodeError("a batch is longer than its FlowFiles");
}

}  // namespace weir::flowfile
