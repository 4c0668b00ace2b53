// SPDX-License-Identifier: Apache-2.0
//
// Checks of what a device keeps from run to run: a cache that serves for long holds no more than
// one that begins, and numbers at the ends of their ranges.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checks.h"
#include "system/pages/head_pages.h"
#include "system/pages/kv_cache.h"
#include "unit/sparf/sparf_unit.h"

namespace {

using namespace neardata;
using checks::Check;
using checks::kFine;
using checks::Verdict;
using system::HeadPages;
using system::KvCache;

constexpr std::uint32_t kWidth = 16;
constexpr std::uint32_t kTokens = 31;

const system::KvCacheConfig kConfig{.device = {.channels = 2, .channel = {.dies = 1, .planes = 1}},
                                    .blocks = {.blocks = 40, .pages = 4},
                                    .page_bytes = 128,
                                    .width = kWidth,
                                    .max_tokens = 64,
                                    .hot_pages = 2};

std::shared_ptr<const HeadPages> pages_of(std::uint32_t tokens) {
  const std::vector<unit::Half> rows(std::size_t{tokens} * kWidth, unit::Half{0x3C00});
  return std::make_shared<const HeadPages>(
      rows, rows, flash::KvShape{.width = kWidth, .page_bytes = 128, .dims_per_page = 2});
}

/// Appends the token that fills pages, as a run does.
Verdict append(KvCache& cache, system::KvHeadId head) {
  cache.begin_append(head);
  std::vector<flash::FlashWork> work;
  for (const unit::PageKind kind : {unit::PageKind::kTokenKeys, unit::PageKind::kTokenValues}) {
    work.clear();
    const auto bytes = cache.write(head, kind, kTokens / 4, work);
    if (!bytes) return bytes.error().message;
    for (const flash::FlashWork& item : work) {
      if (const auto done = cache.finish(item, *bytes, false); !done) return done.error().message;
    }
  }
  cache.end_append(head, false);
  return kFine;
}

Verdict long_service() {
  KvCache cache(kConfig);
  const auto pages = pages_of(kTokens);
  KvCache::Held early;
  constexpr std::uint32_t kRounds = 4000;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    cache.forget_replaced();
    const auto id = cache.open({.heads = 2, .dims_per_page = 2, .padded = true});
    if (!id) return id.error().message;
    if (*id != round) return "an id came again";
    for (const std::uint32_t number : {0U, 1U}) {
      const auto head = cache.head(*id, number);
      if (!head) return "a head is not there";
      if (const auto done = cache.prefill(*head, pages); !done) return done.error().message;
      if (auto wrong = append(cache, *head)) return wrong;
    }
    cache.close(*id);
    if (cache.head(*id, 0)) return "a closed sequence has a head";
    if (round == kRounds / 8) early = cache.held();
  }
  if (early.heads != 2 || early.sequences != 0 || early.unfinished != 0) return "it holds too much";
  return cache.held() == early ? kFine : Verdict{"it has grown"};
}

Verdict restored_ids() {
  KvCache cache(kConfig);
  const KvCache kept = cache;
  const auto first = cache.open({});
  KvCache again = kept;
  again.avoid_ids_of(cache);
  const auto second = again.open({});
  if (!first || !second || *first == *second) return "an id came again";
  return again.head(*first, 0) ? Verdict{"it names another sequence"} : kFine;
}

Verdict undone_append() {
  KvCache cache(kConfig);
  const auto id = cache.open({.heads = 1, .dims_per_page = 2, .padded = true});
  const auto head = *cache.head(*id, 0);
  if (!cache.prefill(head, pages_of(kTokens))) return "no room";
  const auto before = cache.describe(head).encode();
  std::vector<std::byte> sums(2 * unit::kLineBytes);
  cache.dram().read(cache.describe(head).sum_line, sums);
  KvCache other = cache;
  cache.begin_append(head);
  cache.dram().write(cache.describe(head).sum_line, std::vector<std::byte>(sums.size()));
  std::vector<flash::FlashWork> work;
  const auto bytes = cache.write(head, unit::PageKind::kTokenKeys, kTokens / 4, work);
  for (const flash::FlashWork& item : work) static_cast<void>(cache.finish(item, *bytes, false));
  cache.undo_append(head);
  if (cache.describe(head).encode() != before) return "the descriptor is another";
  std::vector<std::byte> after(sums.size());
  cache.dram().read(cache.describe(head).sum_line, after);
  if (after != sums) return "the sums are others";
  // A repetition has the same result as without the undone attempt.
  if (auto wrong = append(cache, head)) return wrong;
  if (auto wrong = append(other, head)) return wrong;
  return cache.describe(head).encode() == other.describe(head).encode()
             ? kFine
             : Verdict{"the next append ends elsewhere"};
}

/// Of a page that is finished in another order than it was listed.
Verdict programs_in_order() {
  KvCache cache(kConfig);
  const auto id = cache.open({.heads = 1, .dims_per_page = 2, .padded = false});
  const auto head = *cache.head(*id, 0);
  const std::vector<unit::Half> rows(std::size_t{kTokens} * kWidth, unit::Half{0x3C00});
  // Pages of one plane, one behind the other.
  std::vector<std::pair<flash::FlashWork, std::vector<std::byte>>> programs;
  for (const flash::KvPage& page : cache.receive(head, rows, rows)) {
    std::vector<flash::FlashWork> work;
    auto bytes = cache.write(head, page.kind, page.index, work);
    if (!bytes) return bytes.error().message;
    if (work.back().place.channel == 0) programs.emplace_back(work.back(), *std::move(bytes));
  }
  if (programs.size() < 3) return "few pages";
  const auto finish = [&](std::size_t which) {
    return cache.finish(programs[which].first, programs[which].second, false).has_value();
  };
  if (!finish(1)) return "a page could not be written";
  if (finish(0)) return "a page was written after a later one";
  return finish(2) ? kFine : Verdict{"the next page could not be written"};
}

Verdict no_tokens() { return pages_of(0)->tokens() == 0 ? kFine : Verdict{"there are tokens"}; }

Verdict end_of_time() {
  const auto time = [](std::int64_t tick, std::int64_t ticks_per_ns) {
    return unit::BeatTimes{.first = tick, .ticks_per_ns = ticks_per_ns}.at(0);
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (time(kMost, 1) != core::kNever) return "no end of time";
  if (time(3, 2) != core::Fs{1'500'000}) return "a tick and a half";
  if (time(9'223'372'036'854'775, 1000).value != 9'223'372'036'854'775'000) return "beyond 64 bits";
  return kFine;
}

constexpr Check kChecks[] = {
    {"a cache that serves long holds no more than at first", long_service},
    {"ids of a cache that was put back name nothing else", restored_ids},
    {"an append that did not end leaves nothing behind", undone_append},
    {"pages of a block are programmed in order or not at all", programs_in_order},
    {"a head without tokens has pages", no_tokens},
    {"times at the end of their range", end_of_time},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
