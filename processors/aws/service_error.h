#pragma once

#include <stdexcept>
#include <string>

namespace weir::processors::aws {

// An answer of the service that is no success, or none at all. `what()` names endpoint and code,
// and holds no secret.
class ServiceError : public std::runtime_error {
 public:
  // `status` 0: no answer (connection refused, timeout, TLS), then `code` is "".
  ServiceError(int status, std::string code, const std::string& message)
      : std::runtime_error(message), status_(status), code_(std::move(code)) {}
  int status() const { return status_; }
  const std::string& code() const { return code_; }  // "ResourceNotFoundException"
  // Whether the same request may succeed a little later: no answer, throttling, a fault inside.
  bool retryable() const;

 private:
  int status_;
  std::string code_;
};

// Whether a code, of a request or of one record in it, says so.
bool is_retryable_code(const std::string& code);

}  // namespace weir::processors::aws
