#include "repositories/storage/error.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace weir::storage {

IoError::IoError(std::string_view operation, const std::filesystem::path& path, int error_number)
    : StorageError(std::string(operation) + " " + path.string() + ": " +
                   std::generic_category().message(error_number)),
      path_(path),
      error_number_(error_number) {}

bool IoError::disk_full() const {
  return error_number_ == ENOSPC || error_number_ == EDQUOT;
}

DamagedError::DamagedError(const std::filesystem::path& path, std::uint64_t offset,
                           std::string_view reason)
    : StorageError(path.string() + " at offset " + std::to_string(offset) + ": " +
                   std::string(reason)),
      path_(path),
      offset_(offset) {}

}  // namespace weir::storage
