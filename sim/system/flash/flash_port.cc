// SPDX-License-Identifier: Apache-2.0
#include "system/flash/flash_port.h"

#include <algorithm>
#include <span>
#include <utility>

namespace neardata::system {

using core::Expected;
using core::Fs;
using flash::Operation;
using flash::Tick;

FlashPort::FlashPort(core::Placement place, const FlashPortSetup& setup,
                     std::vector<FlashHead> heads)
    : Part(std::move(place)),
      flash_(std::string(name()), setup.config, setup.cache, std::move(heads)),
      reads_(flash_, setup.dram, setup.tags, setup.pauses, setup.recorded_pages),
      programs_(flash_, clock(), setup.dram.line_time),
      backend_(setup.config.timing, setup.config.shape, setup.config.arbitration) {}

void FlashPort::declare(core::PortList& ports) {
  ports.in("requests", requests_);
  std::vector<core::Out<unit::SparfPage>>& pages = reads_.outputs();
  for (std::size_t c = 0; c < pages.size(); ++c) {
    // One more page than there are tags: never full.
    ports.out(core::port_of("pages", c), pages[c],
              {.option = "pages", .least_capacity = reads_.tags() + 1});
  }
  ports.out("dram", flash_.dram.output());
  ports.in("read", dram_answers_);
  ports.out("programs", programs_.output(), {.option = "programs"});
}

Expected<Fs> FlashPort::step(Fs now) {
  if (auto taken = take_requests(now); !taken) return std::unexpected(std::move(taken).error());
  if (auto taken = take_dram_answers(now); !taken) return std::unexpected(std::move(taken).error());
  for (Tick tick = next_tick(); tick != flash::kNever && flash_.ticks.time_of(tick) <= now;
       tick = next_tick()) {
    if (auto done = run_tick(tick); !done) {
      done.error().time = now;
      return std::unexpected(std::move(done).error());
    }
  }
  const Tick next = next_tick();
  const Fs due = next == flash::kNever ? core::kNever : flash_.ticks.time_of(next);
  return std::min({due, requests_->front_time(), dram_answers_->front_time()});
}

std::optional<std::string> FlashPort::waits_for() const {
  const std::size_t reads = reads_.outstanding();
  const std::size_t writes = programs_.outstanding();
  if (reads + writes == 0) return std::nullopt;
  return std::to_string(reads) + " page reads and " + std::to_string(writes) +
         " programs or erases";
}

Expected<void> FlashPort::take_requests(Fs now) {
  while (const unit::SparfPageRequest* request = requests_->front(now)) {
    auto taken = check(*request, now);
    if (taken) taken = request->write ? programs_.take(*request, now) : reads_.take(*request, now);
    if (!taken) return taken;
    requests_->pop(now);
    ++progress_;
  }
  return {};
}

/// Entries of the table, rows of pages and copies of hot pages have arrived from DRAM.
Expected<void> FlashPort::take_dram_answers(Fs now) {
  if (dram_answers_->front(now) == nullptr) return {};
  for (; dram_answers_->front(now) != nullptr; dram_answers_->pop(now)) {
    const DramRead read = flash_.dram.answered();
    if (const auto* entry = std::get_if<TableEntry>(&read)) {
      flash_.lookup.translate(entry->of, now);
    } else if (const auto* hot = std::get_if<HotPage>(&read)) {
      if (auto done = reads_.take_first_line(*hot, now); !done) return done;
    } else {
      programs_.take_rows(now);
    }
  }
  return programs_.advance(now, flash_.ticks.tick_of(now));
}

Expected<void> FlashPort::run_tick(Tick tick) {
  if (backend_.next_event() == tick) {
    if (auto done = run_flash(tick); !done) return done;
  }
  if (auto done = run_agenda(tick); !done) return done;
  return guard_order(tick);
}

Expected<void> FlashPort::run_flash(Tick tick) {
  finished_.clear();
  backend_.step(tick, finished_);
  for (const flash::Completion& completion : finished_) {
    ++progress_;
    const RequestPurpose of = request_purpose(completion.id);
    const auto* read = std::get_if<ReadId>(&of);
    auto done = read != nullptr ? reads_.finish(*read, completion.done)
                                : programs_.finish(std::get<FlashWriter::Id>(of), completion.done);
    if (!done) return done;
  }
  for (const flash::DataOut& page : backend_.started()) {
    const RequestPurpose of = request_purpose(page.id);
    const auto* read = std::get_if<ReadId>(&of);
    auto done = read != nullptr
                    ? reads_.begin_data_out(*read, page.start)
                    : programs_.begin_data_out(std::get<FlashWriter::Id>(of), page.start);
    if (!done) return done;
  }
  if (auto done = programs_.loaded(backend_.loaded(), tick); !done) return done;
  return programs_.advance(flash_.ticks.time_of(tick), tick);
}

Expected<void> FlashPort::run_agenda(Tick tick) {
  batch_.clear();
  const std::span<const FlashAgenda::Item> items = flash_.agenda.take(tick);
  const auto others = std::ranges::find_if(
      items, [](const auto& item) { return item.kind() != FlashAgenda::Kind::kFilled; });
  for (auto item = items.begin(); item != others; ++item) programs_.filled(item->set());
  if (others != items.begin()) {
    if (auto done = programs_.advance(flash_.ticks.time_of(tick), tick); !done) return done;
  }
  for (auto item = others; item != items.end(); ++item) {
    if (auto done = run(*item, tick); !done) return done;
  }
  if (!batch_.empty()) backend_.submit(tick, batch_);
  return {};
}

Expected<void> FlashPort::run(const FlashAgenda::Item& item, Tick tick) {
  switch (item.kind()) {
    case FlashAgenda::Kind::kFilled:
      programs_.filled(item.set());
      return programs_.advance(flash_.ticks.time_of(tick), tick);
    case FlashAgenda::Kind::kTranslated: {
      const RequestPurpose of = request_purpose(item.request());
      if (const auto* read = std::get_if<ReadId>(&of)) return reads_.begin(*read, tick);
      return programs_.translated(std::get<FlashWriter::Id>(of), tick);
    }
    case FlashAgenda::Kind::kMoved:
      return programs_.moved(item.move(), tick);
    case FlashAgenda::Kind::kGivenUp: {
      const RequestPurpose of = request_purpose(item.request());
      if (const auto* read = std::get_if<ReadId>(&of)) return reads_.give_up(*read, tick);
      return programs_.give_up(std::get<FlashWriter::Id>(of), tick);
    }
    case FlashAgenda::Kind::kSubmission:
      return submit(item.request(), tick);
    case FlashAgenda::Kind::kCome:
      return reads_.store_copy(item.copy(), tick);
  }
  std::unreachable();
}

/// Submits the request to the location of the page at that time.
Expected<void> FlashPort::submit(flash::RequestId id, Tick tick) {
  Operation operation = Operation::kRead;
  flash::Place place;
  const RequestPurpose of = request_purpose(id);
  if (const auto* read = std::get_if<ReadId>(&of)) {
    const auto located = reads_.locate(*read);
    if (!located) return std::unexpected(located.error());
    place = *located;
  } else {
    const flash::FlashWork& work =
        programs_.submit(std::get<FlashWriter::Id>(of), flash_.ticks.time_of(tick));
    operation = work.operation;
    place = work.place;
  }
  if (flash_.is_dead(place.channel)) {
    flash_.agenda.give_up(tick + flash_.config.reads.dead_timeout, id);
    return {};
  }
  const std::uint32_t bytes = operation == Operation::kErase ? 0 : flash_.decoder.bus_bytes();
  batch_.push_back(
      {.channel = place.channel,
       .page = {.id = id, .operation = operation, .address = place.address, .bytes = bytes}});
  return {};
}

/// A submission may have begun a program as well as an event of the flash.
Expected<void> FlashPort::guard_order(Tick tick) const {
  if (backend_.in_order()) [[likely]]
    return {};
  return std::unexpected(core::SimError{core::Fault::kPhysics, flash_.name, *backend_.fault(),
                                        flash_.ticks.time_of(tick)});
}

std::vector<Fs> FlashPort::bus_time(Tick flash::BusUse::*use) const {
  std::vector<Fs> times;
  for (const flash::BusUse& channel : backend_.bus_use()) {
    times.push_back(flash_.ticks.time_of(channel.*use));
  }
  return times;
}

Tick FlashPort::next_tick() const { return std::min(flash_.agenda.next(), backend_.next_event()); }

}  // namespace neardata::system
