#pragma once

#include <string>

#include "engine/api/registry.h"

namespace weir {

// The reference page of a component, in Markdown, made from nothing but its declaration: what
// `weirctl processors describe` shows.
std::string reference_page(const ProcessorDefinition& definition);
std::string reference_page(const ControllerServiceDefinition& definition);

}  // namespace weir
