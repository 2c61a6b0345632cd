#pragma once

#include <vector>

#include "engine/api/component.h"
#include "engine/api/relationship.h"

// The names of MergeContent, apart from its behaviour: there are many.
namespace weir::processors::merge {

extern const Relationship failure, merged_relationship, original;

extern const PropertyDescriptor merge_strategy, merge_format, attribute_strategy,
    correlation_attribute, metadata_strategy, minimum_entries, maximum_entries, minimum_size,
    maximum_size, bin_termination_check, insertion_strategy, maximum_bin_age, maximum_bins,
    delimiter_strategy, header, footer, demarcator, compression_level, keep_path, tar_modified_time;

std::vector<PropertyDescriptor> properties();
std::vector<ValidationProblem> validate(const PropertyContext& context);

}  // namespace weir::processors::merge
