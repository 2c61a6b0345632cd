#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/pattern.h"
#include "engine/api/process_session.h"
#include "processors/archive/archive_reader.h"
#include "processors/archive/flow_file_package.h"
#include "processors/archive/zip_local_header.h"

namespace weir::processors {

// An archive with more entries than one session should hold.
class EntryLimitExceeded : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

// Each child stands in memory until the commit (its attributes, not its content).
struct UnpackLimits {
  std::uint64_t most_children = 100'000;
  std::uint64_t most_attribute_bytes = 256 * 1024 * 1024;  // of all children together
};

// What UnpackContent is configured to do; the same for all FlowFiles and threads.
struct UnpackSettings {
  std::optional<Pattern> file_filter;   // found anywhere in an entry's name; not set: all
  std::optional<std::string> password;  // of zips
  std::string file_name_set = "UTF-8";  // of zips that do not say
  bool allows_stored_with_descriptor = false;
  UnpackLimits limits = {};
};

enum class PackagingFormat { tar, zip, flow_file_v3, flow_file_v2, flow_file_v1 };

// One FlowFile being unpacked. The children are made as their entries are read, each content
// going straight into the session; none is transferred. Nothing of it is shared, so that FlowFiles
// unpacked at the same time cannot disturb each other.
class Unpacking {
 public:
  Unpacking(ProcessSession& session, const FlowFile& source, const UnpackSettings& settings,
            std::string fragment_identifier);

  // Throws ArchiveError, ExpansionLimitExceeded or EntryLimitExceeded; `children` are then those
  // made till there, to be removed.
  void run(PackagingFormat format);
  const std::vector<FlowFile>& children() const { return children_; }

 private:
  using Attributes = std::vector<flowfile::Attributes::Entry>;

  void run_tar(InputStream& in);
  void run_zip(InputStream& in);
  void run_package(InputStream& in, PackageVersion version);
  void add_fragment_attributes();
  FlowFile add_child(Attributes attributes);
  bool matches(const std::string& name) const;
  Attributes tar_attributes(const ArchiveEntry& entry) const;
  Attributes zip_attributes(const ArchiveEntry& entry, const ZipLocalHeader& header,
                            const std::string& name) const;
  void append_fragment(Attributes& attributes) const;
  // Reads an entry that nobody wants, where that is how its end is found.
  void skip_content(ArchiveReader& archive, const InputStream& in);
  template <typename Reader>
  void write_content(FlowFile child, Reader& reader, const InputStream& in);

  ProcessSession& session_;
  const FlowFile source_;
  const UnpackSettings& settings_;
  const std::string fragment_identifier_;
  std::vector<FlowFile> children_;
  std::vector<std::byte> buffer_;
  std::uint64_t out_bytes_ = 0;
  std::uint64_t attribute_bytes_ = 0;
};

}  // namespace weir::processors
