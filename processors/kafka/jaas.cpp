#include <fmt/format.h>

#include <cctype>
#include <map>
#include <optional>

#include "processors/kafka/client_settings.h"

namespace weir::processors::kafka {
namespace {

// Reads "module flag name=value …;". Messages never repeat what stands between the quotes.
class JaasReader {
 public:
  explicit JaasReader(std::string_view text) : rest_(text) {}

  struct Login {
    std::string module;
    std::map<std::string, std::string> options;
  };

  std::optional<Login> read() {
    Login login;
    login.module = word();
    const std::string flag = word();
    if (login.module.empty() || flag.empty()) return std::nullopt;
    while (true) {
      skip_space();
      if (rest_.empty()) return std::nullopt;  // no ';'
      if (rest_.front() == ';') break;
      std::string name = word();
      skip_space();
      if (name.empty() || rest_.empty() || rest_.front() != '=') return std::nullopt;
      rest_.remove_prefix(1);
      skip_space();
      std::optional<std::string> value = option_value();
      if (!value) return std::nullopt;
      login.options.insert_or_assign(std::move(name), *std::move(value));
    }
    rest_.remove_prefix(1);
    skip_space();
    return rest_.empty() ? std::optional(std::move(login)) : std::nullopt;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) {
      rest_.remove_prefix(1);
    }
  }

  std::string word() {
    skip_space();
    std::string found;
    while (!rest_.empty() && !std::isspace(static_cast<unsigned char>(rest_.front())) &&
           rest_.front() != '=' && rest_.front() != ';' && rest_.front() != '"') {
      found += rest_.front();
      rest_.remove_prefix(1);
    }
    return found;
  }

  std::optional<std::string> option_value() {
    if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\'')) return word();
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    std::string found;
    while (!rest_.empty() && rest_.front() != quote) {
      if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      found += rest_.front();
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) return std::nullopt;
    rest_.remove_prefix(1);
    return found;
  }

  std::string_view rest_;
};

}  // namespace

std::expected<Settings, std::string> translate_jaas(std::string_view text) {
  const auto login = JaasReader(text).read();
  if (!login) {
    return std::unexpected("it does not read as: MODULE required NAME=\"VALUE\" …;");
  }
  const std::string_view module =
      std::string_view(login->module).substr(login->module.rfind('.') + 1);
  if (module != "PlainLoginModule" && module != "ScramLoginModule") {
    return std::unexpected(fmt::format(
        "the login module {} is not there: choose PlainLoginModule or ScramLoginModule", module));
  }
  const auto user = login->options.find("username");
  const auto password = login->options.find("password");
  if (user == login->options.end() || password == login->options.end()) {
    return std::unexpected("it names no username and password");
  }
  if (const auto token = login->options.find("tokenauth");
      token != login->options.end() && token->second == "true") {
    return std::unexpected("login by delegation token is not there");
  }
  return Settings{{"sasl.username", user->second}, {"sasl.password", password->second}};
}

}  // namespace weir::processors::kafka
