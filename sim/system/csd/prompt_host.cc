// SPDX-License-Identifier: Apache-2.0
#include "system/csd/prompt_host.h"

#include <algorithm>

namespace neardata::system {

using core::Expected;
using core::Fs;

PromptHost::PromptHost(core::Placement place, DeviceLink link, KvCache& cache,
                       const std::vector<Prompt>& prompts)
    : Part(std::move(place)),
      link_(std::move(link)),
      cache_(cache),
      prompts_(prompts),
      results_(prompts.size()),
      unwritten_(prompts.size()) {}

void PromptHost::declare(core::PortList& ports) {
  ports.out("pages", pages_);
  ports.in("programs", programs_);
  ports.out("dram", dram_);
  link_.declare(ports);
}

Expected<Fs> PromptHost::step(Fs now) {
  while (const ProgramEnd* program = programs_->front(now)) {
    if (auto ended = end(*program, now); !ended) return std::unexpected(std::move(ended).error());
    programs_->pop(now);
  }
  if (auto stepped = link_.step(now); !stepped) return std::unexpected(std::move(stepped).error());
  for (auto& ends = link_.known_ends(); !ends.empty(); ends.pop_front()) {
    results_[written_.front()].received = ends.front();
    written_.pop_front();
  }
  send(now);
  while (!link_.arrived().empty()) {
    if (auto done = arrive(now); !done) return std::unexpected(std::move(done).error());
  }
  ask(now);  // woken when the flash has room for more
  Fs next = std::min(programs_->front_time(), link_.next_word());
  // If the submission queue is full, a packet over the link wakes it.
  if (sent_ < prompts_.size() && link_.ready()) next = std::min(next, prompts_[sent_].ready);
  return next;
}

/// Only traffic to the device can cross to the partition of the shared link.
Fs PromptHost::earliest_message(Fs due) const {
  const Fs next = link_.earliest_down(due);
  if (sent_ == prompts_.size() || !link_.ready()) return next;
  return std::min(next, std::max(due, prompts_[sent_].ready));
}

std::optional<std::string> PromptHost::waits_for() const {
  if (finished_ == prompts_.size()) return std::nullopt;
  return std::to_string(prompts_.size() - finished_) + " prompts to be written";
}

void PromptHost::end_open_work() {
  for (std::size_t prompt = 0; prompt < arrived_; ++prompt) {
    if (!results_[prompt].finished) cache_.clear(prompts_[prompt].head);
  }
}

/// Sends as many prompts as the submission queue accepts.
void PromptHost::send(Fs now) {
  while (sent_ < prompts_.size() && prompts_[sent_].ready <= now && link_.ready()) {
    const Prompt& prompt = prompts_[sent_];
    const std::size_t bytes = (prompt.keys.size() + prompt.values.size()) * sizeof(unit::Half);
    results_[sent_].sent = now;
    link_.submit(bytes, now);
    ++sent_;
    ++progress_;
  }
}

Expected<void> PromptHost::arrive(Fs now) {
  const auto number = static_cast<std::uint32_t>(arrived_++);
  results_[number].sent = link_.arrived().front().begun;
  link_.arrived().pop_front();
  const Prompt& prompt = prompts_[number];
  results_[number].taken = now;
  const std::size_t bytes = (prompt.keys.size() + prompt.values.size()) * sizeof(unit::Half);
  if (!dram_->try_push(now, {.bytes = static_cast<std::uint32_t>(bytes), .write = true})) {
    return core::broken_rule(std::string(name()), "the DRAM takes no more", now);
  }
  const std::vector<flash::KvPage> pages = cache_.receive(prompt.head, prompt.keys, prompt.values);
  unwritten_[number].programs = pages.size();
  for (const flash::KvPage& page : pages) {
    ++results_[number].pages[static_cast<std::size_t>(page.kind)];
    requests_.push_back({number, page});
  }
  if (pages.empty()) {
    finish(number, now);
  } else {
    prompt_of_[{pages.front().sequence, pages.front().head}] = number;
  }
  return {};
}

/// Requests programs in order, as many as the flash accepts in a cycle.
void PromptHost::ask(Fs now) {
  for (; !requests_.empty() && !pages_->full(now); requests_.pop_front()) {
    const Request& next = requests_.front();
    static_cast<void>(pages_->try_push(
        now,
        {.head = next.prompt, .kind = next.page.kind, .index = next.page.index, .write = true}));
  }
}

Expected<void> PromptHost::end(const ProgramEnd& program, Fs now) {
  const flash::KvPage page = flash::page_of(program.owner);
  const auto found = prompt_of_.find({page.sequence, page.head});
  if (found == prompt_of_.end())
    return core::broken_rule(std::string(name()), "a page of no prompt was written", now);
  const std::size_t number = found->second;
  Unwritten& unwritten = unwritten_[number];
  unwritten.all = unwritten.all && !program.failed;
  ++progress_;
  if (--unwritten.programs > 0) return {};
  cache_.received(prompts_[number].head, unwritten.all);
  finish(number, now);
  return {};
}

void PromptHost::finish(std::size_t prompt, Fs now) {
  const unit::SparfTask task = cache_.describe(prompts_[prompt].head);
  CsdJobResult& result = results_[prompt];
  result.finished = true;
  result.dim_flash = task.dim_flash;
  result.token_flash = task.token_flash;
  result.done = now;
  link_.answer(0, now);
  written_.push_back(prompt);
  ++finished_;
}

}  // namespace neardata::system
