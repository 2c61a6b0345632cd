#include "repositories/content/claim_table.h"

namespace weir::content {

ClaimTable::Key ClaimTable::key_of(const FileClaim& claim) {
  return {claim.place, claim.place ? std::string_view{} : std::string_view(claim.container),
          claim.section, claim.identifier};
}

FileClaim* ClaimTable::find(const Container* place, std::string_view container,
                            std::uint32_t section, std::uint64_t identifier) {
  const auto found =
      claims_.find({place, place ? std::string_view{} : container, section, identifier});
  return found == claims_.end() ? nullptr : found->second.get();
}

FileClaim& ClaimTable::insert(std::unique_ptr<FileClaim> claim) {
  FileClaim& inserted = *claim;
  claims_.emplace(key_of(inserted), std::move(claim));
  ++counts_[inserted.place];
  return inserted;
}

void ClaimTable::erase(FileClaim& claim) {
  --counts_[claim.place];
  // By value: the key views into the claim that goes away with the node.
  const auto found = claims_.find(key_of(claim));
  claims_.erase(found);
}

std::size_t ClaimTable::count(const Container* place) const {
  const auto found = counts_.find(place);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace weir::content
