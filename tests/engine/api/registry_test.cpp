#include "engine/api/registry.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

ProcessorDefinition processor(std::string type, std::vector<std::string> old_types = {}) {
  ProcessorDefinition definition;
  definition.type = std::move(type);
  definition.old_types = std::move(old_types);
  return definition;
}

TEST(ComponentRegistry, FindsByFullShortAndOldType) {
  const ProcessorDefinition put = processor("org.apache.nifi.processors.standard.PutFile");
  const ProcessorDefinition publish =
      processor("org.x.PublishKafka", {"org.apache.nifi.PublishKafka_2_6"});
  ComponentRegistry registry;
  registry.add(put);
  registry.add(publish);
  EXPECT_EQ(registry.find_processor("org.apache.nifi.processors.standard.PutFile"), &put);
  EXPECT_EQ(registry.find_processor("PutFile"), &put);
  EXPECT_EQ(registry.find_processor("elsewhere.PutFile"), &put);
  EXPECT_EQ(registry.find_processor("PublishKafka_2_6"), &publish);
  EXPECT_EQ(registry.find_processor("org.apache.nifi.PublishKafka_2_6"), &publish);
  EXPECT_EQ(registry.find_processor("PutFiles"), nullptr);
  EXPECT_EQ(registry.find_controller_service("PutFile"), nullptr);
}

TEST(ComponentRegistry, ListsSortedByShortTypeAndSuggests) {
  const ProcessorDefinition z = processor("a.Zip"), a = processor("z.Append");
  ComponentRegistry registry;
  registry.add(z);
  registry.add(a);
  EXPECT_EQ(registry.processors(), (std::vector<const ProcessorDefinition*>{&a, &z}));
  EXPECT_EQ(registry.nearest_type("x.y.Apend"), "Append");
  EXPECT_EQ(registry.nearest_type("SomethingElse"), "");
}

TEST(ComponentRegistry, UnlistedTypesAreFoundAndInNoList) {
  const auto today = processor("org.new.Consume");
  const auto old = processor("org.old.Consume_2", {"org.old.Consume_1", "org.old.Consume"});
  ComponentRegistry registry;
  registry.add_unlisted(old);
  registry.add(today);
  EXPECT_EQ(registry.find_processor("org.new.Consume"), &today);
  EXPECT_EQ(registry.find_processor("Consume"), &today);
  EXPECT_EQ(registry.find_processor("org.other.Consume"), &today);
  EXPECT_EQ(registry.find_processor("org.old.Consume"), &old);
  EXPECT_EQ(registry.find_processor("org.other.Consume_1"), &old);
  EXPECT_EQ(registry.find_processor("Consume_2"), &old);
  EXPECT_EQ(registry.processors().size(), 1u);
}

}  // namespace
}  // namespace weir
