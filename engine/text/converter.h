#pragma once

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include <memory>
#include <string>

#include "engine/text/character_set.h"

namespace weir::text {

// What ICU calls where it cannot convert: counts, and writes the replacement.
struct ConverterCallbacks {
  static void malformed(const void* decoder, UConverterToUnicodeArgs* arguments, const char* bytes,
                        std::int32_t length, UConverterCallbackReason reason, UErrorCode* error);
  static void unmappable(const void* encoder, UConverterFromUnicodeArgs* arguments,
                         const UChar* units, std::int32_t length, UChar32 code_point,
                         UConverterCallbackReason reason, UErrorCode* error);
};

}  // namespace weir::text
