#pragma once

#include <span>

// What is known of MIME types without any configuration. Rows of constants.
namespace weir::processors {

struct MimeTypeRow {
  const char* name;
  const char* parent;
  const char* extensions;  // parted by spaces
};

// A file whose bytes are so is of the type. Rules of a higher priority win.
struct MimeMagicRow {
  const char* type;
  int priority;
  const char* rule;  // see parse_magic_rule
};

// An XML document whose root element is so is of the type.
struct MimeRootRow {
  const char* type;
  const char* name_space;
  const char* local_name;  // empty: any
};

// A file of exactly this name is of the type.
struct MimeNameRow {
  const char* file_name;
  const char* type;
};

std::span<const MimeTypeRow> mime_applications();
std::span<const MimeTypeRow> mime_others();
std::span<const MimeMagicRow> mime_application_magics();
std::span<const MimeMagicRow> mime_other_magics();
std::span<const MimeRootRow> mime_roots();
std::span<const MimeNameRow> mime_names();

}  // namespace weir::processors
