#include "processors/file/fetch_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "processors/file/file_attributes.h"
#include "processors/support/declare.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "FlowFiles with the file's content."};
const Relationship not_found{.name = "not.found", .description = "The file is not there."};
const Relationship permission_denied{.name = "permission.denied",
                                     .description = "The file may not be read."};
const Relationship failure{.name = "failure",
                           .description = "The file could not be fetched for another reason."};

std::vector<AllowableValue> log_levels() {
  return {{"TRACE"}, {"DEBUG"}, {"INFO"}, {"WARN"}, {"ERROR"}, {"FATAL"}, {"NONE"}};
}

const PropertyDescriptor file_to_fetch{.name = "File to Fetch",
                                       .description = "The whole name of the file.",
                                       .default_value = "${absolute.path}/${filename}",
                                       .required = true,
                                       .validator = validators::non_empty(),
                                       .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor completion{.name = "Completion Strategy",
                                    .description = "What becomes of the file after the commit.",
                                    .default_value = "None",
                                    .required = true,
                                    .allowable_values = {{"None"}, {"Move File"}, {"Delete File"}}};
const PropertyDescriptor move_directory{
    .name = "Move Destination Directory",
    .description = "Where the file is moved to; made where it is missing.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor move_conflict{
    .name = "Move Conflict Strategy",
    .description = "What happens where a file of the name is there already.",
    .default_value = "Rename",
    .required = true,
    .allowable_values = {{"Rename", "", "A part is added to the name."},
                         {"Replace File", "", "The file there is replaced."},
                         {"Keep Existing", "", "The file there stays, the fetched one is deleted."},
                         {"Fail", "", "The FlowFile goes to failure, the file is left."}}};
const PropertyDescriptor not_found_level{.name = "Log level when file not found",
                                         .description = "The level of that message.",
                                         .default_value = "ERROR",
                                         .required = true,
                                         .allowable_values = log_levels()};
const PropertyDescriptor denied_level{.name = "Log level when permission denied",
                                      .description = "The level of that message.",
                                      .default_value = "ERROR",
                                      .required = true,
                                      .allowable_values = log_levels()};

LogLevel level_of(const std::string& name) {
  if (name == "TRACE") return LogLevel::trace;
  if (name == "DEBUG") return LogLevel::debug;
  if (name == "INFO") return LogLevel::info;
  if (name == "WARN") return LogLevel::warn;
  return name == "NONE" ? LogLevel::none : LogLevel::error;
}

class FetchFile : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override {
    if (context.property(completion).text() == "Move File" &&
        !context.property(move_directory).is_set()) {
      return {{move_directory.name, "is required where Completion Strategy is Move File"}};
    }
    return {};
  }
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  using Path = std::filesystem::path;
  void route(ProcessSession& session, const FlowFile& flow_file, const Relationship& to) const;
  void complete(ComponentLog& log, const Path& file, const Path& folder,
                const std::string& fresh_name) const;
  void move(const Path& file, const Path& folder, const std::string& fresh_name) const;

  PropertyValue file_;
  enum class Completion { none, move, remove } completion_ = Completion::none;
  PropertyValue folder_;
  std::string conflict_;
  LogLevel not_found_level_ = LogLevel::error;
  LogLevel denied_level_ = LogLevel::error;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("FetchFile");
  definition.summary =
      "Replaces a FlowFile's content by that of a file; with ListFile in front, files are taken "
      "in by several tasks.";
  definition.tags = {"local", "files", "filesystem", "ingest", "fetch", "get", "source", "input"};
  definition.properties = {file_to_fetch, completion,      move_directory,
                           move_conflict, not_found_level, denied_level};
  definition.relationships = {failure, not_found, permission_denied, success};
  definition.input = InputRequirement::required;
  definition.blocking = true;
  definition.delivery_note =
      "The file is moved or deleted only after the commit. A crash between the two leaves it.";
  definition.example =
      R"({"type": "FetchFile", "properties": {"Completion Strategy": "Delete File"}})";
  definition.make = [] { return std::make_unique<FetchFile>(); };
  return definition;
}

// rename, or where that crosses file systems: a copy under a hidden name first.
void rename_or_copy(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (!error) return;
  if (error != std::errc::cross_device_link) throw storage::IoError("move", from, error.value());
  const auto temporary = to.parent_path() / (".weir-" + to.filename().native());
  std::filesystem::copy_file(from, temporary, std::filesystem::copy_options::overwrite_existing,
                             error);
  if (!error) std::filesystem::rename(temporary, to, error);
  if (!error) std::filesystem::remove(from, error);
  if (error) throw storage::IoError("move", from, error.value());
}

}  // namespace

void FetchFile::on_scheduled(ProcessContext& context) {
  file_ = context.property(file_to_fetch);
  const std::string& strategy = context.property(completion).text();
  completion_ = strategy == "Move File"     ? Completion::move
                : strategy == "Delete File" ? Completion::remove
                                            : Completion::none;
  folder_ = context.property(move_directory);
  conflict_ = context.property(move_conflict).text();
  not_found_level_ = level_of(context.property(not_found_level).text());
  denied_level_ = level_of(context.property(denied_level).text());
}

void FetchFile::route(ProcessSession& session, const FlowFile& flow_file,
                      const Relationship& to) const {
  session.provenance().route(flow_file, to);
  session.penalize(flow_file);
  session.transfer(flow_file, to);
}

void FetchFile::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  ComponentLog& log = context.log();
  const Path file = file_.evaluate(flow_file);
  int error = 0;
  const auto facts = file_facts(file, &error);
  if (!facts && (error == ENOENT || error == ENOTDIR)) {
    log.log(not_found_level_, "{} is not there, for {}", file.native(), flow_file.uuid());
    route(session, flow_file, not_found);
    return;
  }
  if (!facts || access(file.c_str(), R_OK) != 0) {
    log.log(denied_level_, "{} may not be read, for {}", file.native(), flow_file.uuid());
    route(session, flow_file, permission_denied);
    return;
  }
  if (!facts->is_regular) {
    log.error("{} is no file, for {}", file.native(), flow_file.uuid());
    session.penalize(flow_file);
    session.transfer(flow_file, failure);
    return;
  }
  const Path folder = completion_ == Completion::move ? Path(folder_.evaluate(flow_file)) : Path();
  if (completion_ == Completion::move && conflict_ == "Fail" &&
      file_facts(folder / file.filename())) {
    log.error("{} is there already, for {}", (folder / file.filename()).native(), flow_file.uuid());
    session.transfer(flow_file, failure);
    return;
  }
  const std::int64_t start_ns = context.clock().steady_ns();
  try {
    session.import_from(file, flow_file);
  } catch (const storage::IoError& problem) {
    if (problem.path() != file || problem.disk_full()) throw;
    log.error("{} cannot be fetched, for {}: {}", file.native(), flow_file.uuid(), problem.what());
    session.penalize(flow_file);
    session.transfer(flow_file, failure);
    return;
  }
  session.provenance().fetch(flow_file, file_uri(std::filesystem::absolute(file)), {},
                             (context.clock().steady_ns() - start_ns) / 1'000'000);
  session.transfer(flow_file, success);
  if (completion_ == Completion::none) return;
  const std::string fresh_name = fmt::format(
      "{}-{}{}", file.stem().native(), random_uuid(context.random()), file.extension().native());
  session.after_commit(
      [this, &log, file, folder, fresh_name] { complete(log, file, folder, fresh_name); });
}

void FetchFile::complete(ComponentLog& log, const Path& file, const Path& folder,
                         const std::string& fresh_name) const {
  try {
    if (completion_ == Completion::move) {
      move(file, folder, fresh_name);
    } else if (unlink(file.c_str()) != 0 && errno != ENOENT) {
      throw storage::IoError("delete", file, errno);
    }
  } catch (const storage::IoError& error) {
    log.warn("{} was fetched, but: {}", file.native(), error.what());
  }
}

void FetchFile::move(const Path& file, const Path& folder, const std::string& fresh_name) const {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw storage::IoError("create", folder, error.value());
  const Path target = folder / file.filename();
  if (!file_facts(target) || conflict_ == "Replace File") {
    rename_or_copy(file, target);
  } else if (conflict_ == "Rename") {
    rename_or_copy(file, folder / fresh_name);
  } else if (conflict_ == "Keep Existing" && unlink(file.c_str()) != 0) {
    throw storage::IoError("delete", file, errno);
  }
}

const ProcessorDefinition& fetch_file() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
