#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/api/error.h"
#include "engine/api/flow_file.h"
#include "engine/api/relationship.h"

namespace weir {

// Reads a FlowFile's content. Memory use does not depend on its size.
class InputStream {
 public:
  virtual ~InputStream() = default;
  // Reads on from the position; 0 only at the end.
  virtual std::size_t read(std::span<std::byte> out) = 0;
  virtual std::uint64_t size() const = 0;
  virtual std::uint64_t position() const = 0;
  virtual void seek(std::uint64_t position) = 0;

  std::string read_all();                            // the rest; for contents known small
  std::size_t read_fully(std::span<std::byte> out);  // short only at the end
};

// Writes a FlowFile's new content.
class OutputStream {
 public:
  virtual ~OutputStream() = default;  // without `close` before, the written bytes are given up
  virtual void write(std::span<const std::byte> data) = 0;
  virtual std::uint64_t written() const = 0;
  // The FlowFile has the new content from here on.
  virtual void close() = 0;

  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
};

// Adds provenance events beside those a session makes by itself (CREATE, CLONE, FORK by `create`
// with a parent, JOIN, CONTENT_MODIFIED, ATTRIBUTES_MODIFIED, DROP). An event reported here
// replaces the automatic one of the same FlowFile where NiFi's does.
class ProvenanceReporter {
 public:
  virtual ~ProvenanceReporter() = default;
  virtual void receive(const FlowFile& flow_file, std::string_view transit_uri,
                       std::string_view details = {}, std::int64_t duration_ms = -1) = 0;
  virtual void fetch(const FlowFile& flow_file, std::string_view transit_uri,
                     std::string_view details = {}, std::int64_t duration_ms = -1) = 0;
  virtual void send(const FlowFile& flow_file, std::string_view transit_uri,
                    std::string_view details = {}, std::int64_t duration_ms = -1) = 0;
  virtual void route(const FlowFile& flow_file, const Relationship& relationship,
                     std::string_view details = {}) = 0;
  virtual void create(const FlowFile& flow_file, std::string_view details = {}) = 0;
  virtual void modify_content(const FlowFile& flow_file, std::string_view details = {},
                              std::int64_t duration_ms = -1) = 0;
  virtual void modify_attributes(const FlowFile& flow_file, std::string_view details = {}) = 0;
  virtual void fork(const FlowFile& parent, std::span<const FlowFile> children,
                    std::string_view details = {}) = 0;
  virtual void join(std::span<const FlowFile> parents, const FlowFile& child,
                    std::string_view details = {}) = 0;
  virtual void add_info(const FlowFile& flow_file, std::string_view details) = 0;
};

// What a filter says of one queued FlowFile.
enum class FilterDecision { accept, accept_and_stop, reject, reject_and_stop };

// A transaction over FlowFiles: the only way to touch them. One trigger of a processor has one
// session; it belongs to one thread at a time.
//
// `commit` does, in this order:
//   1. every FlowFile must have been transferred or removed, else FlowFileHandlingError names it;
//   2. content written by the session is completed in its claims (always.sync: on disk);
//   3. one record with all FlowFile changes and all provenance events goes to the journal: the
//      commit point;
//   4. FlowFiles appear in their destination queues;
//   5. after-commit actions run, in the order they were added.
// `rollback`, an exception out of the trigger, or a crash before 3 leave everything as it was;
// FlowFiles are back at their place in the queue.
//
// A processor that declares batching (`supports_batching`) does not get a commit for each
// trigger: the engine ends several triggers with one, within the component's run duration.
// Processors need not call `commit`: the engine commits when `on_trigger` returns.
class ProcessSession {
 public:
  virtual ~ProcessSession() = default;

  // The next FlowFile of any incoming connection; a false handle where there is none. Penalized
  // FlowFiles are not given.
  virtual FlowFile get() = 0;
  virtual std::vector<FlowFile> get(std::size_t most) = 0;
  // Asks `filter` for each queued FlowFile in order until it says stop or the queue ends.
  virtual std::vector<FlowFile> get(
      const std::function<FilterDecision(const flowfile::FlowFileRecord&)>& filter) = 0;
  virtual std::size_t queued() const = 0;  // FlowFiles waiting in the incoming connections

  // A new FlowFile: attributes filename (= uuid) and path ("./"). With a parent it inherits all
  // attributes of the parent but the uuid, and is reported as FORK of it; with several it gets
  // what they have in common, as a JOIN.
  virtual FlowFile create() = 0;
  virtual FlowFile create(const FlowFile& parent) = 0;
  virtual FlowFile create(std::span<const FlowFile> parents) = 0;
  // Attributes and content (or a range of it, shared, not copied) of the original; CLONE.
  virtual FlowFile clone(const FlowFile& original) = 0;
  virtual FlowFile clone(const FlowFile& original, std::uint64_t offset, std::uint64_t size) = 0;
  // Gives `flow_file` a range of `source`'s content, sharing the bytes (e.g. children of a split
  // that were made by `create(parent)`).
  virtual void share_content(FlowFile flow_file, const FlowFile& source, std::uint64_t offset,
                             std::uint64_t size) = 0;

  virtual std::unique_ptr<InputStream> read(const FlowFile& flow_file) = 0;
  // Several streams may be open at a time, each for another FlowFile.
  virtual std::unique_ptr<OutputStream> write(FlowFile flow_file) = 0;
  virtual void write(FlowFile flow_file, const std::function<void(OutputStream&)>& writer) = 0;
  // As `write`, after the bytes the FlowFile has now.
  virtual std::unique_ptr<OutputStream> append(FlowFile flow_file) = 0;
  // The file's bytes become the content (kernel's copy where possible). Nothing happens to the
  // file. Throws IoError; a file that shrinks while it is copied is an error.
  virtual void import_from(const std::filesystem::path& file, FlowFile flow_file) = 0;
  // Writes the content to an open descriptor at its position.
  virtual void export_to(const FlowFile& flow_file, int descriptor) = 0;

  // `uuid` cannot be set or removed; trying throws FlowFileHandlingError.
  virtual void put_attribute(FlowFile flow_file, std::string_view name, std::string_view value) = 0;
  virtual void put_attributes(FlowFile flow_file,
                              std::span<const flowfile::Attributes::Entry> attributes) = 0;
  virtual void remove_attributes(FlowFile flow_file, std::span<const std::string> names) = 0;

  virtual void transfer(FlowFile flow_file, const Relationship& relationship) = 0;
  // By name: for dynamic relationships.
  virtual void transfer(FlowFile flow_file, std::string_view relationship) = 0;
  // Back to the queue it came from.
  virtual void transfer_to_source(FlowFile flow_file) = 0;
  // For the component's penalty duration, wherever it is transferred to.
  virtual void penalize(FlowFile flow_file) = 0;
  virtual void remove(FlowFile flow_file) = 0;

  virtual ProvenanceReporter& provenance() = 0;
  // Runs after this session's changes are committed (delete the source, answer the client). An
  // exception out of it is logged; the commit stays.
  virtual void after_commit(std::function<void()> action) = 0;
  virtual void adjust_counter(std::string_view name, std::int64_t delta) = 0;

  // Moves FlowFiles of this session to another one of the same component, as they are, so that
  // they can be kept beyond this trigger (bins of MergeContent).
  virtual void migrate(ProcessSession& to, std::span<const FlowFile> flow_files) = 0;

  virtual void commit() = 0;
  virtual void rollback(bool penalize = false) = 0;
};

// Makes sessions for a processor that manages its own (declares `manages_sessions`). A session
// that is not committed when the processor is stopped or terminated is rolled back by the engine.
class ProcessSessionFactory {
 public:
  virtual ~ProcessSessionFactory() = default;
  virtual std::shared_ptr<ProcessSession> create_session() = 0;
};

}  // namespace weir
