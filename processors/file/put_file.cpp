#include "processors/file/put_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "processors/file/file_attributes.h"
#include "processors/file/safe_path.h"
#include "processors/support/declare.h"
#include "processors/support/java_text.h"

namespace weir::processors {
namespace {

const Relationship success{.name = "success", .description = "FlowFiles that are written."};
const Relationship failure{.name = "failure",
                           .description = "FlowFiles that could not be written, penalized."};

const PropertyDescriptor directory{
    .name = "Directory",
    .description =
        "The folder. What stands before the first expression is never left, whatever "
        "attributes say: not by .., not by a symlink.",
    .required = true,
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor conflict{
    .name = "Conflict Resolution Strategy",
    .description = "What happens where a file of the name is there already.",
    .default_value = "fail",
    .required = true,
    .allowable_values = {{"replace", "", "The file is replaced, at one instant."},
                         {"ignore", "", "The file stays; the FlowFile goes to success."},
                         {"fail", "", "The file stays; the FlowFile goes to failure."}}};
const PropertyDescriptor create_missing{
    .name = "Create Missing Directories",
    .description = "Whether the folder is made where it is missing.",
    .default_value = "true",
    .required = true,
    .allowable_values = true_or_false()};
const PropertyDescriptor maximum_count{
    .name = "Maximum File Count",
    .description = "With so many files in the folder, FlowFiles go to failure.",
    .validator = validators::integer(1, INT32_MAX)};
const PropertyDescriptor last_modified{
    .name = "Last Modified Time",
    .description = "The file's time of modification, e.g. 2023-11-14T22:13:20+0000.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor permissions{.name = "Permissions",
                                     .description = "The file's permissions, as rw-r----- or 640.",
                                     .validator = validators::non_empty(),
                                     .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor owner{.name = "Owner",
                               .description =
                                   "The file's owner. The engine needs the right to "
                                   "give files away.",
                               .validator = validators::non_empty(),
                               .expression_scope = ExpressionScope::flow_file_attributes};
const PropertyDescriptor group{.name = "Group",
                               .description = "The file's group.",
                               .validator = validators::non_empty(),
                               .expression_scope = ExpressionScope::flow_file_attributes};

// Files being written have such names. Hidden, and the same whenever the FlowFile is tried again,
// so that a crash leaves at most one of them a FlowFile.
constexpr std::string_view temporary_prefix = ".weir-";

class PutFile : public Processor {
 public:
  std::vector<ValidationProblem> custom_validate(const PropertyContext& context) const override;
  void on_scheduled(ProcessContext& context) override;
  void on_trigger(ProcessContext& context, ProcessSession& session) override;

 private:
  enum class Conflict { replace, ignore, fail };
  enum class Result { written, ignored };

  // Throws ProcessException or IoError with the reason where the FlowFile cannot be written.
  Result put(ProcessContext& context, ProcessSession& session, const FlowFile& flow_file,
             const std::string& name, const std::filesystem::path& folder_path) const;
  Result publish(const OpenFolder& folder, const std::string& temporary, const std::string& name,
                 const std::filesystem::path& target) const;
  void set_facts(ProcessContext& context, const FlowFile& flow_file, int descriptor) const;

  PropertyValue directory_;
  std::filesystem::path base_;
  Conflict conflict_ = Conflict::fail;
  bool create_missing_ = true;
  std::optional<std::size_t> most_files_;
  PropertyValue last_modified_, permissions_, owner_, group_;
};

ProcessorDefinition declare() {
  ProcessorDefinition definition;
  definition.type = standard_type("PutFile");
  definition.summary = "Writes the contents of FlowFiles to files.";
  definition.tags = {"put", "local", "copy", "archive", "files", "filesystem"};
  definition.properties = {directory,     conflict,    create_missing, maximum_count,
                           last_modified, permissions, owner,          group};
  definition.relationships = {failure, success};
  definition.reads_attributes = {{"filename", "The file's name, without a path."}};
  definition.input = InputRequirement::required;
  definition.supports_batching = true;
  definition.blocking = true;
  definition.delivery_note =
      "The file appears whole or not at all. A crash between file and commit tries the FlowFile "
      "again: it then meets its own file as a conflict. Against loss of power: no, files are not "
      "synced.";
  definition.example =
      R"({"type": "PutFile", "properties": {"Directory": "out", "Conflict Resolution Strategy": "replace"}})";
  definition.make = [] { return std::make_unique<PutFile>(); };
  return definition;
}

std::size_t count_files(const std::filesystem::path& folder) {
  std::size_t count = 0;
  DIR* directory_stream = opendir(folder.c_str());
  if (!directory_stream) throw storage::IoError("open", folder, errno);
  while (const dirent* entry = readdir(directory_stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !name.starts_with(temporary_prefix)) ++count;
  }
  closedir(directory_stream);
  return count;
}

std::optional<uid_t> user_id(const std::string& name) {
  std::array<char, 4096> buffer;
  struct passwd entry {};
  struct passwd* found = nullptr;
  getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  return found ? std::optional(found->pw_uid) : std::nullopt;
}

std::optional<gid_t> group_id(const std::string& name) {
  std::array<char, 4096> buffer;
  struct group entry {};
  struct group* found = nullptr;
  getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  return found ? std::optional(found->gr_gid) : std::nullopt;
}

// A file under its temporary name; removed unless it was published.
class TemporaryFile {
 public:
  TemporaryFile(const OpenFolder& folder, std::string name, const std::filesystem::path& path)
      : folder_(folder), name_(std::move(name)) {
    descriptor_ = openat(folder.descriptor(), name_.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw storage::IoError("create", path / name_, errno);
  }
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!published_) unlinkat(folder_.descriptor(), name_.c_str(), 0);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }
  // Some file systems tell of a full disk only here.
  void finish(const std::filesystem::path& path) {
    const int closed = close(std::exchange(descriptor_, -1));
    if (closed != 0) throw storage::IoError("close", path / name_, errno);
  }
  void set_published() { published_ = true; }

 private:
  const OpenFolder& folder_;
  std::string name_;
  int descriptor_ = -1;
  bool published_ = false;
};

}  // namespace

std::vector<ValidationProblem> PutFile::custom_validate(const PropertyContext& context) const {
  std::vector<ValidationProblem> problems;
  const PropertyValue mode = context.property(permissions);
  if (mode.is_set() && !mode.has_expression() && !parse_permissions(mode.text())) {
    problems.push_back({permissions.name, "must look like rw-r----- or 640"});
  }
  return problems;
}

void PutFile::on_scheduled(ProcessContext& context) {
  directory_ = context.property(directory);
  base_ = directory_.has_expression() ? fixed_part(directory_.text()) : std::filesystem::path();
  const std::string& strategy = context.property(conflict).text();
  conflict_ = strategy == "replace"  ? Conflict::replace
              : strategy == "ignore" ? Conflict::ignore
                                     : Conflict::fail;
  create_missing_ = context.property(create_missing).boolean();
  most_files_.reset();
  if (const PropertyValue most = context.property(maximum_count); most.is_set()) {
    most_files_ = static_cast<std::size_t>(most.integer());
  }
  last_modified_ = context.property(last_modified);
  permissions_ = context.property(permissions);
  owner_ = context.property(owner);
  group_ = context.property(group);
}

void PutFile::on_trigger(ProcessContext& context, ProcessSession& session) {
  const FlowFile flow_file = session.get();
  if (!flow_file) return;
  const std::string name = flow_file.attribute(attribute::filename).value_or("");
  const std::filesystem::path folder = directory_.evaluate(flow_file);
  const auto fail = [&](std::string_view why) {
    context.log().error("{} is not written: {}", flow_file.uuid(), why);
    session.penalize(flow_file);
    session.transfer(flow_file, failure);
  };
  if (const std::string problem = problem_of_name(name); !problem.empty()) {
    fail(fmt::format("its filename \"{}\" cannot be used: {}", name, problem));
    return;
  }
  try {
    const std::int64_t start_ns = context.clock().steady_ns();
    if (put(context, session, flow_file, name, folder) == Result::written) {
      session.provenance().send(flow_file, file_uri(std::filesystem::absolute(folder) / name), {},
                                (context.clock().steady_ns() - start_ns) / 1'000'000);
    }
  } catch (const storage::IoError& error) {
    fail(error.what());
    return;
  } catch (const ProcessException& error) {
    fail(error.what());
    return;
  }
  session.transfer(flow_file, success);
}

PutFile::Result PutFile::put(ProcessContext& context, ProcessSession& session,
                             const FlowFile& flow_file, const std::string& name,
                             const std::filesystem::path& folder_path) const {
  const auto folder = OpenFolder::open(folder_path, base_, create_missing_);
  if (!folder) throw ProcessException(folder.error());
  if (most_files_ && count_files(folder_path) >= *most_files_) {
    throw ProcessException(fmt::format("{} holds {} files already (Maximum File Count)",
                                       folder_path.native(), *most_files_));
  }
  if (conflict_ != Conflict::replace) {
    struct stat status {};
    if (fstatat(folder->descriptor(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      if (conflict_ == Conflict::ignore) return Result::ignored;
      throw ProcessException(fmt::format("{} is there already", (folder_path / name).native()));
    }
  }
  TemporaryFile file(*folder, std::string(temporary_prefix) + flow_file.uuid(), folder_path);
  session.export_to(flow_file, file.descriptor());
  set_facts(context, flow_file, file.descriptor());
  file.finish(folder_path);
  const Result result = publish(*folder, file.name(), name, folder_path / name);
  if (result == Result::written) file.set_published();
  return result;
}

PutFile::Result PutFile::publish(const OpenFolder& folder, const std::string& temporary,
                                 const std::string& name,
                                 const std::filesystem::path& target) const {
  const unsigned flags = conflict_ == Conflict::replace ? 0 : RENAME_NOREPLACE;
  int result =
      renameat2(folder.descriptor(), temporary.c_str(), folder.descriptor(), name.c_str(), flags);
  if (result != 0 && errno == EINVAL && flags != 0) {
    // A file system without that flag: a hard link refuses an existing name as well.
    result = linkat(folder.descriptor(), temporary.c_str(), folder.descriptor(), name.c_str(), 0);
    if (result == 0) unlinkat(folder.descriptor(), temporary.c_str(), 0);
  }
  if (result == 0) return Result::written;
  if (errno == EEXIST && conflict_ == Conflict::ignore) return Result::ignored;
  throw storage::IoError("rename to", target, errno);
}

void PutFile::set_facts(ProcessContext& context, const FlowFile& flow_file, int descriptor) const {
  const auto warn = [&](std::string_view what, std::string_view why) {
    context.log().warn("{} of the file of {} is not set: {}", what, flow_file.uuid(), why);
  };
  if (permissions_.is_set()) {
    const auto mode = parse_permissions(permissions_.evaluate(flow_file));
    if (!mode) {
      warn(permissions.name, "must look like rw-r----- or 640");
    } else if (fchmod(descriptor, *mode) != 0) {
      warn(permissions.name, std::strerror(errno));
    }
  }
  if (owner_.is_set()) {
    const auto id = user_id(owner_.evaluate(flow_file));
    if (!id || fchown(descriptor, *id, static_cast<gid_t>(-1)) != 0) {
      warn(owner.name, id ? std::strerror(errno) : "there is no such user");
    }
  }
  if (group_.is_set()) {
    const auto id = group_id(group_.evaluate(flow_file));
    if (!id || fchown(descriptor, static_cast<uid_t>(-1), *id) != 0) {
      warn(group.name, id ? std::strerror(errno) : "there is no such group");
    }
  }
  if (!last_modified_.is_set()) return;
  try {
    const std::int64_t time_ms = parse_file_time(last_modified_.evaluate(flow_file));
    const struct timespec times[2] = {{0, UTIME_NOW}, {static_cast<time_t>(time_ms / 1000), 0}};
    if (futimens(descriptor, times) != 0) warn(last_modified.name, std::strerror(errno));
  } catch (const ProcessException& error) {
    warn(last_modified.name, error.what());
  }
}

const ProcessorDefinition& put_file() {
  static const ProcessorDefinition definition = declare();
  return definition;
}

}  // namespace weir::processors
