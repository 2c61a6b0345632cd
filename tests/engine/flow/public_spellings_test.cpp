#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "processors/registry.h"
#include "tests/engine/flow/test_flow.h"

// What flows in the wild set on the processors that this engine has: old and new property keys,
// values as they are spelled there. A flow that loads in NiFi must pass the checks here.
namespace weir::flow {
namespace {

using testing::IsEmpty;

const ComponentRegistry& registry() {
  static const ComponentRegistry filled = [] {
    ComponentRegistry made;
    register_standard_processors(made);
    return made;
  }();
  return filled;
}

struct Setting {
  const char* type;
  const char* properties;  // members of a JSON object
};

// The problems of a processor's type and properties, without those of missing connections.
std::vector<std::string> problems_of(const Setting& setting) {
  const ReadResult result =
      read_flow(std::string(R"({"processors": {"it": {"type": ")") + setting.type +
                    R"(", "properties": {)" + setting.properties + "}}}}",
                "flow.json")
          .value();
  std::vector<std::string> texts = test::texts(result.problems);
  for (const Problem& problem : check_flow(result.flow, registry()).problems) {
    const std::string text = problem.to_string();
    if (!text.contains("relationship") && !text.contains("no input") &&
        !text.contains("connection")) {
      texts.push_back(text);
    }
  }
  return texts;
}

const Setting settings[] = {
    {"UpdateAttribute", R"j("Store State": "Do not store state",
        "canonical-value-lookup-cache-size": "100", "Delete Attributes Expression": null,
        "filename": "${filename}.json", "mime.type": "application/json",
        "Stateful Variables Initial Value": null)j"},
    {"UpdateAttribute",
     R"j("Cache Value Lookup Cache Size": "100", "Content-Type": "text/plain")j"},
    {"EvaluateJsonPath", R"j("Destination": "flowfile-attribute", "Return Type": "auto-detect",
        "Null Value Representation": "empty string", "Path Not Found Behavior": "ignore",
        "Max String Length": "20 MB", "id": "$.id", "status": "$.status")j"},
    {"EvaluateJsonPath", R"j("Destination": "flowfile-content", "Return Type": "json",
        "Null Value Representation": "the string 'null'", "Path Not Found Behavior": "warn",
        "data": "$.data")j"},
    {"GenerateFlowFile", R"j("File Size": "0B", "Batch Size": "1", "Unique FlowFiles": "false",
        "Data Format": "Text", "character-set": "UTF-8", "generate-ff-custom-text": "{}",
        "mime-type": "application/json")j"},
    {"GenerateFlowFile", R"j("File Size": "0B", "Character Set": "UTF-8", "Custom Text": "x",
        "Mime Type": "application/json")j"},
    {"SplitJson", R"j("JsonPath Expression": "$.*", "Null Value Representation": "empty string",
        "Max String Length": "20 MB")j"},
    {"SplitJson", R"j("JsonPath Expression": "$[*]")j"},
    {"SplitJson", R"j("JsonPath Expression": "$")j"},
    {"RouteOnAttribute", R"j("Routing Strategy": "Route to Property name",
        "Success": "${status:equals('ok')}")j"},
    {"RouteOnAttribute", R"j("Routing Strategy": "Route to 'match' if all match",
        "Success": "${status:equals('ok')}")j"},
    {"LogAttribute", R"j("Log Level": "info", "Log Payload": "false", "character-set": "UTF-8",
        "attributes-to-log-regex": ".*", "Log FlowFile Properties": "true",
        "Output Format": "Line per Attribute", "Log prefix": null, "Attributes to Log": null,
        "Attributes to Ignore": null, "attributes-to-ignore-regex": null)j"},
    {"LogAttribute", R"j("Log Level": "error", "Character Set": "windows-1252",
        "Attributes to Log Regular Expression": ".*", "Log Prefix": "x")j"},
    {"ReplaceText", R"j("Regular Expression": "(?s)(^.*$)", "Replacement Value": "",
        "Character Set": "UTF-8", "Maximum Buffer Size": "1 MB",
        "Replacement Strategy": "Regex Replace", "Evaluation Mode": "Entire text",
        "Line-by-Line Evaluation Mode": "All")j"},
    {"ReplaceText", R"j("Regular Expression": ".*", "Replacement Value": " ",
        "Maximum Buffer Size": "10 MB", "Replacement Strategy": "Always Replace",
        "Evaluation Mode": "Line-by-Line")j"},
    {"PutFile", R"j("Directory": "/tmp/out", "Create Missing Directories": "true",
        "Conflict Resolution Strategy": "replace", "Permissions": null, "Group": null,
        "Owner": null, "Maximum File Count": null, "Last Modified Time": null)j"},
    {"GetFile", R"j("Input Directory": "/tmp", "Keep Source File": "false",
        "File Filter": "[^\\.].*", "Recurse Subdirectories": "true", "Minimum File Age": "0 sec",
        "Polling Interval": "30 sec", "Batch Size": "10", "Ignore Hidden Files": "true",
        "Minimum File Size": "0 B", "Path Filter": null, "Maximum File Age": null,
        "Maximum File Size": null)j"},
    {"JoltTransformJSON", R"j("jolt-transform": "jolt-transform-chain",
        "jolt-spec": "[{\"operation\": \"shift\", \"spec\": {\"*\": \"&\"}}]",
        "jolt-custom-class": null, "jolt-custom-modules": null, "Transform Cache Size": "1",
        "pretty_print": "false", "Max String Length": "20 MB")j"},
    {"org.apache.nifi.processors.standard.JoltTransformJSON",
     R"j("jolt-transform": "jolt-transform-shift", "jolt-spec": "{\"a\": \"b\"}")j"},
    {"org.apache.nifi.processors.jolt.JoltTransformJSON",
     R"j("Jolt Transform": "jolt-transform-chain", "JSON Source": "FLOW_FILE",
        "Jolt Specification": "[{\"operation\": \"modify-default-beta\", \"spec\": {}}]",
        "Custom Transformation Class Name": null, "JSON Source Attribute": null,
        "Pretty Print": "true")j"},
    {"MergeContent", R"j("Merge Strategy": "Bin-Packing Algorithm",
        "Merge Format": "Binary Concatenation", "Attribute Strategy": "Keep Only Common Attributes",
        "mergecontent-metadata-strategy": "Do Not Merge Uncommon Metadata", "Keep Path": "false",
        "Compression Level": "1", "Maximum Number of Entries": "1000",
        "Minimum Number of Entries": "1", "Minimum Group Size": "0 B",
        "Maximum number of Bins": "5", "Delimiter Strategy": "Text", "Header File": "[",
        "Demarcator File": ",", "Footer File": "]", "Max Bin Age": "1 min",
        "Tar Modified Time": "${file.lastModifiedTime}")j"},
    {"MergeContent", R"j("Merge Strategy": "Defragment",
        "Attribute Strategy": "Keep All Unique Attributes",
        "Delimiter Strategy": "Do Not Use Delimiters")j"},
    {"SplitText", R"j("Line Split Count": "1", "Header Line Count": "1",
        "Remove Trailing Newlines": "true", "Maximum Fragment Size": null,
        "Header Line Marker Characters": null)j"},
    {"ExtractText", R"j("Character Set": "UTF-8", "Maximum Buffer Size": "1 MB",
        "Maximum Capture Group Length": "1024", "Enable Canonical Equivalence": "false",
        "Enable Case-insensitive Matching": "false",
        "Permit Whitespace and Comments in Pattern": "false", "Enable DOTALL Mode": "false",
        "Enable Literal Parsing of the Pattern": "false", "Enable Multiline Mode": "false",
        "Enable Unicode-aware Case Folding": "false",
        "Enable Unicode Predefined Character Classes": "false", "Enable Unix Lines Mode": "false",
        "Include Capture Group 0": "true", "extract-text-enable-repeating-capture-group": "false",
        "extract-text-enable-named-groups": "false", "url": "(http.*)")j"},
    {"SplitXml", R"j("Split Depth": "2")j"},
    {"IdentifyMimeType", R"j("use-filename-in-detection": "true", "config-strategy": "Preset")j"},
    {"ListFile", R"j("Input Directory": "/tmp", "listing-strategy": "timestamps",
        "Recurse Subdirectories": "true", "Input Directory Location": "Local",
        "File Filter": "[^\\.].*", "Include File Attributes": "true",
        "Minimum File Age": "0 sec", "Minimum File Size": "0 B", "Ignore Hidden Files": "true",
        "target-system-timestamp-precision": "auto-detect", "track-performance": "false",
        "max-performance-metrics": "100000", "max-operation-time": "10 secs",
        "max-listing-time": "3 mins")j"},
    {"FetchFile", R"j("File to Fetch": "${absolute.path}/${filename}",
        "Completion Strategy": "None", "Move Conflict Strategy": "Rename",
        "Log level when file not found": "ERROR", "Log level when permission denied": "ERROR")j"},
    {"AttributesToJSON", R"j("Attributes List": null, "attributes-to-json-regex": null,
        "Destination": "flowfile-content", "Include Core Attributes": "false",
        "Null Value": "false")j"},
    {"CompressContent", R"j("Mode": "compress", "Compression Format": "gzip",
        "Compression Level": "1", "Update Filename": "true")j"},
    {"UnpackContent", R"j("Packaging Format": "zip", "File Filter": ".*", "Password": null,
        "allow-stored-entries-wdd": "false")j"},
    {"LogMessage", R"j("log-level": "info", "log-prefix": null, "log-message": "hello")j"},
    {"DuplicateFlowFile", R"j("Number of Copies": "1")j"},
    {"ModifyBytes",
     R"j("Start Offset": "0 B", "End Offset": "0 B", "Remove All Content": "true")j"},
    {"RouteOnContent", R"j("Match Requirement": "content must contain match",
        "Character Set": "UTF-8", "Content Buffer Size": "1 MB", "error": "ERROR")j"},
    {"RouteText", R"j("Routing Strategy": "Route to each matching Property Name",
        "Matching Strategy": "Contains", "Character Set": "UTF-8",
        "Ignore Leading/Trailing Whitespace": "true", "Ignore Case": "false", "line": "ERROR")j"},
    {"RetryFlowFile", R"j("retry-attribute": "flowfile.retries", "max-retries": "3",
        "penalize-retries": "true", "Fail on Non-numerical Overwrite": "false",
        "reuse-mode": "fail")j"},
};

TEST(PublicSpellings, AreUnderstood) {
  for (const Setting& setting : settings) {
    EXPECT_THAT(problems_of(setting), IsEmpty()) << setting.type << " " << setting.properties;
  }
}

TEST(PublicSpellings, WhatIsWrongIsStillFound) {
  EXPECT_THAT(problems_of({"SplitXml", R"("Split Depth": "0")"}), testing::SizeIs(1));
  EXPECT_THAT(problems_of({"JoltTransformJSON", R"("jolt-spec": "{bad")"}), testing::SizeIs(1));
}

}  // namespace
}  // namespace weir::flow
