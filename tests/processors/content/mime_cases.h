#pragma once

#include <string>
#include <vector>

namespace weir::processors {

// What NiFi's detector says of a name and bytes.
struct MimeCase {
  const char* file_name;  // empty: it does not count
  std::string content;
  std::string type;
  std::string extension;
  std::string character_set;  // empty: none
};

const std::vector<MimeCase>& mime_cases();

}  // namespace weir::processors
