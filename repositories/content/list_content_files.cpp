#include "repositories/content/content_repository.h"
#include "repositories/content/layout.h"

namespace weir::content {
namespace {

void list_folder(storage::FileSystem& files, const std::string& container,
                 const storage::Path& directory, std::uint32_t section, bool archived,
                 const std::function<void(const ContentFile&)>& visit) {
  const storage::Path folder =
      archived ? archive_directory(directory, section) : section_path(directory, section);
  if (!files.status(folder)) return;
  for (const auto& entry : files.list(folder)) {
    const auto identifier = parse_identifier(entry.name);
    if (!identifier || entry.type != storage::FileStatus::Type::regular) continue;
    const auto path = archived ? archive_path(directory, section, *identifier)
                               : live_path(directory, section, *identifier);
    const auto status = files.status(path);
    if (!status) continue;  // a running engine took it away
    visit({{container, section, *identifier, 0, status->size_bytes}, archived});
  }
}

}  // namespace

void list_content_files(storage::FileSystem& files,
                        const std::map<std::string, storage::Path>& containers,
                        const std::function<void(const ContentFile&)>& visit) {
  for (const auto& [name, directory] : containers) {
    for (std::uint32_t section = 0; section < kSections; ++section) {
      list_folder(files, name, directory, section, false, visit);
      list_folder(files, name, directory, section, true, visit);
    }
  }
}

}  // namespace weir::content
