#pragma once

#include <cstddef>

#include "processors/kafka/client.h"

namespace weir::processors::kafka {

// Calls `take(name, value, size)` for each header of the record, in order; `value` is null where
// the header has none.
template <typename Take>
void for_each_header(const rd_kafka_message_t& record, Take take) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&record, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0;
       rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i) {
    take(name, value, size);
  }
}

}  // namespace weir::processors::kafka
