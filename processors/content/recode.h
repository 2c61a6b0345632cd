#pragma once

#include <string_view>

#include "engine/api/process_session.h"
#include "processors/content/codec.h"

namespace weir::processors {

// Gives a FlowFile its content anew, through a decompressor and then a compressor; null leaves a
// step out. Memory does not depend on the size. Throws CodecError where the content is damaged,
// ExpansionLimitExceeded where it grows past all measure; the FlowFile then has its old content.
void recode(ProcessSession& session, FlowFile flow_file, Codec* decompressor, Codec* compressor);

// Whether the name ends with the extension, in capitals or not.
bool has_extension(std::string_view name, std::string_view extension);

}  // namespace weir::processors
