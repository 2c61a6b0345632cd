#include "processors/content/mime_types.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/java_case.h"
#include "processors/content/mime_table.h"
#include "processors/content/mime_text.h"
#include "processors/content/xml_root.h"

namespace weir::processors {
namespace {

const std::string octet_stream = "application/octet-stream";
const std::string plain_text = "text/plain";
const std::string xml = "application/xml";
const std::string html = "text/html";

}  // namespace

MimeTypes::MimeTypes() {
  for (const std::string& type : {octet_stream, plain_text, xml}) extensions_[type];
}

void MimeTypes::add_parent(const std::string& type, const std::string& parent) {
  extensions_[type];
  parents_[type] = parent;
}

void MimeTypes::add_alias(const std::string& type, const std::string& alias) {
  aliases_[alias] = type;
}

void MimeTypes::add_magic(const std::string& type, int priority, MagicRule rule) {
  extensions_[type];
  const std::size_t weight = rule.weight();
  magics_.push_back({type, priority, std::move(rule), weight});
}

void MimeTypes::add_root(const std::string& type, std::string name_space, std::string local_name) {
  extensions_[type];
  roots_.push_back({type, std::move(name_space), std::move(local_name)});
}

bool MimeTypes::claim(std::unordered_map<std::string, std::string>& names, const std::string& name,
                      const std::string& type) const {
  const auto [found, is_new] = names.try_emplace(name, type);
  if (is_new || found->second == type || is_kind_of(type, found->second)) return true;
  if (!is_kind_of(found->second, type)) return false;
  found->second = type;  // the wider type stands for both
  return true;
}

bool MimeTypes::add_glob(const std::string& type, const std::string& glob) {
  extensions_[type];
  const bool is_wild = glob.find_first_of("*?[") != std::string::npos;
  if (!is_wild) return claim(names_, glob, type);
  if (glob.starts_with('*') && glob.find_first_of("*?[", 1) == std::string::npos) {
    const std::string ending = glob.substr(1);
    if (!claim(by_ending_, ending, type)) return false;
    longest_ending_ = std::max(longest_ending_, ending.size());
    extensions_[type].push_back(ending);
    return true;
  }
  std::string expression = "\\A";
  for (const char c : glob) {
    if (c == '?') {
      expression += '.';
    } else if (c == '*') {
      expression += ".*";
    } else {
      expression += Pattern::quote(std::string_view(&c, 1));
    }
  }
  auto compiled = Pattern::compile(expression + "\\z");
  if (!compiled) return false;
  add_name_expression(type, std::move(*compiled));
  return true;
}

void MimeTypes::add_name_expression(const std::string& type, Pattern expression) {
  extensions_[type];
  name_expressions_.push_back({std::move(expression), type});
}

void MimeTypes::add_builtin() {
  for (const auto rows : {mime_applications(), mime_others()}) {
    for (const MimeTypeRow& row : rows) {
      extensions_[row.name];
      if (*row.parent) add_parent(row.name, row.parent);
    }
  }
  for (const auto rows : {mime_applications(), mime_others()}) {
    for (const MimeTypeRow& row : rows) {
      std::string_view endings = row.extensions;
      while (!endings.empty()) {
        const std::size_t space = std::min(endings.find(' '), endings.size());
        add_glob(row.name, "*" + std::string(endings.substr(0, space)));
        endings.remove_prefix(std::min(space + 1, endings.size()));
      }
    }
  }
  for (const MimeNameRow& row : mime_names()) add_glob(row.type, row.file_name);
  for (const MimeRootRow& row : mime_roots()) add_root(row.type, row.name_space, row.local_name);
  for (const auto rows : {mime_application_magics(), mime_other_magics()}) {
    for (const MimeMagicRow& row : rows) {
      auto rule = parse_magic_rule(row.rule);
      if (!rule) throw ProcessException(fmt::format("{}: {}", row.type, rule.error()));
      add_magic(row.type, row.priority, std::move(*rule));
    }
  }
}

void MimeTypes::finish() {
  std::ranges::stable_sort(magics_, [](const Magic& a, const Magic& b) {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.weight != b.weight) return a.weight > b.weight;
    return a.type > b.type;
  });
  std::ranges::stable_sort(name_expressions_, [](const NameExpression& a, const NameExpression& b) {
    return a.expression.expression().size() > b.expression.expression().size();
  });
}

const std::string& MimeTypes::resolve(const std::string& type) const {
  const auto found = aliases_.find(type);
  return found == aliases_.end() ? type : found->second;
}

// What a name implies where nothing is said.
std::optional<std::string> MimeTypes::parent_of(const std::string& type) const {
  if (const auto found = parents_.find(type); found != parents_.end()) return found->second;
  if (type.ends_with("+xml")) return xml;
  if (type.ends_with("+zip")) return "application/zip";
  if (type.starts_with("text/") && type != plain_text) return plain_text;
  if (type.contains("empty") && type != octet_stream) return octet_stream;
  if (type == octet_stream) return std::nullopt;
  return octet_stream;
}

bool MimeTypes::is_kind_of(std::string type, const std::string& ancestor) const {
  constexpr int most_steps = 100;  // a configuration may go round in a circle
  for (int step = 0; step < most_steps; ++step) {
    const auto parent = parent_of(type);
    if (!parent) return false;
    if (*parent == ancestor) return true;
    type = *parent;
  }
  return false;
}

std::vector<std::string> MimeTypes::by_magic(std::string_view prefix) const {
  if (prefix.empty()) return {octet_stream};
  std::vector<std::string> found;
  int priority = 0;
  for (const Magic& magic : magics_) {
    if (!found.empty() && priority > 0 && priority > magic.priority) break;
    if (!magic.rule.matches(prefix)) continue;
    found.push_back(magic.type);
    priority = magic.priority;
  }
  for (std::string& type : found) {
    if (type == xml || type == html) look_into_xml(prefix, type);
  }
  if (!found.empty()) return found;
  return {looks_like_text(prefix) ? plain_text : octet_stream};
}

void MimeTypes::look_into_xml(std::string_view prefix, std::string& type) const {
  if (const auto root = find_xml_root(prefix)) {
    for (const Root& known : roots_) {
      if (!known.local_name.empty() && known.local_name != root->local_name) continue;
      if (known.name_space != root->name_space) continue;
      type = known.type;
      return;
    }
    return;
  }
  if (type != xml) return;
  // It only begins like XML: it may be HTML all the same.
  const bool is_html = std::ranges::any_of(magics_, [&](const Magic& magic) {
    return magic.type == html && magic.rule.matches(prefix);
  });
  type = is_html ? html : plain_text;
}

const std::string* MimeTypes::by_name(const std::string& file_name) const {
  if (const auto found = names_.find(file_name); found != names_.end()) return &found->second;
  for (std::size_t size = std::min(longest_ending_, file_name.size()); size > 0; --size) {
    const auto found = by_ending_.find(file_name.substr(file_name.size() - size));
    if (found != by_ending_.end()) return &found->second;
  }
  for (const NameExpression& each : name_expressions_) {
    if (each.expression.matches(file_name)) return &each.type;
  }
  return nullptr;
}

std::string MimeTypes::detect(std::string_view prefix, const std::string* file_name) const {
  const std::vector<std::string> found = by_magic(prefix);
  const std::string* chosen = &found.front();
  const std::optional<std::string> name = file_name ? base_name(*file_name) : std::nullopt;
  const std::string* hint = name ? by_name(*name) : nullptr;
  if (name && !hint) hint = by_name(text::to_lower(*name));
  // The name counts where it says more than the bytes, not where it says something else.
  const auto is_wider = [&](const std::string& type) {
    return *hint == type || is_kind_of(*hint, type);
  };
  if (hint && std::ranges::any_of(found, is_wider)) chosen = hint;
  return chosen->substr(0, chosen->find(';'));
}

std::string MimeTypes::extension(const std::string& type) const {
  const auto found = extensions_.find(resolve(type));
  return found == extensions_.end() || found->second.empty() ? std::string()
                                                             : found->second.front();
}

}  // namespace weir::processors
