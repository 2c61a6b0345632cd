#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <optional>

#include "engine/api/pattern.h"
#include "engine/api/units.h"
#include "engine/flow/ids.h"
#include "engine/flow/parameters.h"
#include "engine/flow/reporter.h"
#include "engine/flow/short_endpoints.h"

namespace weir::flow {
namespace {

// Of a file that a parameter names; a provider says itself how much it takes.
constexpr std::uint64_t max_file_bytes = 64 * 1024;
constexpr std::string_view environment_provider = "EnvironmentVariableParameterProvider";
constexpr std::string_view file_provider = "FileParameterProvider";

using Values = std::map<std::string, std::string>;

// Text files end with a line break that no password has.
void cut_line_break(std::string& text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
}

std::optional<std::string> decode_base64(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  const int length =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), int(text.size()));
  if (length < 0) return std::nullopt;
  const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  if (padding > 2) return std::nullopt;
  out.resize(static_cast<std::size_t>(length) - padding);
  return out;
}

class Opener {
 public:
  Opener(Flow& flow, const ValueSources& sources)
      : flow_(flow), sources_(sources), reporter_(flow.file) {}

  std::vector<Problem> run() {
    for (ParameterContextNode& context : flow_.parameter_contexts) {
      if (!context.provider.empty()) ask_provider(context);
      for (auto& [name, parameter] : context.parameters) open_parameter(name, parameter);
    }
    for (ServiceNode& one : flow_.controller_services) open_properties(one.properties);
    open_group(flow_.root);
    return std::move(reporter_.problems());
  }

 private:
  void open_group(Group& group) {
    for (ProcessorNode& one : group.processors) open_properties(one.properties);
    for (ServiceNode& one : group.services) open_properties(one.properties);
    for (Group& child : group.groups) open_group(child);
  }

  // One that stays encrypted is an error of the check.
  void open_properties(Properties& properties) {
    for (auto& [key, property] : properties) {
      if (!property.value || !SensitiveValues::is_encrypted(*property.value)) continue;
      if (auto plain = sources_.sensitive.decrypt(*property.value)) property.value = *plain;
    }
  }

  void open_parameter(const std::string& name, ParameterValue& parameter) {
    using Origin = ParameterValue::Origin;
    const auto fail = [&](const std::string& why) {
      reporter_.warning(nullptr, parameter.place, fmt::format("parameter '{}': {}", name, why));
      parameter.value.reset();
    };
    if (parameter.origin == Origin::environment) {
      const auto found = sources_.environment.find(parameter.source);
      if (found == sources_.environment.end()) {
        return fail(fmt::format("there is no environment variable {}", parameter.source));
      }
      parameter.value = found->second;
    } else if (parameter.origin == Origin::file) {
      auto text = read(parameter.source, max_file_bytes);
      if (!text) return fail(text.error());
      cut_line_break(*text);
      parameter.value = *std::move(text);
    } else if (parameter.value && SensitiveValues::is_encrypted(*parameter.value)) {
      auto plain = sources_.sensitive.decrypt(*parameter.value);
      if (!plain) return fail(plain.error());
      parameter.value = *std::move(plain);
    }
  }

  std::expected<std::string, std::string> read(const storage::Path& path,
                                               std::uint64_t most_bytes) const {
    try {
      if (!sources_.files.status(path)) {
        return std::unexpected(fmt::format("there is no file {}", path.string()));
      }
      const auto file = sources_.files.open_read(path);
      if (file->size() > most_bytes) {
        return std::unexpected(
            fmt::format("the file {} is larger than {} bytes", path.string(), most_bytes));
      }
      std::string text(file->size(), '\0');
      text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
      return text;
    } catch (const storage::IoError& error) {
      return std::unexpected(error.what());
    }
  }

  // What is listed in the context says which values are sensitive; the others are.
  void ask_provider(ParameterContextNode& context) {
    const auto provider =
        std::ranges::find(flow_.parameter_providers, context.provider, &ParameterProviderNode::id);
    const auto fail = [&](const std::string& why) {
      reporter_.warning(nullptr, context.place,
                        fmt::format("parameter context '{}': {}", context.name, why));
    };
    if (provider == flow_.parameter_providers.end()) {
      return fail(fmt::format("there is no parameter provider '{}'", context.provider));
    }
    const auto values = fetch(*provider, context);
    if (!values) return fail(values.error());
    for (const auto& [name, value] : *values) {
      auto [place, is_new] = context.parameters.try_emplace(name);
      ParameterValue& parameter = place->second;
      if (is_new) parameter.sensitive = true;
      parameter.listed = !is_new;
      parameter.origin = ParameterValue::Origin::provider;
      parameter.value = value;
    }
  }

  std::expected<Values, std::string> fetch(const ParameterProviderNode& provider,
                                           const ParameterContextNode& context) const {
    const std::string_view type =
        std::string_view(provider.type).substr(provider.type.rfind('.') + 1);
    if (type == environment_provider) return from_environment(provider);
    if (type == file_provider) return from_files(provider, context.provider_group);
    return std::unexpected(fmt::format("there is no parameter provider type '{}'", provider.type));
  }

  static std::string setting(const ParameterProviderNode& provider, const std::string& key,
                             const std::string& otherwise) {
    const auto found = provider.properties.find(key);
    return found != provider.properties.end() && found->second.value ? *found->second.value
                                                                     : otherwise;
  }

  std::expected<Values, std::string> from_environment(const ParameterProviderNode& provider) const {
    const std::string strategy =
        setting(provider, "environment-variable-inclusion-strategy", "include-all");
    const std::string included = setting(provider, "include-environment-variables", "");
    if (strategy == "include-all") return sources_.environment;
    Values values;
    if (strategy == "comma-separated") {
      for (const std::string& name : short_form::split_names(included)) {
        const auto found = sources_.environment.find(name);
        if (found != sources_.environment.end()) values.insert(*found);
      }
      return values;
    }
    if (strategy != "regex") {
      return std::unexpected(
          fmt::format("'{}' is not one of: include-all, comma-separated, regex", strategy));
    }
    const auto pattern = Pattern::compile(included);
    if (!pattern) return std::unexpected(pattern.error());
    for (const auto& [name, value] : sources_.environment) {
      if (pattern->matches(name)) values.emplace(name, value);
    }
    return values;
  }

  // Each folder is a group of parameters, called like the folder; each file in it is a parameter.
  std::expected<Values, std::string> from_files(const ParameterProviderNode& provider,
                                                const std::string& group) const {
    const auto limit = parse_data_size(setting(provider, "parameter-value-byte-limit", "256 B"));
    if (!limit) return std::unexpected(limit.error());
    const bool plain = setting(provider, "parameter-value-encoding", "base64") == "plaintext";
    Values values;
    bool found = false;
    for (const std::string& name :
         short_form::split_names(setting(provider, "parameter-group-directories", ""))) {
      const storage::Path directory(name);
      if (!group.empty() && directory.filename() != group) continue;
      found = true;
      try {
        for (const storage::DirectoryEntry& entry : sources_.files.list(directory)) {
          if (entry.type == storage::FileStatus::Type::directory || entry.name.starts_with('.'))
            continue;
          auto text = read(directory / entry.name, *limit);
          if (!text) return std::unexpected(text.error());
          if (plain) {
            cut_line_break(*text);
            values[entry.name] = *text;
          } else if (auto decoded = decode_base64(*text)) {
            values[entry.name] = *decoded;
          } else {
            return std::unexpected(fmt::format("{}/{} is not base64", name, entry.name));
          }
        }
      } catch (const storage::IoError& error) {
        return std::unexpected(error.what());
      }
    }
    if (!found) return std::unexpected(fmt::format("the provider has no group '{}'", group));
    return values;
  }

  Flow& flow_;
  const ValueSources& sources_;
  Reporter reporter_;
};

}  // namespace

std::vector<Problem> open_values(Flow& flow, const ValueSources& sources) {
  return Opener(flow, sources).run();
}

}  // namespace weir::flow
