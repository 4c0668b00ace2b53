// SPDX-License-Identifier: Apache-2.0
//
// flashKv: the translation of keys and values, driven by a script of five numbers a line:
//   0 open sequence heads m 0 | 1 append sequence tokens 0 0 | 2 close sequence 0 0 0
//   3 locate sequence head kind index
// `work` has six numbers an operation (operation, channel, die, plane, block, page), `workAfter`
// how many operations there were after each line; `located` five numbers a locate line (channel,
// die, plane, block, page; all ones when in DRAM). `full` is the line that did not fit, or -1.
#include <map>
#include <span>
#include <string>
#include <vector>

#include "flash/kv_translation.h"
#include "flash_marshal.h"
#include "flash_replay.h"

namespace neardata::native {

namespace {

constexpr std::size_t kScriptFields = 5;
enum class Line : std::uint32_t { kOpen, kAppend, kClose, kLocate };

/// What the owner of a page has bits for: sequences, heads of one, pages of a head's kind.
constexpr std::uint32_t kMostSequences = 1U << 20U;
constexpr std::uint32_t kMostHeads = 1U << 12U;
constexpr std::uint32_t kMostOpened = 1U << 20U;
constexpr std::uint32_t kMostTokens = 1U << 20U;
constexpr std::uint32_t kMostKind = 2;
constexpr std::uint32_t kMostWidth = 4096;

void push_place(std::vector<std::uint32_t>& out, const flash::Place& place) {
  out.insert(out.end(), {place.channel, place.address.die, place.address.plane, place.address.block,
                         place.address.page});
}

/// A script under way.
class Script {
 public:
  Script(const flash::DeviceShape& device, flash::BlockShape blocks, const flash::KvShape& shape)
      : kv_(device, blocks), shape_(shape) {}

  /// Why the next line is refused, if so.
  std::optional<Refusal> line(std::span<const std::uint32_t> field) {
    const std::uint32_t sequence = field[1];
    const auto tokens = tokens_.find(sequence);
    const bool known = tokens != tokens_.end();
    const auto no_sequence = [&] {
      return Refusal{"misuse", "there is no sequence " + std::to_string(sequence)};
    };
    switch (static_cast<Line>(field[0])) {
      case Line::kOpen:
        if (known) return Refusal{"misuse", "sequence " + std::to_string(sequence) + " is open"};
        return open(field);
      case Line::kAppend:
        if (!known) return no_sequence();
        if (field[2] > kMostTokens - tokens->second) {
          return Refusal{"bad-input", "a sequence has at most 2^20 tokens"};
        }
        tokens->second += field[2];
        full_ = !kv_.append(sequence, field[2], work_);
        break;
      case Line::kClose:
        if (!known) return no_sequence();
        kv_.close(sequence);
        tokens_.erase(tokens);
        break;
      case Line::kLocate:
        if (field[3] > kMostKind) return Refusal{"bad-input", "kind is 0, 1 or 2"};
        locate(field);
        break;
      default:
        return Refusal{"misuse", "there is no such kind of line"};
    }
    return std::nullopt;
  }

  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] const std::vector<flash::FlashWork>& work() const { return work_; }
  [[nodiscard]] const std::vector<std::uint32_t>& located() const { return located_; }
  [[nodiscard]] flash::KvCounters counters() const { return kv_.counters(); }

 private:
  std::optional<Refusal> open(std::span<const std::uint32_t> field) {
    flash::KvShape shape = shape_;
    shape.heads = field[2];
    shape.dims_per_page = field[3];
    if (field[1] >= kMostSequences) return Refusal{"bad-input", "a sequence is below 2^20"};
    if (shape.heads == 0 || shape.heads > kMostHeads) {
      return Refusal{"bad-input", "a sequence has 1 to 4096 heads"};
    }
    if (shape.dims_per_page == 0 || 2 * std::uint64_t{shape.dims_per_page} > shape.page_bytes) {
      return Refusal{"bad-input",
                     "a page holds one token of its dimensions at least, and has some"};
    }
    if (shape.heads > kMostOpened - opened_) {
      return Refusal{"bad-input", "a script opens at most 2^20 heads"};
    }
    opened_ += shape.heads;
    kv_.open(field[1], shape);
    tokens_.emplace(field[1], 0);
    return std::nullopt;
  }

  void locate(std::span<const std::uint32_t> field) {
    const auto place =
        kv_.locate({field[1], field[2], static_cast<flash::PageKind>(field[3]), field[4]});
    if (place) {
      push_place(located_, *place);
    } else {
      located_.insert(located_.end(), 5, ~0U);
    }
  }

  flash::KvTranslation kv_;
  flash::KvShape shape_;
  std::map<std::uint32_t, std::uint32_t> tokens_;  ///< of the open sequences
  std::vector<flash::FlashWork> work_;
  std::vector<std::uint32_t> located_;
  std::uint32_t opened_ = 0;  ///< heads
  bool full_ = false;
};

Result flash_kv(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Problem problem;
  const Reader from(info[0], "kv", problem);
  if (problem) return std::unexpected(*problem);
  const flash::DeviceShape device = read_flash_shape(from);
  const flash::BlockShape blocks = read_flash_blocks(from, device);
  const flash::KvShape shape{.width = from.whole32("width", {1, kMostWidth}),
                             .page_bytes = from.whole32("pageBytes", limits::kPageBytes)};
  const auto given = from.array<std::uint32_t>("script");
  if (shape.page_bytes < 2 * shape.width) from.refuse("a page does not hold a token");
  if (problem) return std::unexpected(*problem);
  const auto lines = given.data();
  if (lines.size() % kScriptFields != 0) return misuse("script has five numbers a line");
  Script script(device, blocks, shape);
  std::vector<std::uint32_t> work_after;
  double full = -1;
  for (std::size_t at = 0; at < lines.size() && full < 0; at += kScriptFields) {
    const std::size_t number = at / kScriptFields;
    if (auto why = script.line(lines.subspan(at, kScriptFields))) {
      why->message = "line " + std::to_string(number) + ": " + why->message;
      return std::unexpected(*std::move(why));
    }
    if (script.full()) full = static_cast<double>(number);
    work_after.push_back(static_cast<std::uint32_t>(script.work().size()));
  }
  std::vector<std::uint32_t> rows;
  for (const flash::FlashWork& item : script.work()) {
    rows.push_back(static_cast<std::uint32_t>(item.operation));
    push_place(rows, item.place);
  }
  const flash::KvCounters counters = script.counters();
  Napi::Object out = Napi::Object::New(env);
  out.Set("work", to_js(env, rows));
  out.Set("workAfter", to_js(env, work_after));
  out.Set("located", to_js(env, script.located()));
  out.Set("full", full);
  out.Set("hostWrites", static_cast<double>(counters.host_writes));
  out.Set("moves", static_cast<double>(counters.moves));
  out.Set("erases", static_cast<double>(counters.erases));
  out.Set("mostErases", counters.most_erases);
  out.Set("leastErases", counters.least_erases);
  return out;
}

}  // namespace

void register_flash_kv(Napi::Env env, Napi::Object exports) {
  export_function<flash_kv>(env, exports, "flashKv");
}

}  // namespace neardata::native
