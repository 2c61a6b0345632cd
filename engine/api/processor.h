#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/api/component.h"
#include "engine/api/process_session.h"

namespace weir {

// What a processor sees of itself while it is scheduled. Thread safe.
class ProcessContext : public ComponentContext {
 public:
  virtual bool has_incoming_connection() const = 0;
  virtual bool has_connection(std::string_view relationship) const = 0;
  // Relationships whose connections all have room. Auto-terminated ones always have.
  virtual std::set<std::string> available_relationships() const = 0;
  virtual std::chrono::milliseconds penalty_duration() const = 0;
  // The processor is not triggered again for its yield duration (or `duration`).
  virtual void yield() = 0;
  virtual void yield(std::chrono::milliseconds duration) = 0;
  // False once the processor was asked to stop: a long trigger ends soon where it can.
  virtual bool is_scheduled() const = 0;
  virtual int concurrent_tasks() const = 0;
};

// The behaviour of a processor. The engine calls, in this order:
//   on_scheduled     once, alone, before any trigger; an exception keeps the processor stopped
//                    (yielding, trying again) and raises a bulletin;
//   on_trigger       as often as there is work, from up to `concurrent_tasks` threads at once;
//   on_unscheduled   when a stop is asked, while triggers may still run;
//   on_stopped       once, alone, after the last trigger has returned.
class Processor : public Component {
 public:
  virtual void on_scheduled(ProcessContext&) {}
  virtual void on_trigger(ProcessContext& context, ProcessSession& session) = 0;
  virtual void on_unscheduled(ProcessContext&) {}
  virtual void on_stopped(ProcessContext&) {}

  // For a processor that manages its own sessions (`ProcessorDefinition::manages_sessions`):
  // called instead of the one above.
  virtual void on_trigger_with(ProcessContext& context, ProcessSessionFactory& sessions);
};

enum class InputRequirement { required, allowed, forbidden };

struct ProcessorDefinition : ComponentDefinition {
  std::vector<Relationship> relationships = {};
  // Relationships that follow from the properties (RouteOnAttribute, DistributeLoad): given the
  // configured values, all of them. Null: `relationships` are all.
  std::function<std::vector<Relationship>(const PropertyContext&)> dynamic_relationships = {};
  std::vector<AttributeNote> reads_attributes = {};
  std::vector<AttributeNote> writes_attributes = {};
  InputRequirement input = InputRequirement::allowed;
  bool supports_batching = false;                       // several triggers may end with one commit
  bool trigger_serially = false;                        // one task, whatever the flow says
  bool trigger_when_empty = false;                      // triggered by its timer also without input
  bool trigger_when_any_destination_available = false;  // not only when all have room
  bool manages_sessions = false;
  bool blocking = false;  // its trigger waits for the outside world
  bool stateful = false;
  std::string default_scheduling_period = "0 sec";
  std::chrono::milliseconds default_run_duration{0};
  std::string delivery_note = {};  // what happens to data when the engine dies meanwhile
  std::string example = {};        // short flow JSON
  std::function<std::unique_ptr<Processor>()> make;
};

}  // namespace weir
