#include "processors/xml/split_xml.h"

#include <gtest/gtest.h>

#include "tests/processors/bench/test_bench.h"

namespace weir::processors {
namespace {

using bench::TestBench;
using Strings = std::vector<std::string>;

constexpr std::string_view prologue = R"(<?xml version="1.0" encoding="UTF-8"?>)";

// The fragments, without the XML declaration that each must have.
Strings split(std::string content, const char* depth = "1") {
  TestBench bench(split_xml(), {{"Split Depth", depth}});
  bench.enqueue(std::move(content));
  bench.run();
  EXPECT_FALSE(bench.last_error());
  EXPECT_EQ(bench.count("original"), 1u);
  Strings contents;
  for (const auto& output : bench.outputs("split")) {
    EXPECT_TRUE(output.content.starts_with(prologue));
    EXPECT_EQ(output.attribute("fragment.index"), std::to_string(contents.size()));
    EXPECT_EQ(output.attribute("fragment.count"), std::to_string(bench.count("split")));
    EXPECT_EQ(output.attribute("segment.original.filename"), "in-1");
    contents.push_back(output.content.substr(prologue.size()));
  }
  return contents;
}

// Why it went to failure.
std::string failure(std::string content) {
  TestBench bench(split_xml());
  bench.enqueue(std::move(content));
  bench.run();
  EXPECT_EQ(bench.count("split"), 0u);
  EXPECT_EQ(bench.count("original"), 0u);
  if (bench.count("failure") != 1) return "no failure";
  EXPECT_EQ(bench.messages(LogLevel::error).size(), 1u);
  return bench.outputs("failure")[0].attribute("splitXml.error");
}

TEST(SplitXml, Depths) {
  const std::string text =
      R"(<root a="1"><item id="1">one</item><item id="2"><sub>two</sub></item></root>)";
  EXPECT_EQ(split(text),
            (Strings{R"(<item id="1">one</item>)", R"(<item id="2"><sub>two</sub></item>)"}));
  EXPECT_EQ(split(text, "2"), Strings{"<sub>two</sub>"});
  EXPECT_EQ(split(text, "3"), Strings{});
}

TEST(SplitXml, TextIsEscapedAnew) {
  EXPECT_EQ(
      split("<r><i>a &amp; b &lt; c &#65;'\"</i><i a=\"&quot;&amp;'&#10;\"/></r>"),
      (Strings{"<i>a &amp; b &lt; c A&apos;&quot;</i>", "<i a=\"&quot;&amp;&apos;\n\"></i>"}));
  EXPECT_EQ(split("<r><i><![CDATA[x < y]]>]]&gt;</i></r>"), Strings{"<i>x &lt; y]]&gt;</i>"});
}

TEST(SplitXml, CommentsAndInstructionsAreLeftOut) {
  EXPECT_EQ(split("<?xml version='1.0'?><!-- a --><r>text<!-- b --><i>1<!-- c --><?p x?>2</i></r>"),
            Strings{"<i>12</i>"});
}

TEST(SplitXml, AFragmentDeclaresWhatItsAncestorsDid) {
  EXPECT_EQ(split(R"(<r xmlns="urn:x" xmlns:p="urn:p"><p:i p:a="v">1</p:i><j/></r>)"),
            (Strings{R"(<p:i p:a="v" xmlns="urn:x" xmlns:p="urn:p">1</p:i>)",
                     R"(<j xmlns="urn:x" xmlns:p="urn:p"></j>)"}));
  // Its own declarations stay where they are, those of a sibling do not matter.
  EXPECT_EQ(split(R"(<r xmlns="a"><i xmlns="b" q="1"/><j><k xmlns:z="u"><z:l/></k></j></r>)"),
            (Strings{R"(<i xmlns="b" q="1"></i>)",
                     R"(<j xmlns="a"><k xmlns:z="u"><z:l></z:l></k></j>)"}));
  EXPECT_EQ(split(R"(<r xmlns:b="&amp;" xmlns:a="2"><i xml:lang="de"/></r>)"),
            Strings{R"(<i xml:lang="de" xmlns:a="2" xmlns:b="&amp;"></i>)"});
}

TEST(SplitXml, EncodingsBecomeUtf8) {
  EXPECT_EQ(split("<r><i>\xC3\xA9</i></r>"), Strings{"<i>\xC3\xA9</i>"});
  EXPECT_EQ(split("\xEF\xBB\xBF<r><i>\xC3\xA9</i></r>"), Strings{"<i>\xC3\xA9</i>"});
  EXPECT_EQ(split("<?xml version='1.0' encoding='ISO-8859-1'?><r><i>\xE9</i></r>"),
            Strings{"<i>\xC3\xA9</i>"});
  EXPECT_EQ(split("<?xml version='1.0' encoding='windows-1252'?><r><i>\x80</i></r>"),
            Strings{"<i>\xE2\x82\xAC</i>"});
  std::string wide = "\xFF\xFE";
  for (const char c : std::string_view("<r><i>x</i></r>")) wide += {c, '\0'};
  EXPECT_EQ(split(wide), Strings{"<i>x</i>"});
}

TEST(SplitXml, WhatIsNotWellFormedFailsWithThePlace) {
  EXPECT_EQ(failure("<r><i></r>"), "mismatched tag at line 1, column 9");
  EXPECT_TRUE(failure("").starts_with("no element found"));
  EXPECT_TRUE(failure("<r><i/></r><r/>").starts_with("junk after document element"));
  EXPECT_TRUE(failure("<r><i/>&nbsp;</r>").starts_with("undefined entity"));
  EXPECT_TRUE(failure("<r><i>\xFF</i></r>").starts_with("not well-formed"));
  EXPECT_TRUE(failure("<r><i/>").starts_with("no element found"));
  EXPECT_TRUE(failure("<?xml version='1.0' encoding='nonsense'?><r/>").starts_with("unknown"));
  EXPECT_TRUE(failure("<r><p:i/></r>").starts_with("the prefix of p:i is not declared"));
  EXPECT_TRUE(failure("<r xmlns:p=''/>").starts_with("the prefix p stands for no namespace"));
  EXPECT_TRUE(failure("<r xmlns:a='u' xmlns:b='u'><i a:x='1' b:x='2'/></r>").contains("twice"));
}

// Neither a bomb of entities nor a file of the machine can come in by one.
TEST(SplitXml, NoDocumentTypeDeclaration) {
  EXPECT_TRUE(failure("<!DOCTYPE r [<!ENTITY a 'x'>]><r><i>&a;</i></r>")
                  .starts_with("a document type declaration is not allowed"));
  EXPECT_TRUE(failure("<!DOCTYPE r SYSTEM 'file:///etc/passwd'><r/>")
                  .starts_with("a document type declaration is not allowed"));
}

TEST(SplitXml, DeepNestingFails) {
  std::string text;
  for (int level = 0; level < 200'000; ++level) text += "<a>";
  EXPECT_TRUE(failure(text).starts_with("elements are nested more than 100000 deep"));
}

TEST(SplitXml, ATagWithoutEndFails) {
  EXPECT_TRUE(failure("<r><i a=\"" + std::string(20'000'000, 'x'))
                  .starts_with("a tag, comment or instruction has more than"));
}

TEST(SplitXml, FragmentsLargerThanTheBuffers) {
  const std::string text(3'000'000, '<');
  std::string source = "<r><i>";
  std::string expected = "<i>";
  for (int at = 0; at < 300'000; ++at) {
    source += "&lt;abc<b/>";
    expected += "&lt;abc<b></b>";
  }
  EXPECT_EQ(split(source + "</i></r>"), Strings{expected + "</i>"});
}

// More fragments than one commit holds: the original goes back with its progress.
void split_in_several_commits(const std::string& head, const std::string& tail, char encoded) {
  constexpr int fragments = 45'000;
  std::string text = head;
  for (int at = 0; at < fragments; ++at) {
    if (at % 10 == 0) text += at == 0 ? "<g>" : "</g><g xmlns:p=\"u" + std::to_string(at) + "\">";
    text += "<i>" + std::to_string(at) + encoded + "</i>";
  }
  TestBench bench(split_xml(), {{"Split Depth", "2"}});
  bench.enqueue(text + "</g>" + tail);
  bench.run();
  EXPECT_EQ(bench.count("split"), 20'000u);
  EXPECT_EQ(bench.count("original"), 0u);
  bench.stop();  // as a restart would
  bench.run(2);
  ASSERT_EQ(bench.count("split"), std::size_t{fragments});
  ASSERT_EQ(bench.count("original"), 1u);
  const auto outputs = bench.outputs("split");
  const std::string shown = encoded == 'x' ? "x" : "\xC3\xA9";
  for (int at = 0; at < fragments; ++at) {
    const auto& output = outputs[static_cast<std::size_t>(at)];
    const std::string prefix = at < 10 ? "" : " xmlns:p=\"u" + std::to_string(at / 10 * 10) + "\"";
    ASSERT_EQ(output.content.substr(prologue.size()),
              "<i xmlns=\"d\"" + prefix + ">" + std::to_string(at) + shown + "</i>");
    ASSERT_EQ(output.attribute("fragment.index"), std::to_string(at));
    ASSERT_EQ(output.attribute("fragment.count"), std::to_string(fragments));
    ASSERT_FALSE(output.attributes.contains("weir.split.offset"));
  }
  EXPECT_FALSE(bench.outputs("original")[0].attributes.contains("weir.split.ancestors"));
}

TEST(SplitXml, ManyFragmentsTakeSeveralCommits) {
  split_in_several_commits("<r xmlns=\"d\">", "</r>", 'x');
}

TEST(SplitXml, ManyFragmentsOfAnotherEncoding) {
  split_in_several_commits("<?xml version='1.0' encoding='ISO-8859-1'?><r xmlns=\"d\">", "</r>",
                           '\xE9');
}

}  // namespace
}  // namespace weir::processors
