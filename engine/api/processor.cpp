#include "engine/api/processor.h"

namespace weir {

void Processor::on_trigger_with(ProcessContext& context, ProcessSessionFactory& sessions) {
  const std::shared_ptr<ProcessSession> session = sessions.create_session();
  try {
    on_trigger(context, *session);
    session->commit();
  } catch (...) {
    session->rollback(true);
    throw;
  }
}

}  // namespace weir
