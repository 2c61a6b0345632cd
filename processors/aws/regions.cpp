#include "processors/aws/regions.h"

#include <algorithm>
#include <array>

namespace weir::processors::aws {
namespace {

struct Region {
  const char* id;
  const char* name;
};

// Sorted by name, as an editor shows them.
constexpr Region regions[] = {
    {"us-gov-east-1", "AWS GovCloud (US-East)"},
    {"us-gov-west-1", "AWS GovCloud (US-West)"},
    {"af-south-1", "Africa (Cape Town)"},
    {"ap-east-1", "Asia Pacific (Hong Kong)"},
    {"ap-south-2", "Asia Pacific (Hyderabad)"},
    {"ap-southeast-3", "Asia Pacific (Jakarta)"},
    {"ap-southeast-5", "Asia Pacific (Malaysia)"},
    {"ap-southeast-4", "Asia Pacific (Melbourne)"},
    {"ap-south-1", "Asia Pacific (Mumbai)"},
    {"ap-southeast-6", "Asia Pacific (New Zealand)"},
    {"ap-northeast-3", "Asia Pacific (Osaka)"},
    {"ap-northeast-2", "Asia Pacific (Seoul)"},
    {"ap-southeast-1", "Asia Pacific (Singapore)"},
    {"ap-southeast-2", "Asia Pacific (Sydney)"},
    {"ap-east-2", "Asia Pacific (Taipei)"},
    {"ap-southeast-7", "Asia Pacific (Thailand)"},
    {"ap-northeast-1", "Asia Pacific (Tokyo)"},
    {"ca-central-1", "Canada (Central)"},
    {"ca-west-1", "Canada West (Calgary)"},
    {"cn-north-1", "China (Beijing)"},
    {"cn-northwest-1", "China (Ningxia)"},
    {"eusc-de-east-1", "EU (Germany)"},
    {"eu-isoe-west-1", "EU ISOE West"},
    {"eu-central-1", "Europe (Frankfurt)"},
    {"eu-west-1", "Europe (Ireland)"},
    {"eu-west-2", "Europe (London)"},
    {"eu-south-1", "Europe (Milan)"},
    {"eu-west-3", "Europe (Paris)"},
    {"eu-south-2", "Europe (Spain)"},
    {"eu-north-1", "Europe (Stockholm)"},
    {"eu-central-2", "Europe (Zurich)"},
    {"il-central-1", "Israel (Tel Aviv)"},
    {"mx-central-1", "Mexico (Central)"},
    {"me-south-1", "Middle East (Bahrain)"},
    {"me-central-1", "Middle East (UAE)"},
    {"sa-east-1", "South America (Sao Paulo)"},
    {"us-east-1", "US East (N. Virginia)"},
    {"us-east-2", "US East (Ohio)"},
    {"us-iso-east-1", "US ISO East"},
    {"us-iso-west-1", "US ISO WEST"},
    {"us-isob-east-1", "US ISOB East (Ohio)"},
    {"us-isof-east-1", "US ISOF EAST"},
    {"us-isof-south-1", "US ISOF SOUTH"},
    {"us-west-1", "US West (N. California)"},
    {"us-west-2", "US West (Oregon)"},
    {"aws-global", "aws global region"},
    {"aws-cn-global", "aws-cn global region"},
    {"aws-iso-global", "aws-iso global region"},
    {"aws-iso-b-global", "aws-iso-b global region"},
    {"aws-iso-e-global", "aws-iso-e global region"},
    {"aws-iso-f-global", "aws-iso-f global region"},
    {"aws-us-gov-global", "aws-us-gov global region"},
};

struct Partition {
  std::string_view prefix;  // of the ids of its regions
  std::string_view domain;
};

constexpr Partition partitions[] = {
    {"cn-", "amazonaws.com.cn"},      {"aws-cn-", "amazonaws.com.cn"},
    {"us-iso-", "c2s.ic.gov"},        {"us-isob-", "sc2s.sgov.gov"},
    {"us-isof-", "csp.hci.ic.gov"},   {"eu-isoe-", "cloud.adc-e.uk"},
    {"aws-iso-global", "c2s.ic.gov"}, {"aws-iso-b-", "sc2s.sgov.gov"},
    {"aws-iso-f-", "csp.hci.ic.gov"}, {"aws-iso-e-", "cloud.adc-e.uk"},
    {"eusc-", "amazonaws.eu"},
};

std::string_view domain_of(std::string_view region) {
  for (const Partition& partition : partitions) {
    if (region.starts_with(partition.prefix)) return partition.domain;
  }
  return "amazonaws.com";
}

bool is_global(std::string_view region) {
  return region.starts_with("aws-") && region.ends_with("global");
}

PropertyDescriptor region_declaration() {
  return {.name = "Region",
          .description = "The AWS region of the service.",
          .default_value = "us-west-2",
          .required = true};
}

}  // namespace

PropertyDescriptor region_property() {
  PropertyDescriptor property = region_declaration();
  for (const Region& region : regions) {
    property.allowable_values.push_back({region.id, region.name});
  }
  return property;
}

PropertyDescriptor any_region_property() {
  PropertyDescriptor property = region_declaration();
  property.description += " An id that is not known here, of a region of your own, is taken too.";
  property.validator = region_id();
  return property;
}

std::vector<AllowableValue> region_ids() {
  std::vector<AllowableValue> values;
  for (const Region& region : regions) {
    if (!is_global(region.id)) values.push_back({region.id, region.name});
  }
  return values;
}

Validator region_id() {
  return [](std::string_view value) -> std::optional<std::string> {
    const auto allowed = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    const bool shaped = !value.empty() && value.size() <= 63 && value.front() != '-' &&
                        value.back() != '-' && std::ranges::all_of(value, allowed);
    if (shaped) return std::nullopt;
    return "a region's id has small letters, digits and hyphens, such as us-west-2";
  };
}

Validator endpoint_url() {
  return [](std::string_view value) -> std::optional<std::string> {
    const std::size_t begin = value.starts_with("https://")  ? 8
                              : value.starts_with("http://") ? 7
                                                             : 0;
    const std::string_view authority =
        value.substr(begin).substr(0, value.find('/', begin) - begin);
    const bool printable = std::ranges::all_of(value, [](char c) { return c > ' ' && c < 0x7f; });
    if (begin == 0 || authority.empty() || !printable) {
      return "must be a URL such as https://kinesis.us-west-2.amazonaws.com";
    }
    if (authority.contains('@')) return "must not hold a user's name";
    if (value.find_first_of("?#") != std::string_view::npos) return "must have no query";
    return std::nullopt;
  };
}

std::string service_endpoint(std::string_view service, std::string_view region) {
  std::string host(service);
  // Only the global endpoint of a service that has one goes without a region.
  if (!(region == "aws-global" && service == "sts")) host.append(".").append(region);
  return "https://" + host + "." + std::string(domain_of(region));
}

std::string signing_region(std::string_view region) {
  return std::string(region == "aws-global" ? "us-east-1" : region);
}

}  // namespace weir::processors::aws
