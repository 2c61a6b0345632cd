#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/api/processor.h"
#include "processors/kafka/connection_settings.h"

// The Kafka processors of NiFi 1.x: there was one of each for every version of Kafka's client, and
// how the cluster is reached stood among their properties.
namespace weir::processors::kafka::nifi_1 {

// Of the connection, in NiFi's order; without those that only a consumer or producer has.
std::vector<PropertyDescriptor> connection_properties();
// What only some have.
extern const PropertyDescriptor max_poll_records;
extern const PropertyDescriptor honor_transactions;
extern const PropertyDescriptor communications_timeout;
extern const PropertyDescriptor ack_wait;
extern const PropertyDescriptor metadata_wait;
extern const PropertyDescriptor record_reader;
extern const PropertyDescriptor record_writer;

// A property that is read by nobody here, so that flows that have it load.
PropertyDescriptor ignored(std::string name, std::string display_name);

std::vector<ValidationProblem> check_connection(const PropertyContext& context);
// Throws ProcessException where it cannot be made.
std::shared_ptr<Connection> make_connection(ProcessContext& context);

}  // namespace weir::processors::kafka::nifi_1

namespace weir::processors::kafka {

// The definition for the type NAME_2_6 and the older ones as old types; `was_unversioned`: NAME was
// one, too.
ProcessorDefinition as_in_1(ProcessorDefinition definition, const std::string& name,
                            std::vector<PropertyDescriptor> properties, bool was_unversioned);

}  // namespace weir::processors::kafka
