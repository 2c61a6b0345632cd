#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "processors/aws/credentials.h"
#include "processors/aws/service_error.h"

namespace weir::processors::aws {

struct ClientSettings {
  std::string service;  // "kinesis", "dynamodb", "sts": host and signing name
  std::string region;
  std::string endpoint;  // empty: the service's in the region; else URL with scheme
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  // connect and silence
};

// Speaks one AWS service's JSON protocol by HTTP, signed with Signature Version 4 (libcurl).
// Keeps connections. Thread safe; calls block.
class Client {
 public:
  Client(ClientSettings settings, std::shared_ptr<CredentialsProvider> credentials);
  ~Client();

  // POST with X-Amz-Target `target` ("Kinesis_20131202.PutRecords") and a JSON body. Gives the
  // answer's body; throws ServiceError.
  std::string call(std::string_view target, std::string_view body,
                   std::string_view content_type = "application/x-amz-json-1.1");

  const std::string& endpoint() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace weir::processors::aws
