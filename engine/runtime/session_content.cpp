#include <unistd.h>

#include <cerrno>

#include "engine/runtime/session.h"

namespace weir::runtime {

using content::ContentClaim;

namespace {

// Up to this size a file goes through memory, together with other small contents and with a
// checksum; beyond it the stream's pieces do.
constexpr std::size_t kCopyPiece = 1u << 20;

class SessionInput : public InputStream {
 public:
  explicit SessionInput(std::unique_ptr<content::ContentReader> reader)
      : reader_(std::move(reader)), size_(reader_ ? reader_->size() : 0) {}

  std::size_t read(std::span<std::byte> out) override {
    if (position_ >= size_) return 0;
    const std::size_t got = reader_->read_at(position_, out);
    position_ += got;
    return got;
  }
  std::uint64_t size() const override { return size_; }
  std::uint64_t position() const override { return position_; }
  void seek(std::uint64_t position) override { position_ = std::min(position, size_); }

 private:
  std::unique_ptr<content::ContentReader> reader_;
  const std::uint64_t size_;
  std::uint64_t position_ = 0;
};

void write_all(int descriptor, std::span<const std::byte> data) {
  while (!data.empty()) {
    const ssize_t written = ::write(descriptor, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw storage::IoError("write", "exported content", errno);
    data = data.subspan(static_cast<std::size_t>(written));
  }
}

}  // namespace

// Writes one content through one of the session's writers.
class SessionOutput : public OutputStream {
 public:
  SessionOutput(Session& session, Session::Entry& entry, std::size_t slot)
      : session_(session), entry_(entry), slot_(slot) {
    session_.writers_[slot_].busy = true;
    session_.writers_[slot_].writer->begin();
  }
  ~SessionOutput() override {
    if (closed_ || slot_ >= session_.writers_.size()) return;
    session_.writers_[slot_].writer->abandon();
    session_.writers_[slot_].busy = false;
  }

  void write(std::span<const std::byte> data) override {
    session_.check_open();
    session_.writers_[slot_].writer->append(data);
  }
  std::uint64_t written() const override { return session_.writers_[slot_].writer->written(); }
  void close() override {
    if (closed_) return;
    session_.check_open();
    session_.set_content(entry_, session_.writers_[slot_].writer->finish());
    session_.writers_[slot_].busy = false;
    closed_ = true;
  }

 private:
  Session& session_;
  Session::Entry& entry_;
  const std::size_t slot_;
  bool closed_ = false;
};

std::size_t Session::free_writer() {
  for (std::size_t i = 0; i < writers_.size(); ++i) {
    if (!writers_[i].busy) return i;
  }
  writers_.push_back({owner_.services.contents->writer(), false});
  return writers_.size() - 1;
}

void Session::flush_writers() {
  for (WriterSlot& slot : writers_) slot.writer->flush();
}

void Session::set_content(Entry& entry, ContentClaim claim) {
  writable(entry).claim = std::move(claim);
  entry.content_changed = true;
}

void Session::share_content(FlowFile flow_file, const FlowFile& source, std::uint64_t offset,
                            std::uint64_t size) {
  Entry& entry = own(flow_file);
  Entry& from = own(source);
  if (offset > from.current->size() || size > from.current->size() - offset) {
    misuse(from, "was to be shared past the end of its content");
  }
  set_content(entry, from.current->claim.part(offset, size));
}

std::unique_ptr<InputStream> Session::read(const FlowFile& flow_file) {
  Entry& entry = own(flow_file);
  if (!entry.current->claim) return std::make_unique<SessionInput>(nullptr);
  flush_writers();
  return std::make_unique<SessionInput>(owner_.services.contents->read(entry.current->claim));
}

std::unique_ptr<OutputStream> Session::write(FlowFile flow_file) {
  Entry& entry = own(flow_file);
  return std::make_unique<SessionOutput>(*this, entry, free_writer());
}

void Session::write(FlowFile flow_file, const std::function<void(OutputStream&)>& writer) {
  SessionOutput output(*this, own(flow_file), free_writer());
  writer(output);
  output.close();
}

std::unique_ptr<OutputStream> Session::append(FlowFile flow_file) {
  Entry& entry = own(flow_file);
  const ContentClaim before = entry.current->claim;
  auto output = std::make_unique<SessionOutput>(*this, entry, free_writer());
  if (!before) return output;
  flush_writers();
  const auto reader = owner_.services.contents->read(before);
  std::vector<std::byte> piece(std::min<std::uint64_t>(kCopyPiece, before.length()));
  for (std::uint64_t offset = 0; offset < before.length();) {
    const std::size_t got = reader->read_at(offset, piece);
    output->write(std::span(piece).first(got));
    offset += got;
  }
  return output;
}

void Session::import_from(const std::filesystem::path& file, FlowFile flow_file) {
  Entry& entry = own(flow_file);
  const auto source = owner_.services.files.open_read(file);
  const std::uint64_t size = source->size();
  SessionOutput output(*this, entry, free_writer());
  std::vector<std::byte> piece(std::min<std::uint64_t>(kCopyPiece, size));
  for (std::uint64_t offset = 0; offset < size;) {
    const std::size_t got = source->read_at(offset, piece);
    if (got == 0) {
      throw ProcessException(file.string() + ": the file became shorter while it was read");
    }
    output.write(std::span(piece).first(std::min<std::uint64_t>(got, size - offset)));
    offset += got;
  }
  output.close();
}

void Session::export_to(const FlowFile& flow_file, int descriptor) {
  Entry& entry = own(flow_file);
  if (!entry.current->claim) return;
  flush_writers();
  const auto reader = owner_.services.contents->read(entry.current->claim);
  const std::uint64_t size = reader->size();
  const content::ContentReader::Source source = reader->source();
  std::uint64_t done = 0;
  if (source.file != nullptr && source.file->descriptor() >= 0) {
    auto from = static_cast<off64_t>(source.offset);
    while (done < size) {
      const ssize_t copied =
          ::copy_file_range(source.file->descriptor(), &from, descriptor, nullptr, size - done, 0);
      if (copied < 0 && errno == EINTR) continue;
      if (copied <= 0) break;  // another file system, a pipe: by hand
      done += static_cast<std::uint64_t>(copied);
    }
  }
  std::vector<std::byte> piece(std::min<std::uint64_t>(kCopyPiece, size - done));
  while (done < size) {
    const std::size_t got = reader->read_at(done, piece);
    write_all(descriptor, std::span(piece).first(got));
    done += got;
  }
}

}  // namespace weir::runtime
