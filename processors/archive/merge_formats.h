#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/api/processor.h"
#include "processors/archive/byte_streams.h"

namespace weir::processors::merge {

// How the contents of one bin become one content: one of the values of Merge Format. Made when the
// processor is scheduled; several threads use it at once.
class Bundler {
 public:
  virtual ~Bundler() = default;
  // Appends to `left_out` the FlowFiles that could not go in. Throws ProcessException where there
  // is no bundle: all FlowFiles of the bin then fail.
  virtual void write(ProcessSession& session, std::span<const FlowFile> contents,
                     BufferedOutput& out, std::vector<FlowFile>& left_out) const = 0;
  virtual std::string left_out_reason() const { return "it does not go into the bundle"; }
  virtual std::string mime_type(std::span<const FlowFile> contents) const = 0;
  // Comes behind the filename. Not set: the bundle is named as a new FlowFile is.
  virtual std::optional<std::string> extension() const = 0;
};

std::unique_ptr<const Bundler> make_bundler(ProcessContext& context);

// What one Avro file after another goes through (merge_avro.cpp).
std::unique_ptr<const Bundler> make_avro_bundler(ProcessContext& context);

}  // namespace weir::processors::merge
