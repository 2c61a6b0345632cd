#include "processors/aws/regions.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir::processors::aws {
namespace {

TEST(AwsRegions, HaveEndpointsInTheDomainOfTheirPartition) {
  EXPECT_EQ(service_endpoint("kinesis", "us-east-1"), "https://kinesis.us-east-1.amazonaws.com");
  EXPECT_EQ(service_endpoint("kinesis", "us-gov-west-1"),
            "https://kinesis.us-gov-west-1.amazonaws.com");
  EXPECT_EQ(service_endpoint("sts", "cn-north-1"), "https://sts.cn-north-1.amazonaws.com.cn");
  EXPECT_EQ(service_endpoint("kinesis", "us-iso-east-1"),
            "https://kinesis.us-iso-east-1.c2s.ic.gov");
  EXPECT_EQ(service_endpoint("kinesis", "us-isob-east-1"),
            "https://kinesis.us-isob-east-1.sc2s.sgov.gov");
  EXPECT_EQ(service_endpoint("kinesis", "us-isof-south-1"),
            "https://kinesis.us-isof-south-1.csp.hci.ic.gov");
  EXPECT_EQ(service_endpoint("kinesis", "eu-isoe-west-1"),
            "https://kinesis.eu-isoe-west-1.cloud.adc-e.uk");
  EXPECT_EQ(service_endpoint("kinesis", "eusc-de-east-1"),
            "https://kinesis.eusc-de-east-1.amazonaws.eu");
  EXPECT_EQ(service_endpoint("sts", "aws-global"), "https://sts.amazonaws.com");
}

TEST(AwsRegions, AreSignedFor) {
  EXPECT_EQ(signing_region("aws-global"), "us-east-1");
  EXPECT_EQ(signing_region("eu-west-1"), "eu-west-1");
}

TEST(AwsRegions, AreTheValuesOfTheProperty) {
  const PropertyDescriptor property = region_property();
  EXPECT_EQ(property.default_value, "us-west-2");
  EXPECT_TRUE(std::ranges::any_of(property.allowable_values,
                                  [](const auto& value) { return value.value == "eu-west-1"; }));
}

TEST(AwsRegions, MayBeOfTheUsersOwn) {
  const PropertyDescriptor property = any_region_property();
  EXPECT_TRUE(property.allowable_values.empty());
  EXPECT_EQ(property.validator("on-premises-1"), std::nullopt);
  for (const char* wrong :
       {"", "US-EAST-1", "us east 1", "-x", "x-", "a.b", "a/b", "us-east-1\n"}) {
    EXPECT_TRUE(property.validator(wrong)) << wrong;
  }
}

TEST(AwsRegions, EndpointsAreUrls) {
  const Validator validator = endpoint_url();
  for (const char* right : {"https://kinesis.eu-west-1.amazonaws.com", "http://127.0.0.1:4567/",
                            "https://vpce.example/path"}) {
    EXPECT_EQ(validator(right), std::nullopt) << right;
  }
  for (const char* wrong : {"", "127.0.0.1:4567", "ftp://h", "https://", "http:///x",
                            "https://user:word@h", "https://h/?a=b", "https://h x"}) {
    EXPECT_TRUE(validator(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace weir::processors::aws
