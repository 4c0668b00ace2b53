// SPDX-License-Identifier: Apache-2.0
#include "rtl/rtl_sparf_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "unit/sparf/flash/sparf_ring_slots.h"
#include "unit/sparf/sparf_task.h"

namespace neardata::rtl {

using core::Cycle;
using core::Expected;
using core::Fs;

namespace {

constexpr std::uint32_t kBeatTokens = 8;
constexpr std::uint32_t kMostQueries = 16;
constexpr std::uint32_t kMostTag = 0xFFFF;

}  // namespace

Expected<SparfPlugin> SparfPlugin::load(const std::string& path) {
  auto unit = UnitPlugin::load(path);
  if (!unit) return std::unexpected(std::move(unit).error());
  auto fields = SparfFields::find(unit->api());
  if (!fields) return std::unexpected(std::move(fields).error());
  const auto number = [&](const char* name) {
    return static_cast<std::uint32_t>(unit->parameter(name).value_or(0));
  };
  const std::uint32_t slots = number("Slots");
  const std::uint32_t max_keys = number("MaxKeys");
  // An engine that does not name it serves one query after the other.
  const auto query_sets = static_cast<std::uint32_t>(unit->parameter("QuerySets").value_or(1));
  return SparfPlugin{*std::move(unit), *fields, slots, max_keys, query_sets};
}

RtlSparfUnit::RtlSparfUnit(core::Placement place, const SparfPlugin& plugin,
                           unit::SparfObserver& observer, RtlOptions options)
    : SparfUnit(std::move(place), plugin.fields.channels(), plugin.fields.kernels()),
      plugin_(plugin),
      fields_(plugin.fields),
      rtl_(plugin.unit, clock(), std::move(options), std::string(name())),
      observer_(observer),
      streams_(fields_.channels()),
      chosen_(fields_.kernels(), std::vector<Chosen>(plugin.slots)) {}

std::unexpected<core::SimError> RtlSparfUnit::protocol(const std::string& what, Fs now) const {
  return core::broken_rule(std::string(name()), what, now);
}

Expected<Fs> RtlSparfUnit::step(Fs now) {
  const core::EdgeCursor edge = rtl_.edge_from(now);
  if (edge.time() != now) return edge.time();  // woken early or between two edges
  if (auto skipped = skip_to(edge.cycle()); !skipped) {
    return std::unexpected(std::move(skipped).error());
  }
  if (auto good = check_outputs(now); !good) return std::unexpected(std::move(good).error());
  exchange(now);
  if (auto seen = count_outputs(); !seen) return std::unexpected(std::move(seen).error());
  if (auto clocked = rtl_.clock(); !clocked) return std::unexpected(std::move(clocked).error());
  return next_work();
}

/// Skips the cycles before `cycle`, in which only the slot counter of the rings changes. Clocks are
/// therefore skipped in whole rounds of slots.
Expected<void> RtlSparfUnit::skip_to(Cycle cycle) {
  const std::int64_t round = unit::SparfRingSlots(fields_.channels()).period();
  const std::int64_t rounds = (cycle - rtl_.cycle()).value / round * round;
  if (rounds > 0 && quiet()) {
    events_.strobes(strobes(), rounds);
    if (auto skipped = rtl_.skip(rounds); !skipped) return skipped;
  }
  if (rtl_.cycle() == cycle) return {};
  rtl_.clear_inputs();
  while (rtl_.cycle() < cycle) {
    if (auto seen = count_outputs(); !seen) return seen;
    if (auto clocked = rtl_.clock(); !clocked) return clocked;
  }
  return {};
}

/// Counts the events and observations of a cycle before its clock edge.
Expected<void> RtlSparfUnit::count_outputs() {
  events_.strobes(strobes());
  return observe();
}

/// Checks that the outputs of the engine refer to one of its jobs, and fit the messages.
Expected<void> RtlSparfUnit::check_outputs(Fs now) const {
  const SparfFields& f = fields_;
  if (high(f.done_valid) && std::ranges::find(jobs_, out(f.done_tag), &Job::tag) == jobs_.end()) {
    return protocol("done_o names tag " + std::to_string(out(f.done_tag)) + ", which no job has",
                    now);
  }
  if (!high(f.page_valid)) return {};
  const std::uint32_t kind = out(f.page_kind);
  const std::uint32_t tag = out(f.page_tag);
  if (tag > kMostTag || kind > static_cast<unsigned>(unit::PageKind::kDimKeys)) {
    return protocol("page_req_o asks for a page of kind " + std::to_string(kind) + " with tag " +
                        std::to_string(tag) + ": kinds are 0, 1 and 2, tags have 16 bits",
                    now);
  }
  if (std::ranges::find(jobs_, out(f.page_head), &Job::head) == jobs_.end()) {
    return protocol(
        "page_req_o names head " + std::to_string(out(f.page_head)) + ", which no job has", now);
  }
  return {};
}

void RtlSparfUnit::exchange(Fs now) {
  give(now);
  take_beats(now);
  const unit::SparfDescriptor* words = ports_.descriptors->front(now);
  in(fields_.desc_valid, words != nullptr ? 1 : 0);
  if (words != nullptr) {
    std::memcpy(fields_.desc.at(rtl_.inputs()), words->data(), sizeof *words);
    if (high(fields_.desc_ready)) {
      const auto task = unit::SparfTask::decode(*words);
      jobs_.push_back({.tag = task.tag, .head = task.head});
      ports_.descriptors->pop(now);
      ++transfers_;
    }
  }
  const unit::DramLine* line = ports_.dram_lines->front(now);
  in(fields_.line_valid, line != nullptr ? 1 : 0);
  if (line == nullptr) return;
  std::memcpy(fields_.line_data.at(rtl_.inputs()), line->data(), line->size());
  ports_.dram_lines->pop(now);
  ++transfers_;
}

/// Sends a message of the engine, if it is valid and the channel has space. True if it was sent.
template <typename Port, typename Message>
bool RtlSparfUnit::push(const Port& port, Fs now, const UnitField& valid, const UnitField& ready,
                        const Message& message) {
  const bool room = !port.full(now);
  in(ready, room ? 1 : 0);
  if (!high(valid) || !room) return false;
  transfers_ += port.try_push(now, message) ? 1 : 0;
  return true;
}

/// Sends the outputs of the engine to channels with space.
void RtlSparfUnit::give(Fs now) {
  const SparfFields& f = fields_;
  const auto out_or_zero = [this](const std::optional<UnitField>& field) {
    return field ? out(*field) : 0;
  };
  const unit::SparfDone done{.tag = static_cast<std::uint16_t>(out(f.done_tag)),
                             .unreadable = out(f.done_unreadable) != 0,
                             .refused = out(f.done_refused) != 0,
                             .non_finite = out_or_zero(f.done_non_finite) != 0,
                             .field = unit::field_of(out_or_zero(f.done_field))};
  if (push(*ports_.done, now, f.done_valid, f.done_ready, done)) {
    jobs_.erase(std::ranges::find(jobs_, done.tag, &Job::tag));
  }
  push(*ports_.page_requests, now, f.page_valid, f.page_ready,
       unit::SparfPageRequest{.tag = static_cast<std::uint16_t>(out(f.page_tag)),
                              .head = out(f.page_head),
                              .kind = static_cast<unit::PageKind>(out(f.page_kind)),
                              .index = out(f.page_index),
                              .write = out(f.page_write) != 0});
  push(*ports_.dram_reads, now, f.read_valid, f.read_ready, unit::DramRead{out(f.read_addr)});
  unit::DramWrite write{.line = out(f.write_addr), .strobe = f.write_strb.get_long(rtl_.outputs())};
  if (high(f.write_valid)) {
    std::memcpy(write.data.data(), f.write_data.at(rtl_.outputs()), write.data.size());
  }
  push(*ports_.dram_writes, now, f.write_valid, f.write_ready, write);
}

void RtlSparfUnit::take_beats(Fs now) {
  const SparfFields& f = fields_;
  std::uint32_t valid = 0;
  for (std::size_t c = 0; c < streams_.size(); ++c) {
    BeatStream& stream = streams_[c];
    while (const unit::SparfPage* page = ports_.pages[c]->front(now)) {
      stream.add(*page);
      ports_.pages[c]->pop(now);
    }
    if (!stream.ready(now)) continue;
    const std::uint32_t bit = 1U << c;
    valid |= bit;
    in(f.ch_first, stream.first() ? 1 : 0, c);
    in(f.ch_error, stream.page().error ? 1 : 0, c);
    in(f.ch_tag, stream.page().tag, c);
    const std::uint64_t data = stream.data();
    std::memcpy(f.ch_data.at(rtl_.inputs(), c), &data, sizeof data);
    if ((out(f.ch_ready) & bit) == 0) continue;
    stream.pop();
    ++transfers_;
  }
  in(f.ch_valid, valid);
}

/// Reports the choices of the kernels in this cycle.
Expected<void> RtlSparfUnit::observe() {
  const SparfFields& f = fields_;
  const std::uint32_t heads = out(f.head_valid);
  const std::uint32_t dims = out(f.dims_valid);
  const std::uint32_t alphas = out(f.alpha_valid);
  const std::uint32_t tokens = out(f.sel_valid);
  for (std::uint32_t k = 0; (heads | dims | alphas | tokens) >> k != 0; ++k) {
    for (const auto& [valid, slots] :
         {std::pair(heads, &f.head_slot), std::pair(dims, &f.dims_slot),
          std::pair(alphas, &f.alpha_slot), std::pair(tokens, &f.sel_slot)}) {
      if ((valid >> k & 1U) == 0) continue;
      if (out(*slots, k) >= plugin_.slots) return wrong("slot", out(*slots, k));
    }
    if ((heads >> k & 1U) != 0) {
      chosen_[k][out(f.head_slot, k)] = {.tag = static_cast<std::uint16_t>(out(f.head_tag, k))};
    }
    if ((dims >> k & 1U) != 0) {
      if (auto good = observe_dims(k); !good) return good;
    }
    if ((alphas >> k & 1U) != 0) {
      if (auto good = observe_alpha(k); !good) return good;
    }
    if ((tokens >> k & 1U) != 0) {
      if (auto good = observe_tokens(k); !good) return good;
    }
  }
  return {};
}

std::unexpected<core::SimError> RtlSparfUnit::wrong(const char* what, std::uint32_t number) const {
  return protocol("seen_* tells of " + std::string(what) + " " + std::to_string(number) +
                      ", which there is not",
                  rtl_.time());
}

Expected<void> RtlSparfUnit::observe_dims(std::uint32_t kernel) {
  Chosen& of = chosen_[kernel][out(fields_.dims_slot, kernel)];
  const std::uint32_t* mask = fields_.dims_mask.at(rtl_.outputs(), kernel);
  const std::uint32_t width = fields_.width();
  for (std::uint32_t c = 0; c < width; ++c) {
    if ((mask[c / kWordBits] >> c % kWordBits & 1U) == 0) continue;
    if (++of.dims > width) return wrong("chosen dimension number", of.dims);
    observer_.dim_chosen(of.tag, c);
  }
  return {};
}

Expected<void> RtlSparfUnit::observe_alpha(std::uint32_t kernel) {
  const std::uint32_t query = out(fields_.alpha_query, kernel);
  if (query >= kMostQueries) return wrong("query", query);
  observer_.alpha(chosen_[kernel][out(fields_.alpha_slot, kernel)].tag, query,
                  std::bit_cast<float>(out(fields_.alpha_value, kernel)));
  return {};
}

Expected<void> RtlSparfUnit::observe_tokens(std::uint32_t kernel) {
  Chosen& of = chosen_[kernel][out(fields_.sel_slot, kernel)];
  const std::uint32_t beat = out(fields_.sel_beat, kernel);
  for (std::uint32_t rest = out(fields_.sel_mask, kernel); rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (bit >= kBeatTokens || beat >= plugin_.max_keys / kBeatTokens + 1) {
      return wrong("beat of selections", beat);
    }
    if (++of.tokens > plugin_.max_keys) return wrong("chosen token number", of.tokens);
    observer_.token_chosen(of.tag, beat * kBeatTokens + bit);
  }
  return {};
}

/// The next edge, or later when the engine is quiet and nothing can move there.
Fs RtlSparfUnit::next_work() const {
  const Fs edge = rtl_.time();
  const SparfFields& f = fields_;
  const bool wants =
      high(f.done_valid) || high(f.page_valid) || high(f.read_valid) || high(f.write_valid);
  if (!quiet() || wants) return edge;
  Fs next = std::min(ports_.descriptors->front_time(), ports_.dram_lines->front_time());
  for (std::size_t c = 0; c < streams_.size(); ++c) {
    next = std::min({next, ports_.pages[c]->front_time(), streams_[c].due()});
  }
  return std::max(next, edge);
}

void RtlSparfUnit::finish(Cycle end) {
  const std::int64_t rest = (end - rtl_.cycle()).value;
  if (rest <= 0) return;
  events_.strobes(strobes(), rest);
  rtl_.leave(rest);
}

std::optional<std::string> RtlSparfUnit::waits_for() const {
  std::size_t pages = 0;
  for (const BeatStream& stream : streams_) pages += stream.pages();
  if (jobs_.empty()) return std::nullopt;
  return std::to_string(jobs_.size()) + " jobs at work, " + std::to_string(pages) +
         " pages arriving";
}

}  // namespace neardata::rtl
