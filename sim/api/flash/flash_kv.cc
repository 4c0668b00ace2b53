// SPDX-License-Identifier: Apache-2.0
//
// The translation of keys and values, driven by a script.
#include <map>
#include <string>

#include "api/flash/flash_calls.h"

namespace neardata::api {

namespace {

enum class LineKind : std::uint8_t { kOpen, kAppend, kClose, kLocate, kWrite };
constexpr auto names_of(const LineKind*) {
  return std::array{"open", "append", "close", "locate", "write"};
}

/// Ranges of the fields in the owner of a page: sequences, heads of one, pages of a head's kind.
constexpr std::uint32_t kMostHeads = 1U << 12U;
constexpr std::uint32_t kMostOpened = 1U << 20U;
constexpr std::uint32_t kMostTokens = 1U << 20U;

using Done = core::Answer<void>;

void push_place(std::vector<std::uint32_t>& out, const flash::Place& place) {
  out.insert(out.end(), {place.channel, place.address.die, place.address.plane, place.address.block,
                         place.address.page});
}

/// A script in execution.
class Script {
 public:
  explicit Script(const FlashKvRequest& given) : kv_(given.shape, given.blocks), shape_(given.kv) {}

  /// Executes a line, or returns the reason why it cannot.
  Done line(const KvLine& line) {
    const auto kind = core::numbered<LineKind>(line.kind);
    if (!kind) return core::misuse("there is no such kind of line");
    const std::string sequence = "sequence " + std::to_string(line.sequence);
    const auto tokens = tokens_.find(line.sequence);
    const bool known = tokens != tokens_.end();
    if (*kind == LineKind::kLocate) return locate(line);
    if (*kind == LineKind::kOpen) return known ? core::misuse(sequence + " is open") : open(line);
    if (!known) return core::misuse("there is no " + sequence);
    if (*kind == LineKind::kClose) {
      kv_.close(line.sequence);
      tokens_.erase(tokens);
      return {};
    }
    if (*kind == LineKind::kWrite) return write(line);
    if (line.more[0] > kMostTokens - tokens->second) {
      return core::bad_input("a sequence has at most 2^20 tokens");
    }
    tokens->second += line.more[0];
    full_ = !kv_.append(line.sequence, line.more[0], work_);
    return {};
  }

  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] std::size_t works() const { return work_.size(); }

  /// Reports the effects of all lines so far.
  void report(FlashKvResult& out) {
    for (const flash::FlashWork& item : work_) {
      out.work.push_back(static_cast<std::uint32_t>(item.operation));
      push_place(out.work, item.place);
    }
    out.located = std::move(located_);
    out.counters = kv_.counters();
  }

 private:
  Done open(const KvLine& line) {
    flash::KvShape shape = shape_;
    shape.heads = line.more[0];
    shape.dims_per_page = line.more[1];
    if (line.sequence >= flash::kMostSequences) return core::bad_input("a sequence is below 2^20");
    if (shape.heads == 0 || shape.heads > kMostHeads) {
      return core::bad_input("a sequence has 1 to 4096 heads");
    }
    if (shape.dims_per_page == 0 || 2 * std::uint64_t{shape.dims_per_page} > shape.page_bytes) {
      return core::bad_input("a page holds one token of its dimensions at least, and has some");
    }
    if (shape.heads > kMostOpened - opened_)
      return core::bad_input("a script opens at most 2^20 heads");
    opened_ += shape.heads;
    kv_.open(line.sequence, shape);
    tokens_.emplace(line.sequence, 0);
    heads_[line.sequence] = shape.heads;
    return {};
  }

  /// Writes one page. A padded tail is written once more when it has grown.
  Done write(const KvLine& line) {
    const auto kind = core::numbered<flash::PageKind>(line.more[1]);
    if (!kind) return core::bad_input("kind is 0, 1 or 2");
    if (line.more[0] >= heads_.at(line.sequence)) return core::bad_input("there is no such head");
    if (line.more[2] >= kMostTokens) return core::bad_input("a head has less than 2^20 pages");
    full_ = !kv_.write({line.sequence, line.more[0], *kind, line.more[2]}, work_);
    return {};
  }

  Done locate(const KvLine& line) {
    const auto kind = core::numbered<flash::PageKind>(line.more[1]);
    if (!kind) return core::bad_input("kind is 0, 1 or 2");
    const auto place = kv_.locate({line.sequence, line.more[0], *kind, line.more[2]});
    if (place) {
      push_place(located_, *place);
    } else {
      located_.insert(located_.end(), 5, ~0U);
    }
    return {};
  }

  flash::KvTranslation kv_;
  flash::KvShape shape_;
  std::map<std::uint32_t, std::uint32_t> tokens_;  ///< of the open sequences
  std::map<std::uint32_t, std::uint32_t> heads_;   ///< of all that were opened
  std::vector<flash::FlashWork> work_;
  std::vector<std::uint32_t> located_;
  std::uint32_t opened_ = 0;  ///< heads
  bool full_ = false;
};

}  // namespace

core::Answer<void> finish_record(const FlashKvRequest& request) {
  if (auto good = finish_record(static_cast<const FlashDevice&>(request)); !good) return good;
  if (auto good = check_blocks(request, request.blocks); !good) return good;
  if (request.kv.page_bytes >= 2 * request.kv.width) return {};
  return core::bad_input("a page does not hold a token");
}

core::Answer<FlashKvResult> flash_kv(const FlashKvRequest& given) {
  Script script(given);
  FlashKvResult result;
  for (std::size_t l = 0; l < given.script.size() && result.full < 0; ++l) {
    if (auto done = script.line(given.script[l]); !done) {
      core::Refusal why = std::move(done).error();
      why.message = "line " + std::to_string(l) + ": " + why.message;
      return std::unexpected(std::move(why));
    }
    if (script.full()) result.full = static_cast<std::int64_t>(l);
    result.work_after.push_back(static_cast<std::uint32_t>(script.works()));
  }
  script.report(result);
  return result;
}

}  // namespace neardata::api
