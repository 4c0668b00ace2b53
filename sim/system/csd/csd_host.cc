// SPDX-License-Identifier: Apache-2.0
#include "system/csd/csd_host.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace neardata::system {

using core::Expected;
using core::Fs;
using unit::Half;
using unit::SparfOperation;

namespace {

std::size_t bytes_of(std::size_t values) { return values * sizeof(Half); }

}  // namespace

CsdHost::CsdHost(core::Placement place, DeviceLink link, KvCache& cache,
                 const std::vector<CsdJob>& jobs, std::uint32_t in_flight)
    : Part(std::move(place)),
      link_(std::move(link)),
      cache_(cache),
      jobs_(jobs),
      in_flight_(in_flight),
      results_(jobs.size()),
      unfinished_(jobs.size()) {}

void CsdHost::declare(core::PortList& ports) {
  ports.out("descriptors", descriptors_);
  ports.in("done", done_);
  ports.out("dram", dram_);
  ports.in("read", read_);
  link_.declare(ports);
}

Expected<Fs> CsdHost::step(Fs now) {
  if (auto stepped = link_.step(now); !stepped) return std::unexpected(std::move(stepped).error());
  while (const unit::SparfDone* done = done_->front(now)) {
    if (auto taken = take_done(*done, now); !taken) {
      return std::unexpected(std::move(taken).error());
    }
    done_->pop(now);
  }
  take_read(now);
  answer(now);
  receive();
  send(now);
  auto& arrived = link_.arrived();
  for (; !arrived.empty(); arrived.pop_front()) {
    auto rung = ring(now);
    if (!rung) return std::unexpected(std::move(rung).error());
    if (!*rung) break;  // woken when the queue has room
  }
  return std::min({done_->front_time(), read_->front_time(), link_.next_word()});
}

/// Only traffic to the device can cross to the partition of the shared link.
Fs CsdHost::earliest_message(Fs due) const {
  if (sent_ < jobs_.size() && may_send(jobs_[sent_])) return due;
  return link_.earliest_down(due);
}

std::optional<std::string> CsdHost::waits_for() const {
  const std::size_t unfinished = jobs_.size() - finished_ + fetched_.size();
  if (unfinished == 0) return std::nullopt;
  return std::to_string(unfinished) + " jobs";
}

Expected<void> CsdHost::take_done(const unit::SparfDone& done, Fs now) {
  const auto found = job_of(done.tag);
  if (!found)
    return core::broken_rule(std::string(name()),
                             "the engine was done with a job that it did not have", now);
  const std::size_t job = *found;
  unfinished_[job] = false;
  CsdJobResult& result = results_[job];
  result.finished = true;
  result.unreadable = done.unreadable;
  result.refused = done.refused;
  result.non_finite = done.non_finite;
  result.field = done.field;
  result.done = now;
  last_done_ = now;
  ++finished_;
  fetched_.push_back(job);
  if (jobs_[job].operation == SparfOperation::kAppend) {
    cache_.end_append(jobs_[job].head, done.refused);
    answers_.push_back({});
    return {};
  }
  return fetch(static_cast<std::uint32_t>(job), now);
}

void CsdHost::end_open_work() {
  for (std::size_t job = 0; job < rung_; ++job) {
    if (!unfinished_[job] || jobs_[job].operation != SparfOperation::kAppend) continue;
    cache_.undo_append(jobs_[job].head);
  }
  for (const std::size_t job : fetched_) {
    if (jobs_[job].operation != SparfOperation::kAppend) results_[job].finished = false;
  }
}

/// Requests the outputs from DRAM.
Expected<void> CsdHost::fetch(std::uint32_t job, Fs now) {
  const std::uint32_t width = cache_.config().width;
  const std::uint32_t lines = unit::row_lines(width);
  CsdJobResult& result = results_[job];
  result.outputs.resize(std::size_t{jobs_[job].group} * width);
  for (std::uint32_t g = 0; g < jobs_[job].group; ++g) {
    cache_.get_row(task_of(job).out_line + g * lines,
                   std::span(result.outputs).subspan(std::size_t{g} * width, width));
  }
  const std::size_t bytes = bytes_of(result.outputs.size());
  answers_.push_back({.bytes = bytes, .ready = false});
  if (dram_->try_push(
          now, {.bytes = static_cast<std::uint32_t>(bytes), .answer = DramAnswer::kLastLine})) {
    return {};
  }
  return core::broken_rule(std::string(name()), "the DRAM takes no more", now);
}

/// The DRAM reads in order.
void CsdHost::take_read(Fs now) {
  for (; read_->front(now) != nullptr; read_->pop(now)) {
    const auto oldest = std::ranges::find(answers_, false, &Answer::ready);
    oldest->ready = true;
  }
}

/// Sends outputs that are ready to the host, in the order of the jobs.
void CsdHost::answer(Fs now) {
  for (; !answers_.empty() && answers_.front().ready; answers_.pop_front()) {
    link_.answer(answers_.front().bytes, now);
  }
}

/// Records the jobs whose end has reached the host.
void CsdHost::receive() {
  for (auto& ends = link_.known_ends(); !ends.empty(); ends.pop_front()) {
    const std::size_t job = fetched_.front();
    results_[job].received = ends.front();
    Users& users = users_[jobs_[job].head];
    --(jobs_[job].operation == SparfOperation::kAppend ? users.appends : users.readers);
    fetched_.pop_front();
    ++known_;
  }
}

bool CsdHost::may_send(const CsdJob& job) const {
  if (sent_ - known_ >= in_flight_ || !link_.ready()) return false;
  const auto users = users_.find(job.head);
  if (users == users_.end()) return true;
  const bool append = job.operation == SparfOperation::kAppend;
  return users->second.appends == 0 && (!append || users->second.readers == 0);
}

void CsdHost::send(Fs now) {
  for (; sent_ < jobs_.size() && may_send(jobs_[sent_]); ++sent_) {
    const CsdJob& job = jobs_[sent_];
    Users& users = users_[job.head];
    ++(job.operation == SparfOperation::kAppend ? users.appends : users.readers);
    results_[sent_].sent = now;
    link_.submit(bytes_of(job.rows.size()), now);
  }
}

/// The oldest job that has arrived gets its descriptor; false when the queue is full.
Expected<bool> CsdHost::ring(Fs now) {
  if (descriptors_->full(now)) return false;
  const auto number = static_cast<std::uint32_t>(rung_);
  const CsdJob& job = jobs_[number];
  const std::uint32_t width = cache_.config().width;
  for (std::size_t row = 0; row * width < job.rows.size(); ++row) {
    cache_.put_row(
        KvCache::job_line(number) + static_cast<std::uint32_t>(row) * unit::row_lines(width),
        std::span(job.rows).subspan(row * width, width));
  }
  const auto bytes = static_cast<std::uint32_t>(bytes_of(job.rows.size()));
  if (!dram_->try_push(now, {.bytes = bytes, .write = true}))
    return core::broken_rule(std::string(name()), "the DRAM takes no more", now);
  const unit::SparfTask task = task_of(number);
  if (job.operation == SparfOperation::kAppend) cache_.begin_append(job.head);
  results_[number].dim_flash = task.dim_flash;
  results_[number].token_flash = task.token_flash;
  results_[number].taken = now;
  static_cast<void>(descriptors_->try_push(now, task.encode()));
  unfinished_[number] = true;
  ++rung_;
  return true;
}

unit::SparfTask CsdHost::task_of(std::uint32_t number) const {
  const CsdJob& job = jobs_[number];
  unit::SparfTask task = cache_.describe(job.head);
  task.operation = job.operation;
  task.group = job.group;
  // Sums of values are updated even if the next job does not use their mean.
  task.mean = job.mean || job.operation == unit::SparfOperation::kAppend;
  task.tag = static_cast<std::uint16_t>(number);
  // Dense attention makes no choice, but the engine ranks dimensions for every head.
  const bool chooses = job.operation == unit::SparfOperation::kSparse;
  task.k = chooses ? job.k : 1;
  task.window = chooses ? job.window : 0;
  task.r = chooses ? job.r : 1;
  task.head = number;
  task.q_line = KvCache::job_line(number);
  task.out_line = task.q_line + KvCache::kJobLines / 2;
  return task;
}

std::optional<std::size_t> CsdHost::job_of(std::uint16_t tag) const {
  // Tags are the lower bits of job numbers, and fewer jobs are in flight than there are tags.
  constexpr std::size_t kTags = 0x10000;
  if (rung_ == 0) return std::nullopt;
  std::size_t job = ((rung_ - 1) & ~(kTags - 1)) | tag;
  if (job >= rung_) {
    if (job < kTags) return std::nullopt;
    job -= kTags;
  }
  if (!unfinished_[job]) return std::nullopt;
  return job;
}

void CsdHost::dim_chosen(std::uint16_t tag, std::uint32_t dim) {
  const auto job = job_of(tag);
  if (job && jobs_[*job].operation == SparfOperation::kSparse) results_[*job].dims.push_back(dim);
}

void CsdHost::token_chosen(std::uint16_t tag, std::uint32_t token) {
  const auto job = job_of(tag);
  if (job && jobs_[*job].operation == SparfOperation::kSparse) {
    results_[*job].tokens.push_back(token);
  }
}

void CsdHost::alpha(std::uint16_t tag, std::uint32_t query, float value) {
  const auto job = job_of(tag);
  if (!job || jobs_[*job].operation != SparfOperation::kSparse) return;
  std::vector<float>& alphas = results_[*job].alpha;
  if (alphas.size() <= query) alphas.resize(query + std::size_t{1});
  // Without the mean the engine's blending factor is 1 and does not depend on the share.
  alphas[query] = jobs_[*job].mean ? value : 1.0F;
}

}  // namespace neardata::system
