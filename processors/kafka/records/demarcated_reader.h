#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/api/process_session.h"

namespace weir::processors::kafka {

// The records of a content with a text between them, one after another; empty ones are left out, as
// in NiFi. Holds one record and a piece of the content in memory.
class DemarcatedReader {
 public:
  // The demarcator is not empty. Both outlive the reader.
  DemarcatedReader(InputStream& content, std::string_view demarcator, std::size_t most_bytes)
      : content_(content), demarcator_(demarcator), most_bytes_(most_bytes) {}

  // Good until the next call; nullopt at the end. Throws ProcessException where a record is larger
  // than `most_bytes`.
  std::optional<std::string_view> next();

 private:
  void fill();

  InputStream& content_;
  const std::string_view demarcator_;
  const std::size_t most_bytes_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the record that is looked for
  std::size_t searched_ = 0;  // no demarcator begins before
  bool ended_ = false;
};

}  // namespace weir::processors::kafka
