#pragma once

#include "repositories/storage/error.h"

namespace weir {

// Thrown by a processor that cannot go on with this trigger: the session rolls back, its
// FlowFiles are penalized, the processor yields, and a bulletin carries the message.
class ProcessException : public storage::StorageError {
 public:
  using storage::StorageError::StorageError;
};

// A component misuses its session: transfers a FlowFile twice, leaves one, uses one of another
// session. Names the FlowFile. Handled like ProcessException.
class FlowFileHandlingError : public ProcessException {
 public:
  using ProcessException::ProcessException;
};

}  // namespace weir
