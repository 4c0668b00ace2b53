// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/cycle/cycle_sparf_unit.h"

#include <algorithm>
#include <utility>

namespace neardata::unit {

using core::Expected;
using core::Fs;

namespace {

/// Cycles after the last event in which kernels without heads may still count something.
constexpr SparfTime kSettled = 512;
/// From a request for lines of DRAM to its earliest grant.
constexpr SparfTime kTurnDecided = 1;

}  // namespace

CycleSparfUnit::CycleSparfUnit(core::Placement place, const SparfParameters& parameters,
                               SparfObserver& observer)
    : SparfUnit(std::move(place), parameters.channels, parameters.kernels),
      parameters_(parameters),
      cursor_(clock()),
      rings_(kRings * parameters.kernels),
      doorbell_(parameters.kernels, std::size_t{2} * parameters.slots),
      append_(parameters),
      runs_(rings_ + parameters.kernels + 1),
      writer_(parameters.kernels + std::size_t{1}),
      pages_(rings_ + 1) {
  for (std::uint32_t k = 0; k < parameters.kernels; ++k) {
    fronts_.push_back(std::make_unique<SparfFront>(parameters, observer));
  }
  for (std::uint32_t c = 0; c < parameters.channels; ++c) {
    channels_.emplace_back(c, parameters.channels, clock());
  }
}

Expected<Fs> CycleSparfUnit::step(Fs now) {
  core::EdgeCursor edge = cursor_;
  edge.move_after(now - Fs{1});
  if (edge.time() != now) return edge.time();  // between two edges
  cursor_ = edge;
  const SparfTime cycle = edge.cycle().value;
  visit(cycle, now);
  Fs next = std::min(ports_.dram_lines->front_time(),
                     doorbell_.full() ? core::kNever : ports_.descriptors->front_time());
  for (const auto& channel : ports_.pages) next = std::min(next, channel->front_time());
  edge.next();
  next = std::max(next, edge.time());
  const SparfTime due = std::max(this->due(cycle), cycle + 1);
  if (due >= kSparfNever) return next;
  edge.move_to({due});
  return std::min(next, edge.time());
}

void CycleSparfUnit::visit(SparfTime now, Fs time) {
  skipped_ += now - last_visit_ - 1;
  last_visit_ = now;
  take_pages(now, time);
  take_descriptor(now, time);
  ring_bell(now);
  give_done(now, time);
  give_page_request(now, time);
  read_dram(now, time);
  write_dram(now, time);
  for (const auto& front : fronts_) front->visit(now);
  request();
  count_busy(now);
}

void CycleSparfUnit::take_pages(SparfTime now, Fs time) {
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    while (const SparfPage* page = ports_.pages[c]->front(time)) {
      const std::size_t ring = page->tag / parameters_.tags;
      const std::uint32_t number = page->tag % parameters_.tags;
      SparfFront& front = front_of(ring);
      const SparfPageLayout layout = front.on_its_way(ring % kRings, number).page;
      const SparfNfcChannel::Passed passed = channels_[c].pass(*page, layout, now);
      events_.beats_in(c, static_cast<std::uint64_t>(page->beat_count()));
      if (!page->error) events_.beats_kept(c, layout.kept());
      events_.beats_waited(c, passed.waits);
      front.page_came(ring % kRings, number, *page, passed.slot);
      ports_.pages[c]->pop(time);
      ++transfers_;
      --arriving_;
    }
  }
}

void CycleSparfUnit::take_descriptor(SparfTime now, Fs time) {
  const SparfDescriptor* words = ports_.descriptors->front(time);
  if (words == nullptr || doorbell_.full()) return;
  doorbell_.push(now, SparfTask::decode(*words));
  ports_.descriptors->pop(time);
  ++transfers_;
  ++jobs_;
}

void CycleSparfUnit::ring_bell(SparfTime now) {
  if (doorbell_.loads_from() <= now) {
    doorbell_.load(now);
  } else if (descriptor_leaves_from() <= now) {
    if (doorbell_.appends()) {
      append_.take(now, doorbell_.task());
      return doorbell_.leave(now);
    }
    std::uint32_t kernel = doorbell_.next_kernel();
    while (fronts_[kernel]->takes_from() > now) kernel = (kernel + 1) % parameters_.kernels;
    fronts_[kernel]->take(now, doorbell_.task());
    events_.add(SparfEvent::kHeadStart);
    doorbell_.leave_to(kernel, now);
  }
}

/// First cycle in which the current descriptor has a receiver and its dependencies are satisfied.
SparfTime CycleSparfUnit::descriptor_leaves_from() const {
  const SparfTask& task = doorbell_.task();
  if (doorbell_.appends()) {
    SparfTime from = std::max(doorbell_.since(), append_.idle_since());
    for (const auto& front : fronts_) from = std::max(from, front->appends_from(task));
    return from;
  }
  SparfTime taken = kSparfNever;
  for (const auto& front : fronts_) taken = std::min(taken, front->takes_from());
  const SparfTask& last = append_.task();
  const bool same = task.head == last.head || task.sum_line == last.sum_line;
  const SparfTime appended = same ? append_.idle_since() : 0;
  return std::max({doorbell_.since(), taken, appended});
}

void CycleSparfUnit::give_done(SparfTime now, Fs time) {
  if (done_) {
    if (done_since_ > now || !ports_.done->try_push(time, *done_)) return;
    done_.reset();
    ++transfers_;
    --jobs_;
  }
  done_since_ = now + 1;
  for (const auto& front : fronts_) {
    if (front->done_since() > now) continue;
    done_ = front->done();
    front->done_taken(now);
    events_.add(SparfEvent::kHeadDone);
    return;
  }
  if (append_.done_since() > now) return;
  done_ = append_.done();
  append_.done_taken(now);
  events_.add(SparfEvent::kAppendDone);
}

void CycleSparfUnit::give_page_request(SparfTime now, Fs time) {
  if (page_) {
    if (page_since_ > now || !ports_.page_requests->try_push(time, *page_)) return;
    events_.add(page_->write ? SparfEvent::kPageProgram : SparfEvent::kPageRead);
    page_.reset();
    ++transfers_;
  }
  choose_page(now);
}

void CycleSparfUnit::choose_page(SparfTime now) {
  const auto who = pages_.serve(now);
  if (!who) return;
  page_since_ = now + 1;
  if (*who == rings_) {
    page_ = SparfPageRequest{.head = append_.task().head,
                             .kind = append_.page().kind,
                             .index = append_.page().index,
                             .write = true};
    append_.page_taken(now);
    return;
  }
  SparfFront& front = front_of(*who);
  const SparfRing& ring = front.ring(*who % kRings);
  page_ =
      SparfPageRequest{.tag = static_cast<std::uint16_t>(*who * parameters_.tags + ring.number()),
                       .head = front.task_of(ring.item()).head,
                       .kind = ring.item().kind,
                       .index = ring.item().index};
  front.granted(*who % kRings, now);
  ++arriving_;
}

void CycleSparfUnit::read_dram(SparfTime now, Fs time) {
  if (reader_.takes_from() <= now) take_run(now);
  if (const auto line = reader_.asks(now)) {
    const bool taken = ports_.dram_reads->try_push(time, {*line});
    reader_.asked(now, taken);
    if (taken) {
      ++transfers_;
      events_.add(SparfEvent::kDramRead);
    }
  }
  if (line_leaves_from() <= now) line_leaves(now);
  if (const DramLine* line = ports_.dram_lines->front(time)) {
    reader_.received(now, *line);
    ports_.dram_lines->pop(time);
    ++transfers_;
  }
}

void CycleSparfUnit::take_run(SparfTime now) {
  const auto who = runs_.serve(now);
  if (!who) return;
  SparfDramReader::LineRange run{.who = static_cast<std::uint32_t>(*who), .item = {}};
  if (*who < rings_) {
    SparfFront& front = front_of(*who);
    const SparfRing& ring = front.ring(*who % kRings);
    run.item = ring.item();
    run.line = run.item.line;
    run.lines = run.item.lines;
    run.number = ring.number();
    front.granted(*who % kRings, now);
  } else if (*who - rings_ < fronts_.size()) {
    SparfFront& front = *fronts_[*who - rings_];
    run.line = front.loader().read_line();
    run.lines = front.loader().read_lines();
    front.load_taken(now);
  } else {
    run.line = append_.read_line();
    run.lines = append_.read_lines();
    append_.read_taken(now);
  }
  reader_.take(now, run);
}

/// First cycle in which the oldest line of DRAM is delivered to its requester; a ring receives it
/// in the ring's own slot.
SparfTime CycleSparfUnit::line_leaves_from() const {
  const SparfTime since = reader_.line_since();
  if (since == kSparfNever) return since;
  const std::size_t who = reader_.run().who;
  if (who < rings_) {
    const SparfRingSlots slots(parameters_.channels);
    return since + std::max(SparfTime{0}, slots.places - since % slots.round());
  }
  const bool append = who - rings_ == fronts_.size();
  return std::max(since, append ? append_.line_ready() : fronts_[who - rings_]->line_ready());
}

void CycleSparfUnit::line_leaves(SparfTime now) {
  const SparfDramReader::LineRange& run = reader_.run();
  if (run.who < rings_) {
    SparfFront& front = front_of(run.who);
    front.row_line(run, reader_.place(), reader_.line());
    if (reader_.is_last()) front.rows_came(run.who % kRings, run.number, now);
  } else if (run.who - rings_ < fronts_.size()) {
    fronts_[run.who - rings_]->line(now, reader_.line());
  } else {
    append_.line(now, reader_.line());
  }
  reader_.leave(now);
}

void CycleSparfUnit::write_dram(SparfTime now, Fs time) {
  writer_.choose(now);
  const auto who = writer_.offers(now);
  if (!who) return;
  const bool append = *who == fronts_.size();
  const DramWrite& write = append ? append_.write() : fronts_[*who]->write();
  if (!ports_.dram_writes->try_push(time, write)) return;
  ++transfers_;
  events_.add(SparfEvent::kDramWrite);
  writer_.taken(now);
  if (append) {
    append_.written(now);
  } else {
    fronts_[*who]->written(now);
  }
}

/// The present requests for the shared ports.
void CycleSparfUnit::request() {
  for (std::size_t r = 0; r < rings_; ++r) {
    const SparfRing& ring = front_of(r).ring(r % kRings);
    const bool flash = ring.item().flash;
    pages_.request(r, flash ? ring.requests() : kSparfNever);
    runs_.request(r, flash ? kSparfNever : ring.requests() + kTurnDecided);
  }
  for (std::size_t k = 0; k < fronts_.size(); ++k) {
    runs_.request(rings_ + k, fronts_[k]->loader().read_since() + kTurnDecided);
    writer_.request(k, fronts_[k]->write_since());
  }
  runs_.request(rings_ + fronts_.size(), append_.read_since() + kTurnDecided);
  writer_.request(fronts_.size(), append_.write_since());
  pages_.request(rings_, append_.page_since());
}

void CycleSparfUnit::count_busy(SparfTime now) {
  if (busy_) events_.add(SparfEvent::kBusy, static_cast<std::uint64_t>(now + 1 - counted_));
  counted_ = now + 1;
  busy_ = doorbell_.busy() || done_ || append_.idle_since() == kSparfNever ||
          std::ranges::any_of(fronts_, [](const auto& front) { return front->busy(); });
}

SparfTime CycleSparfUnit::done_due() const {
  if (done_) return done_since_;
  SparfTime due = append_.done_since();
  for (const auto& front : fronts_) due = std::min(due, front->done_since());
  return due;
}

/// The next event after `now`. A channel wakes requests that wait for its free space.
SparfTime CycleSparfUnit::due(SparfTime now) const {
  const auto later = [now](SparfTime since) { return since > now ? since : kSparfNever; };
  SparfTime due = std::min(
      {doorbell_.loads_from(), descriptor_leaves_from(), done_ ? later(done_since_) : done_due(),
       page_ ? later(page_since_) : pages_.due(), std::max(reader_.takes_from(), runs_.due()),
       reader_.asks_from(now), line_leaves_from(), later(writer_.due())});
  for (const auto& front : fronts_) due = std::min(due, front->due());
  return due;
}

void CycleSparfUnit::finish(core::Cycle end) {
  const SparfTime settled = std::max(end.value, last_visit_ + kSettled);
  for (std::uint32_t k = 0; k < fronts_.size(); ++k) {
    const auto counts = fronts_[k]->kernel().events(settled);
    for (std::size_t event = 0; event < counts.size(); ++event) {
      events_.add(k, static_cast<SparfKernelEvent>(event), counts[event]);
    }
  }
}

std::optional<std::string> CycleSparfUnit::waits_for() const {
  if (jobs_ == 0) return std::nullopt;
  return std::to_string(jobs_) + " jobs at work, " + std::to_string(arriving_) + " pages arriving";
}

}  // namespace neardata::unit
