#include "processors/content/mime_types.h"

#include <gtest/gtest.h>

#include "processors/content/mime_config.h"
#include "processors/content/mime_text.h"
#include "tests/processors/content/mime_cases.h"

namespace weir::processors {
namespace {

using namespace std::string_literals;

const MimeTypes& builtin() {
  static const MimeTypes types = [] {
    MimeTypes made;
    made.add_builtin();
    made.finish();
    return made;
  }();
  return types;
}

TEST(MimeTypes, AsNiFiTellsThem) {
  for (const MimeCase& each : mime_cases()) {
    const std::string name = each.file_name;
    const std::string type = builtin().detect(each.content, name.empty() ? nullptr : &name);
    EXPECT_EQ(type, each.type) << name << " " << each.content;
    std::string extension = builtin().extension(type);
    if (extension == ".tgz") extension = ".gz";
    EXPECT_EQ(extension, each.extension) << name << " " << each.content;
    if (!type.starts_with("text/")) continue;
    EXPECT_EQ(detect_character_set(each.content).value_or(""), each.character_set)
        << name << " " << each.content;
  }
}

TEST(MimeTypes, CharacterSetsOfLongTexts) {
  std::string late(20'000, 'a');
  late.append("\xC3\xA9");
  EXPECT_EQ(detect_character_set(late), "ISO-8859-1");
  std::string cut("\xC3\xA9");
  cut.append(16'381, 'a').append("\xC3\xA9");
  EXPECT_EQ(detect_character_set(cut), "UTF-8");
}

std::string told_by(const std::string& xml, const std::string& content, const std::string& name) {
  MimeTypes types;
  const auto added = add_mime_configuration(xml, types);
  if (!added) return added.error();
  types.finish();
  const std::string type = types.detect(content, &name);
  return type + " " + types.extension(type);
}

TEST(MimeConfiguration, GlobsAndMagic) {
  const std::string xml = R"(<?xml version="1.0"?>
<mime-info>
  <mime-type type="Text/X-Own"><alias type="text/x-alias"/>
    <glob pattern="*.own"/><glob pattern="*.own2"/><glob pattern="OWNFILE"/>
    <glob pattern="^own[0-9]+$" isregex="true"/><glob pattern="a*z.t?t"/></mime-type>
  <mime-type type="application/x-own"><sub-class-of type="application/x-any"/>
    <magic priority="60"><match value="OWN\x01" type="string" offset="0">
      <match value="0x0201" type="little16" offset="4"/><match value="\101" offset="4:8"/>
    </match></magic></mime-type>
  <mime-type type="application/x-any"><magic><match value="own" type="stringignorecase" offset="0"/>
    <match value="0x12345678" type="big32" mask="0xff00ffff" offset="0"/></magic></mime-type>
  <mime-type type="application/x-some"><magic><match minShouldMatch="2">
    <match value="a" offset="0"/><match value="b" offset="1"/><match value="c" offset="2"/>
    </match></magic></mime-type>
  <mime-type type="application/x-expr"><magic><match value="v[0-9]+;" type="regex" offset="2"/>
    </magic></mime-type>
  <mime-type type="application/x-rooted+xml"><root-XML namespaceURI="urn:r" localName="r"/>
    </mime-type>
  <mime-type type="application/xml"><magic><match value="&lt;?xml" offset="0"/></magic></mime-type>
</mime-info>)";
  EXPECT_EQ(told_by(xml, "xyz", "x.own"), "text/x-own .own");
  EXPECT_EQ(told_by(xml, "xyz", "x.OWN2"), "text/x-own .own");
  EXPECT_EQ(told_by(xml, "xyz", "OWNFILE"), "text/x-own .own");
  EXPECT_EQ(told_by(xml, "xyz", "own42"), "text/x-own .own");
  EXPECT_EQ(told_by(xml, "xyz", "abcz.tat"), "text/x-own .own");
  EXPECT_EQ(told_by(xml, "OWN\x01\x01\x02", ""), "application/x-own ");
  EXPECT_EQ(told_by(xml, "OWN\x01....A", ""), "application/x-own ");
  EXPECT_EQ(told_by(xml, "oWn", ""), "application/x-any ");
  EXPECT_EQ(told_by(xml, "\x12\x99\x56\x78", ""), "application/x-any ");
  EXPECT_EQ(told_by(xml, "aXc", ""), "application/x-some ");
  EXPECT_EQ(told_by(xml, "aXX", ""), "text/plain ");
  EXPECT_EQ(told_by(xml, "..v12;", ""), "application/x-expr ");
  EXPECT_EQ(told_by(xml, "<?xml version='1.0'?><r xmlns='urn:r'/>", ""),
            "application/x-rooted+xml ");
  EXPECT_EQ(told_by(xml, std::string("\0\1", 2), "x.png"), "application/octet-stream ");
}

TEST(MimeConfiguration, FaultsHaveAPlace) {
  EXPECT_EQ(told_by("<mime-info><mime-type type='x'/></mime-info>", "", ""),
            "\"x\" is no MIME type at line 1, column 12");
  EXPECT_TRUE(told_by("<mime-info>", "", "").starts_with("no element found at line 1"));
  EXPECT_TRUE(told_by("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "", "")
                  .starts_with("a document type declaration is not allowed"));
  const auto match = [](const std::string& attributes) {
    return told_by(
        "<m><mime-type type='a/b'><magic><match " + attributes + "/></magic></mime-type></m>", "",
        "");
  };
  EXPECT_TRUE(match("value='a' offset='x'").starts_with("\"x\" is no number"));
  EXPECT_TRUE(match("offset='0'").starts_with("no attribute value"));
  EXPECT_TRUE(match("value='a' type='odd'").starts_with("no type \"odd\""));
  EXPECT_TRUE(match("value='a' offset='5:2'").starts_with("an empty value"));
  EXPECT_TRUE(match("value='(' type='regex'").contains("at line 1"));
}

TEST(MagicRule, Notation) {
  const auto rule = parse_magic_rule("0=ab\\x00 & (4~=cd | 6:9=\\xff\\x10/\\xf0\\xff)");
  ASSERT_TRUE(rule);
  EXPECT_TRUE(rule->matches("ab\0.cD"s));
  EXPECT_TRUE(rule->matches("ab\0....\xF7\x10"s));
  EXPECT_FALSE(rule->matches("ab\0.cx...."s));
  EXPECT_FALSE(rule->matches("ab"));
  for (const char* wrong :
       {"", "0", "0=", "x=a", "0=a |", "0=a & ", "(0=a", "0=a)", "0=\\x1", "0=ab/"}) {
    EXPECT_FALSE(parse_magic_rule(wrong)) << wrong;
  }
}

TEST(MimeTypes, BaseNames) {
  EXPECT_EQ(base_name("a/b.csv"), "b.csv");
  EXPECT_EQ(base_name("a%2Fb.csv"), "b.csv");
  EXPECT_EQ(base_name("a%zz.csv"), "a%zz.csv");
  EXPECT_EQ(base_name("http://host"), std::nullopt);
  EXPECT_EQ(base_name("a b/c"), "a b/c");
}

}  // namespace
}  // namespace weir::processors
