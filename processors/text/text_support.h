#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/api/processor.h"
#include "engine/text/character_set.h"

// What the declarations and behaviours of the text processors have in common.
namespace weir::processors {

// A name that Java knows.
Validator known_character_set();
PropertyDescriptor character_set_property(std::string description);
// Throws ProcessException where no such set is known.
const text::CharacterSet& find_character_set(std::string_view name);

// A file that is there and is no directory.
Validator existing_file();

// What keeps a value from being a regular expression with that many groups, evaluated without a
// FlowFile where it holds an expression.
std::optional<std::string> regex_problem(const PropertyValue& value, std::size_t least_groups = 0,
                                         std::size_t most_groups = SIZE_MAX);

// The value with what its expressions give quoted, so that attributes stand for themselves within
// a regular expression.
std::string evaluate_quoted(const PropertyValue& value, const FlowFile& flow_file);

// At most `most_bytes` of the content, as UTF-8.
std::string read_text(ProcessSession& session, const FlowFile& flow_file,
                      const text::CharacterSet& character_set, std::uint64_t most_bytes);

// The FlowFile cannot be worked on: logs, and keeps the reason in an attribute.
void note_failure(ProcessContext& context, ProcessSession& session, const FlowFile& flow_file,
                  std::string_view attribute, std::string_view reason);

}  // namespace weir::processors
