#pragma once

#include <string_view>

#include "engine/api/processor.h"

namespace weir::processors {

// Sends a FlowFile that cannot be handled to `relationship`. The reason goes to the attribute
// `attribute_name` and to the log, as an error, from which a bulletin comes.
void fail(ProcessContext& context, ProcessSession& session, const FlowFile& flow_file,
          const Relationship& relationship, std::string_view attribute_name,
          std::string_view reason);

}  // namespace weir::processors
