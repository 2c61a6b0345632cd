#include "engine/expression/machine_properties.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "engine/text/zone.h"

namespace weir::expression {
namespace {

std::string user_entry(bool home) {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(getuid(), &entry, memory.data(), memory.size(), &found) != 0 || !found) return "?";
  return home ? found->pw_dir : found->pw_name;
}

std::string architecture(const utsname& names) {
  const std::string machine = names.machine;
  return machine == "x86_64" ? "amd64" : machine;
}

std::optional<std::string> system_property(std::string_view name) {
  if (name == "user.timezone") return text::Zone::machine().id();
  if (name == "user.name") return user_entry(false);
  if (name == "user.home") return user_entry(true);
  if (name == "user.dir") {
    std::error_code failure;
    return std::filesystem::current_path(failure).string();
  }
  if (name == "file.separator") return "/";
  if (name == "path.separator") return ":";
  if (name == "line.separator") return "\n";
  if (name == "file.encoding") return "UTF-8";
  if (name.starts_with("os.")) {
    utsname names{};
    if (uname(&names) != 0) return std::nullopt;
    if (name == "os.name") return names.sysname;
    if (name == "os.version") return names.release;
    if (name == "os.arch") return architecture(names);
  }
  return std::nullopt;
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_flags = AI_CANONNAME;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &wanted, &found) != 0) found = nullptr;
  return {found, freeaddrinfo};
}

std::string address_text(const addrinfo& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = address.ai_family == AF_INET
                          ? static_cast<const void*>(
                                &reinterpret_cast<const sockaddr_in*>(address.ai_addr)->sin_addr)
                          : static_cast<const void*>(
                                &reinterpret_cast<const sockaddr_in6*>(address.ai_addr)->sin6_addr);
  if (!inet_ntop(address.ai_family, bytes, text.data(), text.size())) return {};
  return text.data();
}

}  // namespace

std::optional<std::string> machine_property(std::string_view name) {
  if (name.empty()) return std::nullopt;
  if (auto property = system_property(name)) return property;
  const std::string terminated(name);
  if (const char* variable = std::getenv(terminated.c_str())) return variable;
  return std::nullopt;
}

const std::string& host_name() {
  static const std::string name = [] {
    std::array<char, 256> memory{};
    if (gethostname(memory.data(), memory.size() - 1) != 0) return std::string("localhost");
    return std::string(memory.data());
  }();
  return name;
}

const std::string& qualified_host_name() {
  static const std::string name = [] {
    const Addresses addresses = resolve(host_name());
    return addresses && addresses->ai_canonname ? std::string(addresses->ai_canonname)
                                                : host_name();
  }();
  return name;
}

const std::string& host_address() {
  static const std::string address = [] {
    const Addresses addresses = resolve(host_name());
    for (const int family : {AF_INET, AF_INET6}) {
      for (const addrinfo* entry = addresses.get(); entry; entry = entry->ai_next) {
        if (entry->ai_family == family) return address_text(*entry);
      }
    }
    return std::string("127.0.0.1");
  }();
  return address;
}

}  // namespace weir::expression
