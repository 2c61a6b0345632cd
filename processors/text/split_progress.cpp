#include "processors/text/split_progress.h"

#include <cstdlib>
#include <vector>

namespace weir::processors {
namespace {

const std::string resume_offset = "weir.split.offset";
const std::string resume_index = "weir.split.index";
const std::string resume_carried = "weir.split.carried";
const std::string resume_count = "weir.split.count";
const std::string resume_identifier = "weir.split.identifier";

std::uint64_t to_number(const std::string* text) {
  return text ? std::strtoull(text->c_str(), nullptr, 10) : 0;
}

}  // namespace

bool SplitProgress::take(ProcessSession& session, const FlowFile& source) {
  const std::string* known = source.find_attribute(resume_identifier);
  if (!known) return false;
  identifier = *known;
  offset = to_number(source.find_attribute(resume_offset));
  is_carried = source.find_attribute(resume_carried) != nullptr;
  index = to_number(source.find_attribute(resume_index));
  count = to_number(source.find_attribute(resume_count));
  const std::string names[] = {resume_offset, resume_carried, resume_index, resume_count,
                               resume_identifier};
  session.remove_attributes(source, names);
  return true;
}

void SplitProgress::put(ProcessSession& session, const FlowFile& source) const {
  std::vector<flowfile::Attributes::Entry> attributes = {{resume_offset, std::to_string(offset)},
                                                         {resume_index, std::to_string(index)},
                                                         {resume_count, std::to_string(count)},
                                                         {resume_identifier, identifier}};
  if (is_carried) attributes.emplace_back(resume_carried, "true");
  session.put_attributes(source, attributes);
  session.transfer_to_source(source);
}

std::array<flowfile::Attributes::Entry, 3> SplitProgress::common_attributes(
    const FlowFile& source) const {
  return {{{std::string(attribute::fragment_identifier), identifier},
           {std::string(attribute::fragment_count), std::to_string(count)},
           {std::string(attribute::segment_original_filename),
            source.attribute(attribute::filename).value_or("")}}};
}

void SplitProgress::mark_original(ProcessSession& session, const FlowFile& source) const {
  const flowfile::Attributes::Entry attributes[] = {
      {std::string(attribute::fragment_identifier), identifier},
      {std::string(attribute::fragment_count), std::to_string(count)}};
  session.put_attributes(source, attributes);
}

}  // namespace weir::processors
