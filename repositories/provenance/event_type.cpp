#include <array>

#include "repositories/provenance/event.h"

namespace weir::provenance {

namespace {

constexpr std::array<std::string_view, 18> kNames = {"",
                                                     "CREATE",
                                                     "RECEIVE",
                                                     "FETCH",
                                                     "SEND",
                                                     "UPLOAD",
                                                     "REMOTE_INVOCATION",
                                                     "DOWNLOAD",
                                                     "DROP",
                                                     "EXPIRE",
                                                     "FORK",
                                                     "JOIN",
                                                     "CLONE",
                                                     "CONTENT_MODIFIED",
                                                     "ATTRIBUTES_MODIFIED",
                                                     "ROUTE",
                                                     "ADDINFO",
                                                     "REPLAY"};

}  // namespace

std::string_view to_string(EventType type) {
  const auto number = static_cast<std::size_t>(type);
  return number > 0 && number < kNames.size() ? kNames[number] : std::string_view("UNKNOWN");
}

std::optional<EventType> parse_event_type(std::string_view name) {
  for (std::size_t number = 1; number < kNames.size(); ++number) {
    if (kNames[number] == name) return static_cast<EventType>(number);
  }
  return std::nullopt;
}

}  // namespace weir::provenance
