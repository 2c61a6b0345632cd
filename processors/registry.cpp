#include "processors/registry.h"

#include "processors/archive/merge_content.h"
#include "processors/archive/package_flow_file.h"
#include "processors/archive/unpack_content.h"
#include "processors/attribute/attributes_to_csv.h"
#include "processors/attribute/attributes_to_json.h"
#include "processors/attribute/filter_attribute.h"
#include "processors/attribute/log_message.h"
#include "processors/attribute/retry_flow_file.h"
#include "processors/attribute/route_on_attribute.h"
#include "processors/attribute/scan_attribute.h"
#include "processors/attribute/update_attribute.h"
#include "processors/aws/credentials_service.h"
#include "processors/content/compress_content.h"
#include "processors/content/cryptographic_hash_content.h"
#include "processors/content/encode_content.h"
#include "processors/content/identify_mime_type.h"
#include "processors/content/modify_bytes.h"
#include "processors/content/modify_compression.h"
#include "processors/content/segment_content.h"
#include "processors/file/fetch_file.h"
#include "processors/file/get_file.h"
#include "processors/file/list_file.h"
#include "processors/file/put_file.h"
#include "processors/flow/distribute_load.h"
#include "processors/flow/duplicate_flow_file.h"
#include "processors/flow/generate_flow_file.h"
#include "processors/flow/log_attribute.h"
#include "processors/jolt/jolt_transform_json.h"
#include "processors/json/evaluate_json_path.h"
#include "processors/json/flatten_json.h"
#include "processors/json/split_json.h"
#include "processors/kafka/connection_service.h"
#include "processors/kafka/mirror_kafka.h"
#include "processors/kafka/records/consume_kafka.h"
#include "processors/kafka/records/publish_kafka.h"
#include "processors/kinesis/consume_kinesis.h"
#include "processors/kinesis/put_kinesis_stream.h"
#include "processors/ssl/ssl_context_service.h"
#include "processors/text/convert_character_set.h"
#include "processors/text/count_text.h"
#include "processors/text/extract_text.h"
#include "processors/text/replace_text.h"
#include "processors/text/replace_text_with_mapping.h"
#include "processors/text/route_on_content.h"
#include "processors/text/route_text.h"
#include "processors/text/scan_content.h"
#include "processors/text/split_content.h"
#include "processors/text/split_text.h"
#include "processors/xml/split_xml.h"

namespace weir {

void register_standard_processors(ComponentRegistry& registry) {
  registry.add(processors::attributes_to_csv());
  registry.add(processors::attributes_to_json());
  registry.add(processors::compress_content());
  registry.add(processors::consume_kinesis());
  registry.add(processors::cryptographic_hash_content());
  registry.add(processors::distribute_load());
  registry.add(processors::duplicate_flow_file());
  registry.add(processors::encode_content());
  registry.add(processors::evaluate_json_path());
  registry.add(processors::fetch_file());
  registry.add(processors::filter_attribute());
  registry.add(processors::flatten_json());
  registry.add(processors::generate_flow_file());
  registry.add(processors::get_file());
  registry.add(processors::identify_mime_type());
  registry.add(processors::jolt_transform_json());
  registry.add(processors::list_file());
  registry.add(processors::log_attribute());
  registry.add(processors::log_message());
  registry.add(processors::merge_content());
  registry.add(processors::modify_bytes());
  registry.add(processors::modify_compression());
  registry.add(processors::mirror_kafka());
  registry.add(processors::kafka::consume_kafka());
  registry.add(processors::kafka::publish_kafka());
  registry.add(processors::package_flow_file());
  registry.add(processors::retry_flow_file());
  registry.add(processors::route_on_attribute());
  registry.add(processors::scan_attribute());
  registry.add(processors::put_file());
  registry.add(processors::put_kinesis_stream());
  registry.add(processors::segment_content());
  registry.add(processors::convert_character_set());
  registry.add(processors::count_text());
  registry.add(processors::extract_text());
  registry.add(processors::replace_text());
  registry.add(processors::replace_text_with_mapping());
  registry.add(processors::route_on_content());
  registry.add(processors::route_text());
  registry.add(processors::scan_content());
  registry.add(processors::split_content());
  registry.add(processors::split_json());
  registry.add(processors::split_text());
  registry.add(processors::split_xml());
  registry.add(processors::unpack_content());
  registry.add(processors::update_attribute());

  registry.add_unlisted(processors::kafka::consume_kafka_1());
  registry.add_unlisted(processors::kafka::consume_kafka_record_1());
  registry.add_unlisted(processors::kafka::publish_kafka_1());
  registry.add_unlisted(processors::kafka::publish_kafka_record_1());

  registry.add(processors::aws::aws_credentials_provider_service());
  registry.add(processors::kafka::kafka3_connection_service());
  registry.add(processors::ssl::standard_restricted_ssl_context_service());
  registry.add(processors::ssl::standard_ssl_context_service());
}

}  // namespace weir
