#include "processors/aws/profile_file.h"

#include <gtest/gtest.h>

#include "tests/processors/aws/sample_surroundings.h"

namespace weir::processors::aws {
namespace {

TEST(ProfileFile, ReadsSectionsOfACredentialsFile) {
  const Profiles profiles = read_profiles(
      "# of tests\n[default]\naws_access_key_id = A\naws_secret_access_key=s=e/c+r#t \r\n\n"
      "[ other ]\nAWS_ACCESS_KEY_ID=B ; a comment\n",
      ProfileFileKind::credentials);
  EXPECT_EQ(
      profiles,
      (Profiles{{"default", {{"aws_access_key_id", "A"}, {"aws_secret_access_key", "s=e/c+r#t"}}},
                {"other", {{"aws_access_key_id", "B"}}}}));
}

TEST(ProfileFile, ReadsProfilesOfAConfigFileOnly) {
  const Profiles profiles = read_profiles(
      "[default]\nregion=eu-west-1\n[profile a b]\nrole_arn=r\ns3 =\n  max = 10\n"
      "[sso-session x]\nsso_region=y\n[profiles]\nz=1\n[unclosed\nw=2\n",
      ProfileFileKind::config);
  EXPECT_EQ(profiles, (Profiles{{"default", {{"region", "eu-west-1"}}},
                                {"a b", {{"role_arn", "r"}, {"s3", ""}}}}));
}

TEST(ProfileFile, ReadsWhatIsNoProfileFileAsNothing) {
  EXPECT_TRUE(read_profiles("", ProfileFileKind::config).empty());
  EXPECT_TRUE(read_profiles("a=b\n]\n[]\n=\n\xff\xfe", ProfileFileKind::credentials).empty());
}

TEST(ProfileFile, TakesTheCredentialsFilesSettingBeforeTheConfigs) {
  tests::SampleWorld world;
  world.variables["HOME"] = "/home/x";
  world.files["/home/x/.aws/config"] = "[default]\nregion=r\naws_access_key_id=config\n";
  world.files["/home/x/.aws/credentials"] = "[default]\naws_access_key_id=credentials\n";
  const Profile profile = load_profiles(world.surroundings()).profiles.at("default");
  EXPECT_EQ(profile, (Profile{{"region", "r"}, {"aws_access_key_id", "credentials"}}));
}

TEST(ProfileFile, IsWhereTheEnvironmentSays) {
  tests::SampleWorld world;
  world.variables = {{"AWS_CONFIG_FILE", "/etc/c"}, {"AWS_SHARED_CREDENTIALS_FILE", "/etc/k"}};
  world.files = {{"/etc/c", "[profile p]\na=1\n"}, {"/etc/k", "[p]\nb=2\n"}};
  EXPECT_EQ(load_profiles(world.surroundings()).profiles,
            (Profiles{{"p", {{"a", "1"}, {"b", "2"}}}}));
}

TEST(JavaPropertiesFile, IsReadAsJavaReadsIt) {
  const auto properties = read_java_properties(
      "# comment\n! another\n\naccessKey=A\\=B\nsecretKey : x/y+z= \n  blank value\n"
      "long = one \\\r\n   two\\\n "
      "three\nun\\u00e9=\\u0041\\t\\q\nempty\ncolon\\:key=1\\\\\nlast=\\");
  EXPECT_EQ(properties, (std::map<std::string, std::string>{{"accessKey", "A=B"},
                                                            {"secretKey", "x/y+z= "},
                                                            {"blank", "value"},
                                                            {"long", "one twothree"},
                                                            {"un\xc3\xa9", "A\tq"},
                                                            {"empty", ""},
                                                            {"colon:key", "1\\"},
                                                            {"last", ""}}));
}

}  // namespace
}  // namespace weir::processors::aws
