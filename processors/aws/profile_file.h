#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "processors/aws/surroundings.h"

namespace weir::processors::aws {

// Settings of one profile, names in small letters.
using Profile = std::map<std::string, std::string, std::less<>>;
using Profiles = std::map<std::string, Profile, std::less<>>;

enum class ProfileFileKind {
  config,       // sections [default] and [profile NAME]
  credentials,  // sections [NAME]
};

// What the AWS command line and SDKs read: "name = value" lines in sections, comments after # or ;
// on lines of their own or after a blank. Indented lines, settings within a setting, are passed
// over, and so is what is not of this form.
Profiles read_profiles(std::string_view text, ProfileFileKind kind);

// ~/.aws/config and ~/.aws/credentials, or the files that AWS_CONFIG_FILE and
// AWS_SHARED_CREDENTIALS_FILE name; a setting in both counts as the latter has it.
struct ProfileFiles {
  std::filesystem::path config;  // empty: there is no home
  std::filesystem::path credentials;
  Profiles profiles;
};
ProfileFiles load_profiles(const Surroundings& surroundings);

// A file of java.util.Properties: "name=value", "name: value" or "name value" lines, escapes by
// backslash, lines that go on after one.
std::map<std::string, std::string> read_java_properties(std::string_view text);

}  // namespace weir::processors::aws
