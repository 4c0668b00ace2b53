// SPDX-License-Identifier: Apache-2.0
//
// Gathers pages to program from rows in controller DRAM, in the order of the requests. A
// token-order page consists of consecutive rows: only its own bytes are read.
//
// An embedding-order page has m values of each of its T tokens, and a line of DRAM has 32 values of
// one token: T lines are read. With a transposition buffer these lines fill all their pages, up to
// the capacity of the buffer: one pass over the lines fills a set of neighbouring pages, and each
// page leaves the buffer on request. Without a buffer every page reads T lines separately. The
// buffer has a bank per value of a line, so it accepts a line per cycle, the lines of one set after
// the lines of the previous set (rtl/controller/transposition_buffer.sv).
//
// At most two passes run concurrently, so that other clients use the DRAM between them. Pages
// outside of the transposition buffer occupy one of two page buffers per channel from read to send.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/clock.h"
#include "flash/translation/kv_translation.h"
#include "system/flash/flash_types.h"
#include "system/flash/flash_writer.h"

namespace neardata::system {

class PageGather {
 public:
  /// `clock` of the buffer; the DRAM's bus carries a line in `line_time`.
  PageGather(const TranspositionConfig& config, std::uint32_t channels, const core::Clock& clock,
             core::Fs line_time)
      : config_(config), page_buffers_(2 * channels), clock_(clock), line_time_(line_time) {}

  using Id = FlashWriter::Id;
  using SetNumber = std::uint64_t;

  /// A page is to be programmed.
  void add(Id id, const flash::KvPage& page, const flash::KvShape& shape);
  /// The bytes of the program are in the die, or the program was dropped: frees their space.
  void sent(Id id);

  /// The next bytes to read from DRAM; call until there are none. Appends pages that are in the
  /// buffer.
  [[nodiscard]] std::optional<std::uint32_t> next_reading(std::vector<Id>& ready);

  struct Filling {
    SetNumber set = 0;
    core::Fs rest;  ///< until the buffer has the last line
  };
  /// The oldest reading has completed in DRAM by `now`.
  [[nodiscard]] Filling read(core::Fs now);
  /// The buffer has the whole set; appends its requested pages.
  void filled(SetNumber set, std::vector<Id>& ready);

 private:
  struct GatheredPage {
    Id id;
    flash::KvPage page;
    flash::KvShape shape;
  };
  /// Pages that are filled by one reading: side by side in embedding order, or one alone.
  struct Set {
    flash::KvPage first;
    std::uint32_t pages = 1;
    std::uint32_t bytes = 0;    ///< to read
    std::uint64_t room = 0;     ///< in the transposition buffer; none outside of it
    std::uint64_t unasked = 0;  ///< bit per page
    std::uint32_t unsent = 0;   ///< requested and not sent
    bool filled = false;
    std::vector<Id> waiting;
  };
  using Sets = std::map<SetNumber, Set>;

  [[nodiscard]] Set set_of(const GatheredPage& page) const;
  [[nodiscard]] Sets::iterator find(const flash::KvPage& page);
  [[nodiscard]] bool make_room(const Set& set);
  void join(Sets::iterator set, const GatheredPage& page, std::vector<Id>& ready);
  Sets::iterator drop(Sets::iterator set);

  TranspositionConfig config_;
  std::uint32_t page_buffers_;
  core::Clock clock_;
  core::Fs line_time_;
  std::deque<GatheredPage> asked_;
  std::deque<SetNumber> readings_;  ///< oldest first
  Sets sets_;
  std::unordered_map<std::uint32_t, SetNumber> set_of_page_;  ///< by id, until it is sent
  std::uint64_t used_ = 0;                                    ///< of the transposition buffer
  core::Fs filled_{};        ///< time from which it can store another set's lines
  std::uint32_t alone_ = 0;  ///< page buffers in use
  SetNumber next_ = 0;
};

}  // namespace neardata::system
