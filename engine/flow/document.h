#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/flow/flow.h"

namespace weir::flow {

using Json = nlohmann::ordered_json;

// Where the value of a JSON tree's node begins; the children stand in the tree's order.
struct Spot {
  std::uint32_t key = 0;  // offset of the member's name; of the value for array elements
  std::uint32_t value = 0;
  std::vector<Spot> children;
};

// A parsed file: the JSON values and where each of them stands. Immutable after `parse`.
class Document {
 public:
  // Plain or gzip, `//` comments taken. What makes it no JSON at all is the error; a key given
  // twice in one object is reported to `problems`, its last value counts.
  static std::expected<Document, Problem> parse(std::string_view bytes, const std::string& file,
                                                std::vector<Problem>& problems);

  const std::shared_ptr<const Json>& root() const { return root_; }
  const Spot& spots() const { return spots_; }
  Place place(std::uint32_t offset) const;

 private:
  void index_text();
  std::size_t characters_before(std::size_t offset) const;

  std::string text_;
  std::vector<std::uint32_t> line_starts_;
  std::vector<std::uint32_t> characters_;  // before each mark
  std::shared_ptr<const Json> root_;
  Spot spots_;
};

// A value of a document together with its place, or a bare JSON value that stands nowhere. Cheap
// to copy; refers to the document, which must live.
class Node {
 public:
  Node(const Document& document)
      : document_(&document), json_(document.root().get()), spot_(&document.spots()) {}
  explicit Node(const Json& json) : json_(&json) {}

  const Json& json() const { return *json_; }
  Place place() const { return spot_ ? document_->place(spot_->value) : Place{}; }
  Place key_place() const { return spot_ ? document_->place(spot_->key) : Place{}; }

  bool is_object() const { return json_->is_object(); }
  bool is_array() const { return json_->is_array(); }
  bool is_string() const { return json_->is_string(); }
  bool is_null() const { return json_->is_null(); }
  const std::string& text() const { return json_->get_ref<const std::string&>(); }

  // The member of an object; nullopt where there is none, or this is no object.
  std::optional<Node> find(std::string_view key) const;
  // As `find`, but a null counts as absent.
  std::optional<Node> get(std::string_view key) const;
  bool has(std::string_view key) const { return find(key).has_value(); }

  // Elements of an array; empty for all else.
  std::vector<Node> elements() const;
  // Members of an object; empty for all else.
  std::vector<std::pair<std::string, Node>> members() const;

  // The JSON value, kept alive by the document's root.
  Source source() const;

 private:
  Node(const Document* document, const Json* json, const Spot* spot)
      : document_(document), json_(json), spot_(spot) {}
  Node child(std::size_t index, const Json& json) const {
    return Node(document_, &json, spot_ ? &spot_->children[index] : nullptr);
  }

  const Document* document_ = nullptr;
  const Json* json_;
  const Spot* spot_ = nullptr;
};

}  // namespace weir::flow
