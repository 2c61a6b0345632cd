#include "processors/content/mime_fallback.h"

#include <fmt/format.h>
#include <magic.h>

#include <algorithm>
#include <array>
#include <memory>

#include "engine/api/error.h"

namespace weir::processors {
namespace {

struct Known {
  std::string_view database_name;
  FallbackType type;
};

// Only what the database tells by marks that nothing else has: of some bytes it is too sure.
constexpr std::array known = {
    Known{"application/vnd.apache.arrow.file", {"application/vnd.apache.arrow.file", ".arrow"}},
    Known{"application/vnd.lotus-1-2-3", {"application/vnd.lotus-1-2-3", ".123"}},
    Known{"application/vnd.ms-opentype", {"application/x-font-otf", ".otf"}},
    Known{"application/x-appleworks3", {"application/x-appleworks", ".cwk"}},
    Known{"application/x-bytecode.python", {"application/x-bytecode.python", ".pyc"}},
    Known{"application/x-dosdriver", {"application/x-msdownload", ".dll"}},
    Known{"application/x-dosexec", {"application/x-msdownload", ".dll"}},
    Known{"application/x-hdf5", {"application/x-hdf", ".hdf"}},
    Known{"application/x-ima", {"application/x-fat-diskimage", ""}},
    Known{"application/x-lrzip", {"application/x-lrzip", ".lrz"}},
    Known{"application/x-lzop", {"application/x-lzop", ".lzo"}},
    Known{"application/x-qemu-disk", {"application/x-qemu-disk", ".qcow2"}},
    Known{"application/x-rpm", {"application/x-rpm", ".rpm"}},
    Known{"application/x-virtualbox-vdi", {"application/x-virtualbox-vdi", ".vdi"}},
    Known{"application/x-xar", {"application/x-xar", ".xar"}},
    Known{"audio/x-adpcm", {"audio/x-adpcm", ""}},
    Known{"audio/x-ape", {"audio/x-ape", ".ape"}},
    Known{"audio/x-dsf", {"audio/x-dsf", ".dsf"}},
    Known{"audio/x-musepack", {"audio/x-musepack", ".mpc"}},
    Known{"font/sfnt", {"application/x-font-ttf", ".ttf"}},
    Known{"font/woff", {"font/woff", ".woff"}},
    Known{"font/woff2", {"font/woff2", ".woff2"}},
    Known{"image/fits", {"application/fits", ".fits"}},
    Known{"image/vnd.dwg", {"image/vnd.dwg", ".dwg"}},
    Known{"image/x-exr", {"image/x-exr", ".exr"}},
    Known{"image/x-xcf", {"image/x-xcf", ".xcf"}},
};

struct Close {
  void operator()(magic_set* handle) const { magic_close(handle); }
};

std::unique_ptr<magic_set, Close> open_database() {
  std::unique_ptr<magic_set, Close> handle(magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS));
  if (!handle || magic_load(handle.get(), nullptr) != 0) {
    const char* const reason = handle ? magic_error(handle.get()) : nullptr;
    throw ProcessException(
        fmt::format("the magic database cannot be loaded: {}", reason ? reason : "no memory"));
  }
  return handle;
}

}  // namespace

FallbackType ask_magic_database(std::string_view prefix) {
  // A handle is for one thread at a time, and costs milliseconds to make.
  thread_local const std::unique_ptr<magic_set, Close> database = open_database();
  const char* const answer = magic_buffer(database.get(), prefix.data(), prefix.size());
  if (!answer) return {};
  const auto found = std::ranges::find(known, std::string_view(answer), &Known::database_name);
  return found == known.end() ? FallbackType{} : found->type;
}

}  // namespace weir::processors
