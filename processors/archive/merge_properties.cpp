#include "processors/archive/merge_properties.h"

#include <fmt/format.h>

#include <filesystem>

namespace weir::processors::merge {

const Relationship failure{.name = "failure",
                           .description =
                               "FlowFiles that cannot be merged, such as fragments of "
                               "which one is missing."};
const Relationship merged_relationship{.name = "merged", .description = "The merged FlowFiles."};
const Relationship original{.name = "original", .description = "The FlowFiles that were merged."};

const PropertyDescriptor merge_strategy{
    .name = "Merge Strategy",
    .description = "Bins by number and size, or all fragments of one split.",
    .default_value = "Bin-Packing Algorithm",
    .required = true,
    .allowable_values = {{"Bin-Packing Algorithm"}, {"Defragment"}}};
const PropertyDescriptor merge_format{
    .name = "Merge Format",
    .description =
        "How the contents are joined. Into a ZIP goes only the first of FlowFiles with one name; "
        "into an Avro file only what has the schema and codec of the first: the others go to "
        "failure as copies.",
    .default_value = "Binary Concatenation",
    .required = true,
    .allowable_values = {{"TAR"},
                         {"ZIP"},
                         {"FlowFile Stream, v3"},
                         {"FlowFile Stream, v2"},
                         {"FlowFile Tar, v1"},
                         {"Binary Concatenation"},
                         {"Avro"}}};
const PropertyDescriptor attribute_strategy{
    .name = "Attribute Strategy",
    .description =
        "Which attributes the merged FlowFile keeps: those that all have with one value, or those "
        "that none contradicts.",
    .default_value = "Keep Only Common Attributes",
    .required = true,
    .allowable_values = {{"Keep Only Common Attributes"}, {"Keep All Unique Attributes"}}};
const PropertyDescriptor correlation_attribute{
    .name = "Correlation Attribute Name",
    .description = "FlowFiles of one value of this attribute are merged together.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{"Merge Strategy", {"Bin-Packing Algorithm"}}}};
const PropertyDescriptor metadata_strategy{.name = "mergecontent-metadata-strategy",
                                           .display_name = "Metadata Strategy",
                                           .description =
                                               "Which metadata an Avro file must share with the "
                                               "first one to go in. That of the first is kept, "
                                               "unless ignored.",
                                           .default_value = "Do Not Merge Uncommon Metadata",
                                           .required = true,
                                           .allowable_values = {{"Use First Metadata"},
                                                                {"Keep Only Common Metadata"},
                                                                {"Ignore Metadata"},
                                                                {"Do Not Merge Uncommon Metadata"}},
                                           .depends_on = {{"Merge Format", {"Avro"}}}};
const PropertyDescriptor minimum_entries{
    .name = "Minimum Number of Entries",
    .description = "A bin with fewer FlowFiles waits.",
    .default_value = "1",
    .required = true,
    .validator = validators::integer(0, INT32_MAX),
    .depends_on = {{"Merge Strategy", {"Bin-Packing Algorithm"}}}};
const PropertyDescriptor maximum_entries{
    .name = "Maximum Number of Entries",
    .description = "A bin with as many is merged at once.",
    .default_value = "1000",
    .required = true,
    .validator = validators::integer(1, INT32_MAX),
    .depends_on = {{"Merge Strategy", {"Bin-Packing Algorithm"}}}};
const PropertyDescriptor minimum_size{
    .name = "Minimum Group Size",
    .description = "A bin with fewer bytes waits.",
    .default_value = "0 B",
    .required = true,
    .validator = validators::data_size(),
    .depends_on = {{"Merge Strategy", {"Bin-Packing Algorithm"}}}};
const PropertyDescriptor maximum_size{
    .name = "Maximum Group Size",
    .description = "No bin gets larger; a larger FlowFile goes alone.",
    .validator = validators::data_size(),
    .depends_on = {{"Merge Strategy", {"Bin-Packing Algorithm"}}}};
const PropertyDescriptor bin_termination_check{
    .name = "Bin Termination Check",
    .description = "An expression; a FlowFile for which it is true ends its bin.",
    .validator = validators::non_empty(),
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{"Merge Strategy", {"Bin-Packing Algorithm"}}}};
const PropertyDescriptor insertion_strategy{
    .name = "FlowFile Insertion Strategy",
    .description = "Where the FlowFile that ends a bin goes.",
    .default_value = "Last in Bin",
    .required = true,
    .allowable_values = {{"Last in Bin"}, {"First in New Bin"}, {"Isolated"}},
    .depends_on = {{"Bin Termination Check"}}};
const PropertyDescriptor maximum_bin_age{
    .name = "Max Bin Age",
    .description = "An older bin is merged whatever it holds; of Defragment, it fails.",
    .validator = validators::duration(std::chrono::seconds(1))};
const PropertyDescriptor maximum_bins{.name = "Maximum number of Bins",
                                      .description = "When there are more, the oldest is merged.",
                                      .default_value = "5",
                                      .required = true,
                                      .validator = validators::integer(1, 100'000)};
const PropertyDescriptor delimiter_strategy{
    .name = "Delimiter Strategy",
    .description = "Whether header, footer and demarcator are text, or names of files, or ignored.",
    .default_value = "Do Not Use Delimiters",
    .required = true,
    .allowable_values = {{"Filename"}, {"Text"}, {"Do Not Use Delimiters"}},
    .depends_on = {{"Merge Format", {"Binary Concatenation"}}}};
const PropertyDescriptor header{.name = "Header File",
                                .display_name = "Header",
                                .description = "Before the first content.",
                                .expression_scope = ExpressionScope::flow_file_attributes,
                                .depends_on = {{"Merge Format", {"Binary Concatenation"}},
                                               {"Delimiter Strategy", {"Filename", "Text"}}}};
const PropertyDescriptor footer{.name = "Footer File",
                                .display_name = "Footer",
                                .description = "Behind the last content.",
                                .expression_scope = ExpressionScope::flow_file_attributes,
                                .depends_on = {{"Merge Format", {"Binary Concatenation"}},
                                               {"Delimiter Strategy", {"Filename", "Text"}}}};
const PropertyDescriptor demarcator{.name = "Demarcator File",
                                    .display_name = "Demarcator",
                                    .description = "Between the contents.",
                                    .expression_scope = ExpressionScope::flow_file_attributes,
                                    .depends_on = {{"Merge Format", {"Binary Concatenation"}},
                                                   {"Delimiter Strategy", {"Filename", "Text"}}}};
const PropertyDescriptor compression_level{
    .name = "Compression Level",
    .description = "Of a ZIP.",
    .default_value = "1",
    .required = true,
    .allowable_values = {{"0"}, {"1"}, {"2"}, {"3"}, {"4"}, {"5"}, {"6"}, {"7"}, {"8"}, {"9"}},
    .depends_on = {{"Merge Format", {"ZIP"}}}};
const PropertyDescriptor keep_path{.name = "Keep Path",
                                   .description = "Whether paths go into the archive.",
                                   .default_value = "false",
                                   .required = true,
                                   .allowable_values = {{"true"}, {"false"}},
                                   .depends_on = {{"Merge Format", {"TAR", "ZIP"}}}};
const PropertyDescriptor tar_modified_time{
    .name = "Tar Modified Time",
    .description =
        "Of the entries of a TAR, such as 2024-02-03T04:05:06Z. What is no such time is now.",
    .default_value = "${file.lastModifiedTime}",
    .expression_scope = ExpressionScope::flow_file_attributes,
    .depends_on = {{"Merge Format", {"TAR"}}}};

std::vector<PropertyDescriptor> properties() {
  return {merge_strategy,
          merge_format,
          attribute_strategy,
          correlation_attribute,
          metadata_strategy,
          minimum_entries,
          maximum_entries,
          minimum_size,
          maximum_size,
          bin_termination_check,
          insertion_strategy,
          maximum_bin_age,
          maximum_bins,
          delimiter_strategy,
          header,
          footer,
          demarcator,
          compression_level,
          keep_path,
          tar_modified_time};
}

namespace {

void check_file(const PropertyContext& context, const PropertyDescriptor& descriptor,
                std::vector<ValidationProblem>& problems) {
  const PropertyValue value = context.property(descriptor);
  if (!value.is_set() || value.has_expression()) return;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(value.text(), ignored)) return;
  problems.push_back({descriptor.name, fmt::format("there is no file {}", value.text())});
}

}  // namespace

std::vector<ValidationProblem> validate(const PropertyContext& context) {
  std::vector<ValidationProblem> problems;
  if (context.property(merge_strategy).text() != "Defragment") {
    if (context.property(minimum_entries).integer() > context.property(maximum_entries).integer()) {
      problems.push_back({minimum_entries.name, "is larger than Maximum Number of Entries"});
    }
    const PropertyValue most = context.property(maximum_size);
    if (most.is_set() && context.property(minimum_size).data_size() > most.data_size()) {
      problems.push_back({minimum_size.name, "is larger than Maximum Group Size"});
    }
  }
  const bool concatenates = context.property(merge_format).text() == "Binary Concatenation";
  if (concatenates && context.property(delimiter_strategy).text() == "Filename") {
    check_file(context, header, problems);
    check_file(context, footer, problems);
    check_file(context, demarcator, problems);
  }
  return problems;
}

}  // namespace weir::processors::merge
