#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/kinesis/local_services.h"

namespace weir::kinesis_testing {

// One ConsumeKinesis and the PutFile behind it.
struct ConsumerSpec {
  std::string name = "consume";
  std::string stream;
  std::string application;
  std::map<std::string, std::string> properties = {};  // beside and over those of all tests
  std::string state = "running";                       // of the PutFile
  int backpressure = 10000;                            // FlowFiles between the two
};

// What makes the KCL quick: short intervals everywhere, and each worker taking leases by itself.
std::map<std::string, std::string> consumer_properties(const LocalServices& services,
                                                       const ConsumerSpec& consumer);

// A flow of them, as JSON. Each writes its FlowFiles under their UUIDs into `out`/NAME.
// `parameters` are names with files that hold their values.
std::string consumer_flow(const LocalServices& services, const std::vector<ConsumerSpec>& consumers,
                          const std::filesystem::path& out,
                          const std::map<std::string, std::string>& parameters = {});

}  // namespace weir::kinesis_testing
