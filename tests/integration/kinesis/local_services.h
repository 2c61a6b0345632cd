#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "processors/aws/client.h"
#include "tests/tools/program.h"

namespace weir::kinesis_testing {

// What the local services do wrong on purpose; faults.js says what each part means.
struct Fault {
  struct Answer {
    int status = 400;
    std::string code;
    std::string message;
  };
  std::string service;                  // "kinesis", "dynamodb"
  std::vector<std::string> operations;  // none: all
  std::string contains = {};            // in the request's body
  double share = 1;                     // of the requests
  std::uint32_t seed = 1;               // of the choice
  int delay_ms = 0;
  bool lose = false;
  std::optional<Answer> answer = {};
};

// A Kinesis and a DynamoDB on this machine, on ports of the loopback that were free. They hold
// everything in memory and end with the test program, however it ends.
class LocalServices {
 public:
  // Of the whole program; started by the first call. Throws where that does not work.
  static LocalServices& instance();

  LocalServices();
  LocalServices(const LocalServices&) = delete;
  LocalServices& operator=(const LocalServices&) = delete;

  // For consumers: what fails on order. URLs.
  std::string kinesis() const { return url(doors_.kinesis); }
  std::string dynamodb() const { return url(doors_.dynamodb); }
  // For tests: behind that door, so that faults do not meet them.
  std::unique_ptr<processors::aws::Client> kinesis_client() const;
  std::unique_ptr<processors::aws::Client> dynamodb_client() const;

  // Throws nothing itself: whether somebody listens shows in its calls.
  static std::unique_ptr<processors::aws::Client> client(const std::string& service,
                                                         const std::string& url);

  // Replaces what was ordered before, and gives how often each of those faults hit. `down`: these
  // services refuse connections.
  std::vector<std::uint64_t> order(const std::vector<Fault>& faults,
                                   const std::vector<std::string>& down = {});
  std::vector<std::uint64_t> mend() { return order({}); }

 private:
  struct Ports {
    int kinesis = 0, dynamodb = 0, orders = 0;
  };
  static std::string url(int port);
  void start();
  bool answers();

  const tools::testing::Folder folder_;
  Ports ports_;  // of the services
  Ports doors_;  // of what stands in front of them
  std::unique_ptr<tools::testing::Program> kinesis_, dynamodb_, door_;
};

inline constexpr const char* kRegion = "us-east-1";
// Any will do, but for those the door is told to refuse.
inline constexpr const char* kAccessKey = "local-access-key";
inline constexpr const char* kSecretKey = "local-secret-key";

}  // namespace weir::kinesis_testing
