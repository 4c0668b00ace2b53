// SPDX-License-Identifier: Apache-2.0
//
// Transfers between a flash port and the controller's DRAM: entries of the translation table, rows
// of pages to program, copies of hot pages. The DRAM answers reads in the order of their requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/port.h"
#include "core/time.h"
#include "flash/types.h"
#include "system/flash/request_ids.h"
#include "system/memory/dram_bulk.h"

namespace neardata::system {

/// The table entry for a request.
struct TableEntry {
  flash::RequestId of;
};
/// Rows of a set of pages.
struct PageRows {};
/// The copy of a hot page; its first line is the answer.
struct HotPage {
  ReadId read;
  std::span<const std::byte> bytes;
};
using DramRead = std::variant<TableEntry, PageRows, HotPage>;

class DramQueue {
 public:
  /// `name` of the flash port, in messages.
  explicit DramQueue(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] core::Out<DramBulk>& output() { return output_; }

  [[nodiscard]] core::Expected<void> read(std::uint32_t bytes, const DramRead& what, core::Fs now) {
    reads_.push_back(what);
    const bool streams = std::holds_alternative<HotPage>(what);
    return push(
        {.bytes = bytes, .answer = streams ? DramAnswer::kFirstLine : DramAnswer::kLastLine}, now);
  }
  [[nodiscard]] core::Expected<void> write(std::uint32_t bytes, core::Fs now) {
    return push({.bytes = bytes, .write = true}, now);
  }
  /// The DRAM has answered: the oldest read.
  [[nodiscard]] DramRead answered() {
    const DramRead oldest = reads_.front();
    reads_.pop_front();
    return oldest;
  }

 private:
  [[nodiscard]] core::Expected<void> push(const DramBulk& transfer, core::Fs now) {
    if (output_->try_push(now, transfer)) return {};
    return core::broken_rule(name_, "the DRAM takes no more", now);
  }

  std::string name_;
  core::Out<DramBulk> output_;
  std::deque<DramRead> reads_;  ///< oldest first
};

}  // namespace neardata::system
