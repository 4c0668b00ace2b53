// SPDX-License-Identifier: Apache-2.0
#include "flash/translation/kv_translation.h"

#include <algorithm>

namespace neardata::flash {

namespace {

/// Planes between the first pages of a head and those of the next one, of the same sequence or the
/// next. Odd, so that consecutive heads begin on all planes: their latest tokens are always read,
/// and must not share a plane.
constexpr std::uint32_t kHeadStride = 11;
/// Planes between pages that are always read together: K and V of the same tokens, and the same
/// dimensions in two blocks of tokens. Odd too, and not a whole stripe over the channels.
constexpr std::uint32_t kTogetherStride = 21;

constexpr unsigned kIndexBits = 28;
constexpr unsigned kKindBits = 2;
constexpr unsigned kHeadBits = 12;

StreamId stream_of(const KvPage& page) { return StreamId{page.sequence} << kHeadBits | page.head; }

}  // namespace

Owner owner_of(const KvPage& page) {
  return (((Owner{page.sequence} << kHeadBits | page.head) << kKindBits |
           static_cast<Owner>(page.kind))
          << kIndexBits) |
         page.index;
}

KvPage page_of(Owner owner) {
  const auto field = [&](unsigned bits) {
    const auto value = static_cast<std::uint32_t>(owner & ((Owner{1} << bits) - 1));
    owner >>= bits;
    return value;
  };
  KvPage page;
  page.index = field(kIndexBits);
  page.kind = static_cast<PageKind>(field(kKindBits));
  page.head = field(kHeadBits);
  page.sequence = static_cast<std::uint32_t>(owner);
  return page;
}

KvTranslation::KvTranslation(const DeviceShape& device, BlockShape blocks)
    : device_(device),
      planes_(device.channels * device.channel.dies * device.channel.planes, BlockPool(blocks)) {}

void KvTranslation::open(std::uint32_t sequence, const KvShape& shape) {
  sequences_[sequence] = {.shape = shape, .heads = std::vector<HeadPlaces>(shape.heads)};
}

bool KvTranslation::append(std::uint32_t sequence, std::uint32_t tokens,
                           std::vector<FlashWork>& work) {
  Sequence& entry = sequences_.at(sequence);
  const KvShape& shape = entry.shape;
  const std::uint32_t before = entry.tokens;
  entry.tokens += tokens;
  const auto full = [&](std::uint32_t count, std::uint32_t size) { return count / size; };
  const std::uint32_t n = shape.tokens_per_page();
  const std::uint32_t block = shape.tokens_per_dim_page();
  const std::uint32_t groups = shape.dim_groups();
  for (std::uint32_t head = 0; head < shape.heads; ++head) {
    for (std::uint32_t g = full(before, n); g < full(entry.tokens, n); ++g) {
      if (!write({sequence, head, PageKind::kTokenKeys, g}, work)) return false;
      if (!write({sequence, head, PageKind::kTokenValues, g}, work)) return false;
    }
    for (std::uint32_t i = full(before, block) * groups; i < full(entry.tokens, block) * groups;
         ++i) {
      if (!write({sequence, head, PageKind::kDimKeys, i}, work)) return false;
    }
  }
  return true;
}

void KvTranslation::close(std::uint32_t sequence) {
  const std::uint32_t heads = sequences_.at(sequence).shape.heads;
  for (std::uint32_t head = 0; head < heads; ++head) clear(sequence, head);
  sequences_.erase(sequence);
}

void KvTranslation::clear(std::uint32_t sequence, std::uint32_t head) {
  for (auto& kind : sequences_.at(sequence).heads.at(head)) {
    for (const std::optional<Location>& at : kind) {
      if (at) planes_[at->plane].invalidate(at->page);
    }
    kind.clear();
  }
  for (BlockPool& plane : planes_) plane.close(stream_of({sequence, head}));
}

std::optional<Place> KvTranslation::locate(const KvPage& page) const {
  const auto sequence = sequences_.find(page.sequence);
  if (sequence == sequences_.end()) return std::nullopt;
  const Sequence& entry = sequence->second;
  if (page.head >= entry.heads.size()) return std::nullopt;
  const auto& places = entry.heads[page.head].at(static_cast<std::size_t>(page.kind));
  if (page.index >= places.size() || !places[page.index]) return std::nullopt;
  return place_of(*places[page.index]);
}

std::optional<KvTranslation::Location>& KvTranslation::location_of(const KvPage& page) {
  auto& places =
      sequences_.at(page.sequence).heads.at(page.head).at(static_cast<std::size_t>(page.kind));
  if (page.index >= places.size()) places.resize(page.index + std::size_t{1});
  return places[page.index];
}

KvCounters KvTranslation::counters() const {
  KvCounters total;
  total.least_erases = ~0U;
  for (const BlockPool& plane : planes_) {
    total.host_writes += plane.counters().host_writes;
    total.moves += plane.counters().moves;
    total.erases += plane.counters().erases;
    const std::vector<std::uint32_t> wear = plane.wear();
    total.most_erases = std::max(total.most_erases, std::ranges::max(wear));
    total.least_erases = std::min(total.least_erases, std::ranges::min(wear));
  }
  return total;
}

std::uint32_t KvTranslation::plane_of(const KvPage& page) const {
  const KvShape& shape = sequences_.at(page.sequence).shape;
  std::uint32_t together = 0;
  if (page.kind == PageKind::kTokenValues) together = 1;
  if (page.kind == PageKind::kDimKeys) together = page.index / shape.dim_groups();
  const std::uint32_t head = page.sequence * shape.heads + page.head;
  return (page.index + kTogetherStride * together + kHeadStride * head) %
         static_cast<std::uint32_t>(planes_.size());
}

Place KvTranslation::place_of(const Location& location) const {
  const std::uint32_t row = location.plane / device_.channels;
  return {.channel = location.plane % device_.channels,
          .address = {.die = row % device_.channel.dies,
                      .plane = row / device_.channel.dies,
                      .block = location.page.block,
                      .page = location.page.page}};
}

void KvTranslation::list_collection(std::uint32_t plane, const Collection& collection,
                                    std::vector<FlashWork>& work) {
  std::size_t done = 0;
  const auto move_up_to = [&](std::size_t end) {
    for (; done < end; ++done) {
      const Moved& moved = collection.moved[done];
      location_of(page_of(moved.owner))->page = moved.to;
      work.push_back({Operation::kRead, place_of({plane, moved.from}), moved.owner, true});
      work.push_back({Operation::kProgram, place_of({plane, moved.to}), moved.owner, true});
    }
  };
  for (const Erased& erased : collection.erased) {
    move_up_to(erased.after_moves);
    work.push_back({Operation::kErase, place_of({plane, {.block = erased.block, .page = 0}})});
  }
  move_up_to(collection.moved.size());
}

bool KvTranslation::write(const KvPage& page, std::vector<FlashWork>& work) {
  const std::uint32_t plane = plane_of(page);
  const Owner owner = owner_of(page);
  Collection collection;
  const std::optional<BlockPage> written = planes_[plane].write(stream_of(page), owner, collection);
  list_collection(plane, collection, work);
  if (!written) return false;
  std::optional<Location>& known = location_of(page);
  if (known) planes_[plane].invalidate(known->page);
  known = {.plane = plane, .page = *written};
  work.push_back({Operation::kProgram, place_of(*known), owner});
  return true;
}

}  // namespace neardata::flash
