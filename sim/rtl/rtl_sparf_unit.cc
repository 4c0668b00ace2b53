// SPDX-License-Identifier: Apache-2.0
#include "rtl/rtl_sparf_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "unit/sparf_task.h"

namespace neardata::rtl {

using core::Cycle;
using core::Expected;
using core::Fs;

namespace {

/// Turns of the engine's ring writers beside one for each channel; its count runs also when it is
/// quiet, so clocks are skipped in whole rounds of it.
constexpr std::int64_t kDramTurns = 4;
constexpr unsigned kStatusBit = 24;
constexpr std::uint32_t kWordBits = 32;
constexpr std::uint32_t kBeatTokens = 8;
constexpr std::uint32_t kMostQueries = 16;
constexpr std::uint32_t kMostTag = 0xFFFF;

std::unexpected<core::SimError> protocol(const std::string& message, Fs now) {
  return std::unexpected(core::SimError{core::Fault::kProtocol, "attention engine", message, now});
}

std::uint16_t done_tag(const NeardataSparfOutputs& out) {
  return static_cast<std::uint16_t>(out.done);
}

}  // namespace

RtlSparfUnit::RtlSparfUnit(core::Placement place, const SparfPlugin& plugin,
                           unit::SparfObserver& observer, std::optional<TraceWindow> trace)
    : SparfUnit(std::move(place), plugin.api().channels, plugin.api().kernels),
      api_(&plugin.api()),
      observer_(observer),
      window_(std::move(trace)),
      streams_(api_->channels),
      chosen_(api_->kernels, std::vector<Chosen>(api_->slots)),
      cursor_(clock()),
      engine_(api_->create(&outputs_), Destroy{api_}) {}

Expected<Fs> RtlSparfUnit::step(Fs now) {
  core::EdgeCursor edge = cursor_;
  edge.move_after(now - Fs{1});
  if (edge.time() != now) return edge.time();  // woken early or between two edges
  if (auto skipped = skip_to(edge.cycle()); !skipped) {
    return std::unexpected(std::move(skipped).error());
  }
  if (auto good = check_outputs(now); !good) return std::unexpected(std::move(good).error());
  exchange(now);
  if (auto seen = count_outputs(); !seen) return std::unexpected(std::move(seen).error());
  request();
  return core::kNever;
}

Expected<Fs> RtlSparfUnit::evaluated(Fs) {
  if (!alive_) return std::unexpected(failure());
  cursor_.next();
  return next_work();
}

/// Passes over the cycles before `cycle`, in which nothing moves.
Expected<void> RtlSparfUnit::skip_to(Cycle cycle) {
  const std::int64_t round = static_cast<std::int64_t>(api_->channels) + kDramTurns;
  const std::int64_t rounds = (cycle - cursor_.cycle()).value / round * round;
  if (rounds > 0 && outputs_.quiet) {
    events_.strobes(outputs_.events, rounds);
    skipped_ += rounds;
    cursor_.move_to(cursor_.cycle() + Cycle{rounds});
  }
  if (cursor_.cycle() == cycle) return {};
  inputs_ = {};
  while (cursor_.cycle() < cycle) {
    if (auto seen = count_outputs(); !seen) return seen;
    evaluate();
    if (!alive_) return std::unexpected(failure());
    cursor_.next();
  }
  return {};
}

/// What the outputs of a cycle tell beside what they exchange, before its clock edge.
Expected<void> RtlSparfUnit::count_outputs() {
  events_.strobes(outputs_.events);
  if (auto seen = observe(); !seen) return seen;
  return window_ ? trace() : Expected<void>{};
}

/// What the engine gives is of a job that it has, and fits the messages that carry it.
Expected<void> RtlSparfUnit::check_outputs(Fs now) const {
  const NeardataSparfOutputs& out = outputs_;
  if (out.done_valid && std::ranges::find(jobs_, done_tag(out), &Job::tag) == jobs_.end()) {
    return protocol("done_o names tag " + std::to_string(done_tag(out)) + ", which no job has",
                    now);
  }
  if (!out.page_req_valid) return {};
  if (out.page_tag > kMostTag || out.page_kind > static_cast<unsigned>(unit::PageKind::kDimKeys)) {
    return protocol("page_req_o asks for a page of kind " + std::to_string(out.page_kind) +
                        " with tag " + std::to_string(out.page_tag) +
                        ": kinds are 0, 1 and 2, tags have 16 bits",
                    now);
  }
  if (std::ranges::find(jobs_, out.page_head, &Job::head) == jobs_.end()) {
    return protocol("page_req_o names head " + std::to_string(out.page_head) + ", which no job has",
                    now);
  }
  return {};
}

void RtlSparfUnit::exchange(Fs now) {
  give(now);
  take_beats(now);
  inputs_.desc = nullptr;
  if (const unit::SparfDescriptor* words = ports_.descriptors->front(now)) {
    descriptor_ = *words;
    inputs_.desc = descriptor_.data();
    if (outputs_.desc_ready) {
      ports_.descriptors->pop(now);
      ++transfers_;
      const auto task = unit::SparfTask::decode(descriptor_);
      jobs_.push_back({.tag = task.tag, .head = task.head});
    }
  }
  inputs_.dr_rsp = nullptr;
  if (const unit::DramLine* line = ports_.dram_lines->front(now)) {
    line_ = *line;
    inputs_.dr_rsp = line_.data();
    ports_.dram_lines->pop(now);
    ++transfers_;
  }
}

/// What the engine gives, to channels that have room.
void RtlSparfUnit::give(Fs now) {
  const auto push = [&](const auto& channel, bool valid, bool& ready, auto message) {
    ready = !channel.full(now);
    if (!valid || !ready) return false;
    transfers_ += channel.try_push(now, message) ? 1 : 0;
    return true;
  };
  const NeardataSparfOutputs& out = outputs_;
  const unit::SparfDone done{.tag = done_tag(out),
                             .unreadable = (out.done >> kStatusBit & 1U) != 0,
                             .refused = (out.done >> (kStatusBit + 1) & 1U) != 0};
  if (push(*ports_.done, out.done_valid, inputs_.done_ready, done)) {
    jobs_.erase(std::ranges::find(jobs_, done.tag, &Job::tag));
  }
  push(*ports_.page_requests, out.page_req_valid, inputs_.page_req_ready,
       unit::SparfPageRequest{.tag = static_cast<std::uint16_t>(out.page_tag),
                              .head = out.page_head,
                              .kind = static_cast<unit::PageKind>(out.page_kind),
                              .index = out.page_index,
                              .write = out.page_write});
  push(*ports_.dram_reads, out.dr_req_valid, inputs_.dr_req_ready, unit::DramRead{out.dr_req_addr});
  unit::DramWrite write{.line = out.dw_addr, .strobe = out.dw_strb};
  if (out.dw_valid) std::memcpy(write.data.data(), out.dw_data, sizeof out.dw_data);
  push(*ports_.dram_writes, out.dw_valid, inputs_.dw_ready, write);
}

void RtlSparfUnit::take_beats(Fs now) {
  inputs_.ch_valid = inputs_.ch_first = inputs_.ch_error = 0;
  for (std::size_t c = 0; c < streams_.size(); ++c) {
    BeatStream& stream = streams_[c];
    while (const unit::SparfPage* page = ports_.pages[c]->front(now)) {
      stream.add(*page);
      ports_.pages[c]->pop(now);
    }
    if (!stream.ready(now)) continue;
    const std::uint32_t bit = 1U << c;
    inputs_.ch_valid |= bit;
    if (stream.first()) inputs_.ch_first |= bit;
    if (stream.page().error) inputs_.ch_error |= bit;
    inputs_.ch_tag[c] = stream.page().tag;
    inputs_.ch_data[c] = stream.data();
    if ((outputs_.ch_ready & bit) == 0) continue;
    stream.pop();
    ++transfers_;
  }
}

/// Tells what the kernels chose in this cycle.
Expected<void> RtlSparfUnit::observe() {
  for (std::uint32_t k = 0; k < api_->kernels; ++k) {
    if (auto seen = observe(outputs_.seen[k], chosen_[k]); !seen) return seen;
  }
  return {};
}

Expected<void> RtlSparfUnit::observe(const NeardataSparfSeen& seen, std::vector<Chosen>& slots) {
  const auto wrong = [&](const char* what, std::uint32_t number) {
    return protocol("seen_o tells of " + std::string(what) + " " + std::to_string(number) +
                        ", which there is not",
                    cursor_.time());
  };
  for (const auto& [valid, slot] :
       {std::pair(seen.head, seen.head_slot), std::pair(seen.dims, seen.dims_slot),
        std::pair(seen.alpha, seen.alpha_slot), std::pair(seen.sel, seen.sel_slot)}) {
    if (valid && slot >= slots.size()) return wrong("slot", slot);
  }
  if (seen.head) slots[seen.head_slot] = {.tag = static_cast<std::uint16_t>(seen.head_tag)};
  for (std::uint32_t c = 0; seen.dims && c < api_->width; ++c) {
    if ((seen.dims_mask[c / kWordBits] >> c % kWordBits & 1U) == 0) continue;
    Chosen& of = slots[seen.dims_slot];
    if (++of.dims > api_->width) return wrong("chosen dimension number", of.dims);
    observer_.dim_chosen(of.tag, c);
  }
  if (seen.alpha) {
    if (seen.alpha_query >= kMostQueries) return wrong("query", seen.alpha_query);
    observer_.alpha(slots[seen.alpha_slot].tag, seen.alpha_query, seen.alpha_value);
  }
  if (!seen.sel) return {};
  for (std::uint32_t rest = seen.sel_mask; rest != 0; rest &= rest - 1) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
    Chosen& of = slots[seen.sel_slot];
    if (bit >= kBeatTokens || seen.sel_beat >= api_->max_keys / kBeatTokens + 1) {
      return wrong("beat of selections", seen.sel_beat);
    }
    if (++of.tokens > api_->max_keys) return wrong("chosen token number", of.tokens);
    observer_.token_chosen(of.tag, seen.sel_beat * kBeatTokens + bit);
  }
  return {};
}

Expected<void> RtlSparfUnit::trace() {
  const Cycle cycle = cursor_.cycle();
  const bool inside = cycle >= window_->from && cycle < window_->to;
  if (inside == tracing_) return {};
  if (!inside) {
    api_->trace_close(engine_.get());
  } else if (!api_->trace_open(engine_.get(), window_->path.c_str(),
                               static_cast<std::uint64_t>(cycle.value))) {
    return std::unexpected(core::SimError{core::Fault::kBadConfig, window_->path,
                                          "the waveform file cannot be written", cursor_.time()});
  }
  tracing_ = inside;
  return {};
}

/// The next edge, or later when the engine is quiet and nothing can move there.
Fs RtlSparfUnit::next_work() const {
  const Fs edge = cursor_.time();
  const NeardataSparfOutputs& out = outputs_;
  const bool wants = out.done_valid || out.page_req_valid || out.dr_req_valid || out.dw_valid;
  if (!out.quiet || wants) return edge;
  Fs next = std::min(ports_.descriptors->front_time(), ports_.dram_lines->front_time());
  for (std::size_t c = 0; c < streams_.size(); ++c) {
    next = std::min({next, ports_.pages[c]->front_time(), streams_[c].due()});
  }
  return std::max(next, edge);
}

void RtlSparfUnit::finish(Cycle end) {
  const std::int64_t rest = (end - cursor_.cycle()).value;
  if (rest <= 0) return;
  events_.strobes(outputs_.events, rest);
  skipped_ += rest;
}

std::optional<std::string> RtlSparfUnit::waits_for() const {
  std::size_t pages = 0;
  for (const BeatStream& stream : streams_) pages += stream.pages();
  if (jobs_.empty()) return std::nullopt;
  return std::to_string(jobs_.size()) + " jobs at work, " + std::to_string(pages) +
         " pages arriving";
}

core::SimError RtlSparfUnit::failure() const {
  NeardataSparfError error{};
  api_->error(engine_.get(), &error);
  return {core::Fault::kAssertion, error.place, error.message, cursor_.time()};
}

}  // namespace neardata::rtl
