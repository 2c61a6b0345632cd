#pragma once

#include "engine/api/component.h"
#include "processors/kafka/mirror/mirror_settings.h"

// The properties of MirrorKafka, in their order in `all`.
namespace weir::processors::mirror_kafka_properties {

extern const PropertyDescriptor source;
extern const PropertyDescriptor target;
extern const PropertyDescriptor topics;
extern const PropertyDescriptor topic_format;
extern const PropertyDescriptor group_id;
extern const PropertyDescriptor group_instance_id;
extern const PropertyDescriptor initial_position;
extern const PropertyDescriptor delivery;
extern const PropertyDescriptor channels;
extern const PropertyDescriptor commit_interval;
extern const PropertyDescriptor drain_timeout;
extern const PropertyDescriptor max_bytes;
extern const PropertyDescriptor assignment_strategy;
extern const PropertyDescriptor topic_refresh_interval;
extern const PropertyDescriptor create_topics;
extern const PropertyDescriptor grow_topics;
extern const PropertyDescriptor replication_factor;
extern const PropertyDescriptor copied_settings;
extern const PropertyDescriptor message_handler;
extern const PropertyDescriptor on_loss;
extern const PropertyDescriptor on_recreated_topic;
extern const PropertyDescriptor on_failure;
extern const PropertyDescriptor dead_letter_topic;
extern const PropertyDescriptor provenance;

std::vector<PropertyDescriptor> all();

inline constexpr const char* kProvenanceBatches = "batches";

std::vector<ValidationProblem> problems_of(const PropertyContext& context);
// Throws ProcessException where a service or handler is not there.
kafka::MirrorSettings settings_of(const PropertyContext& context);

}  // namespace weir::processors::mirror_kafka_properties
