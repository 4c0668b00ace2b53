// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/front/sparf_front.h"

#include <cstring>
#include <utility>

namespace neardata::unit {

SparfFront::SparfFront(const SparfParameters& parameters, SparfObserver& observer)
    : parameters_(parameters),
      observer_(observer),
      row_lines_(row_lines(parameters.width)),
      kernel_(parameters),
      loader_(parameters),
      flights_(parameters.slots),
      rings_{SparfRing(parameters.ring_lines, parameters.tags),
             SparfRing(parameters.ring_lines, parameters.tags)},
      selections_(parameters.selection_tokens() / kSelectionTokens),
      dims_(parameters.width),
      keys_(parameters.width, PageKind::kTokenKeys, selections_.of(SparfSelections::kKeys)),
      values_(parameters.width, PageKind::kTokenValues, selections_.of(SparfSelections::kValues)) {
  for (auto& pages : pages_) pages.resize(parameters.tags);
}

void SparfFront::load_head(SparfTime now) {
  const SparfContext& head = loader_.context();
  const SparfTask& task = head.task;
  kernel_.head(now, {.slot = loader_.slot(),
                     .dense = head.dense,
                     .mean = task.mean,
                     .group = task.group,
                     .tokens = task.tokens,
                     .dims = task.r,
                     .take = head.take,
                     .window = std::min(task.window, task.tokens)});
  loader_.head_taken(now);
  Flight& flight = flights_[loader_.slot()];
  flight.head.emplace(task, parameters_.width);
  flight.rows.clear();
  flight.sums.clear();
  flight.output.clear();
  flight.unreadable = false;
}

void SparfFront::line(SparfTime now, const DramLine& line) {
  Flight& flight = flights_[loader_.slot()];
  const std::size_t missing = loader_.context().task.group * parameters_.width - flight.rows.size();
  if (missing > 0) {
    const std::size_t count = std::min<std::size_t>(parameters_.width, kValuesPerLine);
    const std::size_t at = flight.rows.size();
    flight.rows.resize(at + count);
    std::memcpy(flight.rows.data() + at, line.data(), count * sizeof(Half));
    if (missing == count) flight.head->load_queries(flight.rows);
  } else {
    const std::size_t at = flight.sums.size();
    flight.sums.resize(at + line.size() / sizeof(std::int64_t));
    std::memcpy(flight.sums.data() + at, line.data(), line.size());
  }
  loader_.line_taken(now);
  if (loader_.lines_left() == 0) {
    flight.head->load_sums(std::move(flight.sums));
  }
  kernel_.line(now, flight.head->dim_digits());
}

/// A head is prepared in the kernel, which determines its first fetches.
void SparfFront::choose_dims(SparfTime now) {
  const std::uint32_t slot = kernel_.dims_slot();
  SparfContext& context = loader_.context(slot);
  SparfHead& head = *flights_[slot].head;
  if (context.dense) {
    head.choose_tokens();
  } else {
    for (const std::uint32_t dim : head.choose_dims()) {
      observer_.dim_chosen(context.task.tag, dim);
      const std::uint32_t group = dim >> context.log_dims;
      if (context.groups.empty() || context.groups.back().group != group) {
        context.groups.push_back({.group = group});
      }
      context.groups.back().mask |= 1U << (dim - (group << context.log_dims));
    }
  }
  fresh_.push_back({slot, now + 1});
  kernel_.dims(now);
}

void SparfFront::selection(SparfTime now) {
  const KernelSelection offered = kernel_.selection_offered();
  const std::uint32_t mask = flights_[offered.slot].head->chosen_mask(offered.beat);
  if (mask != 0) {
    selections_.keep(now, offered.beat, mask);
    if (std::exchange(keys_wait_, false)) keys_walked(keys_.resume());
    if (std::exchange(values_wait_, false)) values_walked(values_.resume());
  }
  kernel_.selection(now);
}

void SparfFront::page_came(std::size_t ring, std::uint32_t number, const SparfPage& page,
                           SparfTime turn) {
  const SparfItem& item = pages_[ring][number];
  Flight& flight = flights_[item.job.slot];
  if (page.error) {
    flight.unreadable = true;
  } else {
    flight.head->keep({item.kind, item.index}, reinterpret_cast<const Half*>(page.data));
  }
  rings_[ring].arrive(number, turn);
}

void SparfFront::row_line(const SparfDramReader::LineRange& run, std::uint32_t place,
                          const DramLine& line) {
  const std::size_t count = std::min<std::size_t>(parameters_.width, kValuesPerLine);
  const std::size_t at = row_.size();
  row_.resize(at + count);
  std::memcpy(row_.data() + at, line.data(), count * sizeof(Half));
  if (row_.size() < parameters_.width) return;
  const std::uint32_t token = run.item.index + place / row_lines_;
  SparfHead& head = *flights_[run.item.job.slot].head;
  if (run.item.job.second) {
    head.keep_attend_row(run.item.kind, token, row_);
  } else {
    head.keep_rank_row(token, row_);
  }
  row_.clear();
}

/// A job is transferred to the kernel when both are ready; the last job of step 1 determines the
/// choice.
void SparfFront::key_job(SparfTime now) {
  SparfRing& ring = rings_[kKeys];
  const SparfJob job = ring.job();
  KernelKeyJob offered{.slot = job.slot,
                       .column = job.column,
                       .second = job.second,
                       .last = job.last,
                       .count = job.count,
                       .chosen = {},
                       .digits = 0};
  if (job.last && !job.second) {
    SparfHead& head = *flights_[job.slot].head;
    const std::uint16_t tag = loader_.context(job.slot).task.tag;
    offered.chosen = head.choose_tokens();
    offered.digits = head.token_digits();
    for (const std::uint32_t token : offered.chosen) observer_.token_chosen(tag, token);
    for (std::uint32_t g = 0; g < head.mass().size(); ++g) {
      observer_.alpha(tag, g, head.mass()[g].chosen);
    }
  }
  ring.job_taken(now);
  kernel_.key_job(now, offered);
}

void SparfFront::value_job(SparfTime now) {
  SparfRing& ring = rings_[kValues];
  const SparfJob job = ring.job();
  ring.job_taken(now);
  kernel_.value_job(now, {.slot = job.slot, .last = job.last, .count = job.count});
}

SparfTime SparfFront::outputs_from() const {
  if (write_since_ != kSparfNever || done_since_ != kSparfNever) return kSparfNever;
  return std::max(write_idle_since_, done_idle_since_);
}

void SparfFront::output_line(SparfTime now) {
  const KernelLine offered = kernel_.line_offered();
  Flight& flight = flights_[offered.slot];
  if (flight.output.empty()) flight.output = flight.head->output();
  const std::size_t from =
      std::size_t{offered.query} * parameters_.width + std::size_t{offered.line} * kValuesPerLine;
  const std::size_t count = std::min<std::size_t>(parameters_.width, kValuesPerLine);
  write_ = {.line = loader_.context(offered.slot).task.out_line + offered.line +
                    offered.query * row_lines_};
  std::memcpy(write_.data.data(), flight.output.data() + from, count * sizeof(Half));
  write_since_ = now + 1;
  write_last_ = offered.last;
  write_slot_ = offered.slot;
  kernel_.line_taken(now);
}

void SparfFront::written(SparfTime now) {
  write_since_ = kSparfNever;
  write_idle_since_ = now + 1;
  if (!write_last_) return;
  done_since_ = now + 1;
  const Flight& flight = flights_[write_slot_];
  done_ = {.tag = loader_.context(write_slot_).task.tag,
           .unreadable = flight.unreadable,
           .non_finite = flight.head->non_finite() && !flight.unreadable};
  loader_.free(write_slot_, now);
}

void SparfFront::done_taken(SparfTime now) {
  done_since_ = kSparfNever;
  done_idle_since_ = now + 1;
}

/// Frees lines that the kernel has released.
void SparfFront::free_lines() {
  for (std::size_t r = 0; r < kRings; ++r) {
    auto& done = r == kKeys ? kernel_.keys_done() : kernel_.values_done();
    for (; !done.empty(); done.pop_front()) rings_[r].job_done(done.front());
  }
}

void SparfFront::visit(SparfTime now) {
  if (loader_.fits_at() == now) loader_.fit();
  if (std::max(loader_.head_since(), kernel_.head_ready()) <= now) load_head(now);
  if (std::max(loader_.refuse_since(), outputs_from()) <= now && kernel_.line_valid() > now) {
    done_since_ = now + 1;
    done_ = {.tag = loader_.context().task.tag, .refused = true, .field = loader_.field()};
    loader_.refused(now);
  }
  if (kernel_.dims_valid() <= now) choose_dims(now);
  if (kernel_.selection_valid() <= now) selection(now);
  if (begins() <= now) begin_keys(now);
  if (std::max(rings_[kKeys].job_since(), kernel_.key_ready()) <= now) key_job(now);
  if (std::max(rings_[kValues].job_since(), kernel_.value_ready()) <= now) value_job(now);
  if (std::max(kernel_.line_valid(), outputs_from()) <= now) output_line(now);
  free_lines();
}

SparfTime SparfFront::due() const {
  const SparfTime outputs = outputs_from();
  return std::min({loader_.fits_at(), std::max(loader_.head_since(), kernel_.head_ready()),
                   std::max(loader_.refuse_since(), outputs), kernel_.dims_valid(),
                   kernel_.selection_valid(), begins(),
                   std::max(rings_[kKeys].job_since(), kernel_.key_ready()),
                   std::max(rings_[kValues].job_since(), kernel_.value_ready()),
                   std::max(kernel_.line_valid(), outputs)});
}

}  // namespace neardata::unit
