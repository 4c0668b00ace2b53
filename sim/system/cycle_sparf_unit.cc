// SPDX-License-Identifier: Apache-2.0
#include "system/cycle_sparf_unit.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardata::system {

using core::Expected;
using core::Fs;
using unit::Half;
using unit::HeadPage;
using unit::kLineBytes;
using unit::PageKind;
using unit::SparfOperation;

namespace {

constexpr std::uint32_t kSums = ~0U;
constexpr std::uint64_t kValuesPerBeat = unit::kBeatBytes / sizeof(Half);

}  // namespace

CycleSparfUnit::CycleSparfUnit(const unit::SparfParameters& parameters, unit::SparfPorts ports,
                               const core::Clock& clock, unit::SparfEvents& events,
                               unit::SparfObserver& observer)
    : parameters_(parameters),
      ports_(std::move(ports)),
      events_(events),
      observer_(observer),
      clock_(clock),
      row_lines_(unit::row_lines(parameters.width)),
      sum_lines_(static_cast<std::uint32_t>(
          (parameters.width * sizeof(std::int64_t) + kLineBytes - 1) / kLineBytes)),
      waits_(parameters.page_tags()) {
  for (std::size_t tag = waits_.size(); tag > 0; --tag) {
    free_tags_.push_back(static_cast<std::uint16_t>(tag - 1));
  }
}

Expected<Fs> CycleSparfUnit::step(Fs now) {
  const core::Cycle cycle = clock_.at_or_after(now);
  if (clock_.edge(cycle) != now) return clock_.edge(cycle);  // between two edges
  skipped_ += cycle.value - last_cycle_ - 1;
  last_cycle_ = cycle.value;
  take_pages(now);
  arrive(cycle.value);
  take_line(now);
  take_descriptor(now);
  give_page_request(now);
  give_dram_request(now);
  give_write(now);
  give_done(now);

  const core::Cycle next{cycle.value + 1};
  if (issues()) return clock_.edge(next);
  Fs due = ports_.dram_lines->front_time();
  for (const auto* channel : ports_.pages) due = std::min(due, channel->front_time());
  if (flights_.size() < std::size_t{parameters_.kernels} * parameters_.slots) {
    due = std::min(due, ports_.descriptors->front_time());
  }
  if (!arrivals_.empty()) due = std::min(due, clock_.edge({arrivals_.top().cycle}));
  return std::max(due, clock_.edge(next));
}

/// Something can be given in the next cycle.
bool CycleSparfUnit::issues() const {
  const bool pages = !rank_requests_.empty() || !attend_requests_.empty();
  return (pages && !free_tags_.empty()) || !dram_requests_.empty() || !writes_.empty() ||
         !done_.empty();
}

std::optional<std::string> CycleSparfUnit::waits_for() const {
  if (flights_.empty()) return std::nullopt;
  return std::to_string(waits_.size() - free_tags_.size()) + " pages of " +
         std::to_string(flights_.size()) + " heads";
}

void CycleSparfUnit::take_descriptor(Fs now) {
  if (flights_.size() >= std::size_t{parameters_.kernels} * parameters_.slots) return;
  const unit::SparfDescriptor* words = ports_.descriptors->front(now);
  if (words == nullptr) return;
  const auto task = unit::SparfTask::decode(*words);
  ports_.descriptors->pop(now);
  ++progress_;
  events_.add(unit::SparfEvent::kHeadStart);
  const FlightId id = next_flight_++;
  flights_.emplace(id, Flight(task, parameters_.width));
  const bool append = task.operation == SparfOperation::kAppend;
  const std::uint32_t rows = append ? 2 : task.group;
  for (std::uint32_t row = 0; row < rows; ++row) {
    read_row(id, {.step = Step::kLoad, .index = row}, task.q_line + row * row_lines_);
  }
  if (append || (task.mean && task.operation == SparfOperation::kSparse)) {
    read_row(id, {.step = Step::kLoad, .index = kSums, .lines = sum_lines_}, task.sum_line);
  }
}

void CycleSparfUnit::read_row(FlightId id, const Fetch& fetch, std::uint32_t line) {
  fetches_.push_back(fetch);
  fetches_.back().flight = id;
  if (fetch.index != kSums) fetches_.back().lines = row_lines_;
  dram_requests_.emplace_back(line, fetches_.back().lines);
  ++flights_.at(id).outstanding;
}

void CycleSparfUnit::take_pages(Fs now) {
  for (std::uint32_t c = 0; c < ports_.pages.size(); ++c) {
    while (const unit::SparfPage* page = ports_.pages[c]->front(now)) {
      const Fs last = page->beats.at(page->beat_count() - 1);
      const std::int64_t cycle = std::max(clock_.at_or_after(last), clock_.at_or_after(now)).value;
      arrivals_.push({cycle, order_++, c, *page});
      ports_.pages[c]->pop(now);
    }
  }
}

/// Pages whose last beat has come.
void CycleSparfUnit::arrive(std::int64_t cycle) {
  while (!arrivals_.empty() && arrivals_.top().cycle <= cycle) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    ++progress_;
    const unit::SparfPage& page = arrival.page;
    const PageWait wait = *std::exchange(waits_[page.tag], std::nullopt);
    free_tags_.push_back(page.tag);
    Flight& flight = flights_.at(wait.flight);
    events_.beats_in(arrival.channel, static_cast<std::uint64_t>(page.beat_count()));
    if (page.error) {
      flight.unreadable = true;
    } else {
      std::vector<Half> values(page.bytes / sizeof(Half));
      std::memcpy(values.data(), page.data, page.bytes);
      const std::uint64_t kept = flight.head.keep(wait.page, values.data());
      events_.beats_kept(arrival.channel, (kept + kValuesPerBeat - 1) / kValuesPerBeat);
    }
    arrived(wait.flight, wait.page.kind == PageKind::kDimKeys ? Step::kRank : Step::kAttend);
  }
}

void CycleSparfUnit::take_line(Fs now) {
  const unit::DramLine* line = ports_.dram_lines->front(now);
  if (line == nullptr) return;
  fetched_.insert(fetched_.end(), line->begin(), line->end());
  ports_.dram_lines->pop(now);
  ++progress_;
  if (--fetches_.front().lines > 0) return;
  const Fetch fetch = fetches_.front();
  fetches_.pop_front();
  place(fetch);
  fetched_.clear();
  arrived(fetch.flight, fetch.step);
}

void CycleSparfUnit::place(const Fetch& fetch) {
  Flight& flight = flights_.at(fetch.flight);
  if (fetch.index == kSums) {
    flight.sums.resize(parameters_.width);
    std::memcpy(flight.sums.data(), fetched_.data(), flight.sums.size() * sizeof(std::int64_t));
    return;
  }
  std::vector<Half> row(parameters_.width);
  std::memcpy(row.data(), fetched_.data(), row.size() * sizeof(Half));
  switch (fetch.step) {
    case Step::kLoad:
      flight.rows.insert(flight.rows.end(), row.begin(), row.end());
      break;
    case Step::kRank:
      flight.head.keep_rank_row(fetch.index, row);
      break;
    case Step::kAttend:
      flight.head.keep_attend_row(fetch.kind, fetch.index, row);
      break;
  }
}

void CycleSparfUnit::arrived(FlightId id, Step step) {
  if (--flights_.at(id).outstanding > 0) return;
  switch (step) {
    case Step::kLoad:
      return after_load(id);
    case Step::kRank:
      return after_rank(id);
    case Step::kAttend:
      return after_attend(id);
  }
}

void CycleSparfUnit::after_load(FlightId id) {
  Flight& flight = flights_.at(id);
  const unit::SparfTask& task = flight.head.task();
  if (task.operation == SparfOperation::kAppend) return append(id);
  flight.head.load(std::move(flight.rows), std::move(flight.sums));
  if (task.operation == SparfOperation::kDense) return after_rank(id);
  for (const std::uint32_t dim : flight.head.choose_dims()) observer_.dim_chosen(task.tag, dim);
  for (const HeadPage& page : flight.head.rank_pages()) {
    rank_requests_.push_back({id, page});
    ++flight.outstanding;
  }
  for (const std::uint32_t t : flight.head.rank_rows()) {
    read_row(id, {.step = Step::kRank, .index = t},
             task.k_line + (t - task.dim_flash) * row_lines_);
  }
}

void CycleSparfUnit::after_rank(FlightId id) {
  Flight& flight = flights_.at(id);
  const unit::SparfTask& task = flight.head.task();
  const bool dense = task.operation == SparfOperation::kDense;
  for (const std::uint32_t token : flight.head.choose_tokens()) {
    if (!dense) observer_.token_chosen(task.tag, token);
  }
  for (std::uint32_t g = 0; g < task.group && !dense; ++g) {
    observer_.alpha(task.tag, g, flight.head.mass()[g].chosen);
  }
  for (const HeadPage& page : flight.head.attend_pages()) {
    attend_requests_.push_back({id, page});
    ++flight.outstanding;
  }
  for (const std::uint32_t t : flight.head.attend_rows()) {
    read_row(id, {.step = Step::kAttend, .kind = PageKind::kTokenKeys, .index = t},
             task.k_line + (t - task.dim_flash) * row_lines_);
    read_row(id, {.step = Step::kAttend, .kind = PageKind::kTokenValues, .index = t},
             task.v_line + (t - task.token_flash) * row_lines_);
  }
}

void CycleSparfUnit::after_attend(FlightId id) {
  Flight& flight = flights_.at(id);
  const std::vector<Half> out = flight.head.output();
  for (std::uint32_t g = 0; g < flight.head.task().group; ++g) {
    const auto row = std::span(out).subspan(std::size_t{g} * parameters_.width, parameters_.width);
    write_bytes(flight.head.task().out_line + g * row_lines_, std::as_bytes(row));
  }
  writes_.back().last = true;
  writes_.back().flight = id;
}

/// Rows go where the token belongs, sums count it; a page that is full now is written.
void CycleSparfUnit::append(FlightId id) {
  Flight& flight = flights_.at(id);
  const unit::SparfTask& task = flight.head.task();
  const std::size_t width = parameters_.width;
  const auto key = std::span(flight.rows).first(width);
  const auto value = std::span(flight.rows).subspan(width, width);
  unit::add_values(value, flight.sums);
  write_bytes(task.k_line + (task.tokens - task.dim_flash) * row_lines_, std::as_bytes(key));
  write_bytes(task.v_line + (task.tokens - task.token_flash) * row_lines_, std::as_bytes(value));
  write_bytes(task.sum_line, std::as_bytes(std::span(flight.sums)));
  writes_.back().last = true;
  writes_.back().flight = id;
}

void CycleSparfUnit::write_bytes(std::uint32_t line, std::span<const std::byte> bytes) {
  for (; !bytes.empty(); ++line) {
    unit::DramWrite write{.line = line};
    const std::size_t part = std::min(bytes.size(), kLineBytes);
    std::ranges::copy(bytes.first(part), write.data.begin());
    writes_.push_back({.write = write});
    bytes = bytes.subspan(part);
  }
}

void CycleSparfUnit::give_page_request(Fs now) {
  std::deque<Request>& queue = attend_requests_.empty() ? rank_requests_ : attend_requests_;
  if (queue.empty() || ports_.page_requests->full(now)) return;
  const Request& request = queue.front();
  if (!request.write && free_tags_.empty()) return;
  unit::SparfPageRequest message{.head = flights_.at(request.flight).head.task().head,
                                 .kind = request.page.kind,
                                 .index = request.page.index,
                                 .write = request.write};
  if (request.write) {
    events_.add(unit::SparfEvent::kPageProgram);
  } else {
    message.tag = free_tags_.back();
    free_tags_.pop_back();
    waits_[message.tag] = PageWait{request.flight, request.page};
    events_.add(unit::SparfEvent::kPageRead);
  }
  static_cast<void>(ports_.page_requests->try_push(now, message));
  const FlightId id = request.flight;
  const bool last_program = request.write && --flights_.at(id).outstanding == 0;
  queue.pop_front();
  ++progress_;
  if (last_program) done_.push_back({.tag = flights_.at(id).head.task().tag});
  if (last_program) flights_.erase(id);
}

void CycleSparfUnit::give_dram_request(Fs now) {
  if (dram_requests_.empty()) return;
  auto& [line, count] = dram_requests_.front();
  if (!ports_.dram_reads->try_push(now, {line})) return;
  events_.add(unit::SparfEvent::kDramRead);
  ++progress_;
  ++line;
  if (--count == 0) dram_requests_.pop_front();
}

void CycleSparfUnit::give_write(Fs now) {
  if (writes_.empty() || !ports_.dram_writes->try_push(now, writes_.front().write)) return;
  const LastWrite write = writes_.front();
  writes_.pop_front();
  ++progress_;
  events_.add(unit::SparfEvent::kDramWrite);
  if (!write.last) return;
  Flight& flight = flights_.at(write.flight);
  const unit::SparfTask& task = flight.head.task();
  if (task.operation == SparfOperation::kAppend) {
    events_.add(unit::SparfEvent::kAppendDone);
    for (const HeadPage& page : unit::full_pages(task, parameters_.width)) {
      attend_requests_.push_back({write.flight, page, true});
      ++flight.outstanding;
    }
    if (flight.outstanding > 0) return;
  } else {
    events_.add(unit::SparfEvent::kHeadDone);
  }
  done_.push_back({.tag = task.tag, .unreadable = flight.unreadable});
  flights_.erase(write.flight);
}

void CycleSparfUnit::give_done(Fs now) {
  if (done_.empty() || !ports_.done->try_push(now, done_.front())) return;
  done_.pop_front();
  ++progress_;
}

}  // namespace neardata::system
