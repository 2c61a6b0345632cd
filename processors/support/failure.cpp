#include "processors/support/failure.h"

namespace weir::processors {

void fail(ProcessContext& context, ProcessSession& session, const FlowFile& flow_file,
          const Relationship& relationship, std::string_view attribute_name,
          std::string_view reason) {
  context.log().error("{} goes to {}: {}", flow_file.uuid(), relationship.name, reason);
  session.put_attribute(flow_file, attribute_name, reason);
  session.transfer(flow_file, relationship);
}

}  // namespace weir::processors
