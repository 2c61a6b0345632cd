#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/api/controller_service.h"
#include "engine/api/processor.h"

namespace weir {

// The component types this engine knows: filled by explicit lists, never by static initialisers.
// Immutable once the engine runs, then thread safe.
class ComponentRegistry {
 public:
  void add(const ProcessorDefinition& definition);  // kept by reference: a constant
  void add(const ControllerServiceDefinition& definition);
  // Found by the type and the old types that it names, and in no list: as a version of NiFi that is
  // gone declared a processor that is another one today. Flows that name it load.
  void add_unlisted(const ProcessorDefinition& definition);

  // By full type, last part of it, or an old type; whatever the package says where the last part
  // is known. Null where nobody has it.
  const ProcessorDefinition* find_processor(std::string_view type) const;
  const ControllerServiceDefinition* find_controller_service(std::string_view type) const;

  std::vector<const ProcessorDefinition*> processors() const;  // sorted by short type
  std::vector<const ControllerServiceDefinition*> controller_services() const;
  // Of a type nobody has: the nearest known short name, or "".
  std::string nearest_type(std::string_view type) const;

 private:
  std::vector<const ProcessorDefinition*> processors_;
  std::vector<const ProcessorDefinition*> unlisted_;
  std::vector<const ControllerServiceDefinition*> services_;
};

}  // namespace weir
