// SPDX-License-Identifier: Apache-2.0
//
// Records the streams of `sparf_engine` at its ports (port_record.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "Vsparf_engine.h"
#include "rtl/shim/verilated_bits.h"
#include "testbench/port_record.h"

namespace neardata::bench {

class SparfRecord {
 public:
  /// The handshakes of a cycle, after the model has settled with its inputs.
  void see(const Vsparf_engine& top, std::uint64_t cycle) {
    cycle_ = cycle;
    if (top.desc_valid_i != 0 && top.desc_ready_o != 0) keep(desc_, {{top.desc_i, 0, kLine}});
    if (top.done_valid_o != 0 && top.done_ready_i != 0) {
      const auto& done = top.done_o;
      keep(done_, {{done, 27, 5},
                   {done, 26, 1},
                   {done, 25, 1},
                   {done, 24, 1},
                   {done, 21, 3},
                   {done, 16, 5},
                   {done, 0, kTag}});
    }
    if (top.page_req_valid_o != 0 && top.page_req_ready_i != 0) {
      const auto& page = top.page_req_o;
      keep(page_req_,
           {{page, 82, 1}, {page, 50, kWord}, {page, 48, 2}, {page, 16, kWord}, {page, 0, kTag}});
    }
    if (top.dr_req_valid_o != 0 && top.dr_req_ready_i != 0) {
      keep(dr_req_, {{top.dr_req_addr_o, 0, kWord}});
    }
    if (top.dr_rsp_valid_i != 0 && top.dr_rsp_ready_o != 0) {
      keep(dr_rsp_, {{top.dr_rsp_data_i, 0, kLine}});
    }
    if (top.dw_valid_o != 0 && top.dw_ready_i != 0) {
      keep(dw_,
           {{top.dw_addr_o, 0, kWord}, {top.dw_data_o, 0, kLine}, {top.dw_strb_o, 0, kStrobes}});
    }
    for (unsigned c = 0; c < kChannels; ++c) {
      if ((top.ch_valid_i & top.ch_ready_o) >> c & 1U) {
        keep(ch_ + c, {{top.ch_first_i, c, 1},
                       {top.ch_error_i, c, 1},
                       {top.ch_tag_i, c * kTag, kTag},
                       {top.ch_data_i, c * kBeat, kBeat}});
      }
    }
    for (unsigned k = 0; k < kKernels; ++k) see_kernel(top, k);
  }

  /// @throws std::runtime_error when the file cannot be written
  void write(const std::string& path, std::uint64_t cycles) const { record_.write(path, cycles); }

 private:
  static constexpr unsigned kChannels = RTL_PARAMETER_Channels;
  static constexpr unsigned kKernels = RTL_PARAMETER_Kernels;
  static constexpr unsigned kWidth = RTL_PARAMETER_Width;
  // Bits of fields.
  static constexpr unsigned kWord = 32;
  static constexpr unsigned kLine = 512;
  static constexpr unsigned kStrobes = kLine / 8;
  static constexpr unsigned kTag = 16;
  static constexpr unsigned kBeat = 64;
  static constexpr unsigned kSlot = 4;
  static constexpr unsigned kGroup = 4;
  static constexpr unsigned kCount = 16;
  static constexpr unsigned kTokens = 8;
  static constexpr unsigned kFloat = 32;

  /// Bits of a port as whole words.
  struct Field {
    template <typename Port>
    Field(const Port& port, unsigned lsb, unsigned bits) {
      for (unsigned at = 0; at < bits; at += kWord) {
        words[count++] = rtl::get_field(port, lsb + at, std::min(bits - at, kWord));
      }
    }
    std::array<std::uint32_t, kLine / kWord> words{};
    unsigned count = 0;
  };

  static constexpr std::uint32_t words_of(std::initializer_list<unsigned> fields) {
    std::uint32_t words = 0;
    for (const unsigned bits : fields) words += (bits + kWord - 1) / kWord;
    return words;
  }

  void see_kernel(const Vsparf_engine& top, unsigned k) {
    const auto of = [k](const auto& port, unsigned bits) { return Field(port, k * bits, bits); };
    const auto set = [k](const auto& port) { return (port >> k & 1U) != 0; };
    if (set(top.seen_head_valid_o)) {
      keep(head_ + k, {of(top.seen_head_slot_o, kSlot), of(top.seen_head_tag_o, kTag)});
    }
    if (set(top.seen_dims_valid_o)) {
      keep(dims_ + k, {of(top.seen_dims_slot_o, kSlot), of(top.seen_dims_mask_o, kWidth)});
    }
    if (set(top.seen_sel_valid_o)) {
      keep(sel_ + k, {of(top.seen_sel_slot_o, kSlot), of(top.seen_sel_beat_o, kCount),
                      of(top.seen_sel_mask_o, kTokens), of(top.seen_sel_last_o, 1)});
    }
    if (set(top.seen_alpha_valid_o)) {
      keep(alpha_ + k, {of(top.seen_alpha_slot_o, kSlot), of(top.seen_alpha_query_o, kGroup),
                        of(top.seen_alpha_value_o, kFloat)});
    }
  }

  void keep(std::size_t lane, std::initializer_list<Field> fields) {
    message_.clear();
    for (const Field& field : fields) {
      message_.insert(message_.end(), field.words.begin(), field.words.begin() + field.count);
    }
    record_.lane(lane).add(cycle_, {message_});
  }

  PortRecord record_;
  std::vector<std::uint32_t> message_;
  std::uint64_t cycle_ = 0;
  std::size_t desc_ = record_.add("desc", true, words_of({kLine}));
  std::size_t done_ = record_.add("done", false, words_of({5, 1, 1, 1, 3, 5, kTag}));
  std::size_t page_req_ = record_.add("page_req", false, words_of({1, kWord, 2, kWord, kTag}));
  std::size_t ch_ = record_.add("ch", true, words_of({1, 1, kTag, kBeat}), kChannels);
  std::size_t dr_req_ = record_.add("dr_req", false, words_of({kWord}));
  std::size_t dr_rsp_ = record_.add("dr_rsp", true, words_of({kLine}));
  std::size_t dw_ = record_.add("dw", false, words_of({kWord, kLine, kStrobes}));
  std::size_t head_ = record_.add("seen_head", false, words_of({kSlot, kTag}), kKernels);
  std::size_t dims_ = record_.add("seen_dims", false, words_of({kSlot, kWidth}), kKernels);
  std::size_t sel_ =
      record_.add("seen_sel", false, words_of({kSlot, kCount, kTokens, 1}), kKernels);
  std::size_t alpha_ =
      record_.add("seen_alpha", false, words_of({kSlot, kGroup, kFloat}), kKernels);
};

}  // namespace neardata::bench
