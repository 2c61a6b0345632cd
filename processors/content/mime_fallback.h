#pragma once

#include <string_view>

namespace weir::processors {

// A type that the built-in rules do not know, by libmagic's database.
struct FallbackType {
  std::string_view name;  // as IANA or NiFi has it; empty: not known either
  std::string_view extension;
};

// Asks the database, which is loaded once a thread. Throws ProcessException where it cannot be.
FallbackType ask_magic_database(std::string_view prefix);

}  // namespace weir::processors
