#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::expression {

// Where no attribute has a name: what a JVM would tell of this machine under its system
// properties (user.timezone, user.name, user.home, user.dir, os.name, os.version, os.arch,
// file.separator, path.separator, line.separator, file.encoding), then the environment variables.
// Properties of a JVM that mean nothing here (java.*) do not exist.
std::optional<std::string> machine_property(std::string_view name);

// The name of this host, fully qualified on demand, and an address of it. Asked for once.
const std::string& host_name();
const std::string& qualified_host_name();
const std::string& host_address();

}  // namespace weir::expression
