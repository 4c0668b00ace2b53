// SPDX-License-Identifier: Apache-2.0
//
// The Verilated `sparf_engine` behind the plug-in interface. Compiled with the model, once for each
// parameter set; the parameters arrive as RTL_PARAMETER_<name>.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "Vsparf_engine.h"
#include "rtl/sparf_plugin.h"
#include "rtl/verilated_bits.h"
#include "rtl/verilated_unit.h"

namespace {

using neardata::rtl::clear;
using neardata::rtl::get_field;
using neardata::rtl::low_bits;
using neardata::rtl::or_field;

constexpr unsigned kChannels = RTL_PARAMETER_Channels;
constexpr unsigned kKernels = RTL_PARAMETER_Kernels;
constexpr unsigned kWidth = RTL_PARAMETER_Width;
constexpr unsigned kWordBits = 32;
constexpr unsigned kTagBits = 16;
constexpr unsigned kBeatBits = 64;
constexpr unsigned kLineBytes = 64;
constexpr unsigned kDescriptorBytes = 64;
constexpr unsigned kKernelEvents = 9;
constexpr unsigned kEvents = 8 + 3 * kChannels + kKernelEvents * kKernels;
constexpr int kResetCycles = 4;

static_assert(kChannels <= kNeardataMaxChannels && kKernels <= kNeardataMaxKernels);
static_assert(kWidth <= kNeardataMaxDimWords * kWordBits && kEvents <= 64);

/// Fields of sparf_pkg, by their lowest bits. A packed structure's last member is lowest.
constexpr unsigned kPageTag = 0;
constexpr unsigned kPageHead = 16;
constexpr unsigned kPageKind = 48;
constexpr unsigned kPageIndex = 50;
constexpr unsigned kPageWrite = 82;

constexpr unsigned kSeenMask = 1;
constexpr unsigned kSeenBeat = 9;
constexpr unsigned kSeenSelSlot = 25;
constexpr unsigned kSeenSel = 29;
constexpr unsigned kSeenDimsSlot = 30;
constexpr unsigned kSeenDims = 34;
constexpr unsigned kSeenTag = 35;
constexpr unsigned kSeenHeadSlot = 51;
constexpr unsigned kSeenHead = 55;
constexpr unsigned kSeenAlphaValue = 56;
constexpr unsigned kSeenAlphaQuery = 88;
constexpr unsigned kSeenAlphaSlot = 92;
constexpr unsigned kSeenAlpha = 96;
constexpr unsigned kSeenBits = 97;
constexpr unsigned kSlotBits = 4;
constexpr unsigned kQueryBits = 4;
constexpr unsigned kBeatNumberBits = 16;
constexpr unsigned kMaskBits = 8;

void set(auto& port, std::uint32_t value) {
  clear(port);
  or_field(port, 0, kChannels, value);
}

std::uint64_t long_field(const auto& port, unsigned lsb, unsigned width) {
  const std::uint64_t low = get_field(port, lsb, std::min(width, kWordBits));
  if (width <= kWordBits) return low;
  return low | std::uint64_t{get_field(port, lsb + kWordBits, width - kWordBits)} << kWordBits;
}

}  // namespace

struct NeardataSparf : neardata::rtl::VerilatedUnit<Vsparf_engine> {
  void reset() {
    Vsparf_engine& m = model();
    m.rst_ni = 0;
    drive({});
    for (int i = 0; i < kResetCycles; ++i) clock();
    m.rst_ni = 1;
    // The combinational part of the outputs follows the reset input.
    m.eval();
  }

  void drive(const NeardataSparfInputs& in) {
    Vsparf_engine& m = model();
    m.desc_valid_i = in.desc != nullptr ? 1 : 0;
    if (in.desc != nullptr) std::memcpy(m.desc_i.data(), in.desc, kDescriptorBytes);
    m.done_ready_i = in.done_ready ? 1 : 0;
    m.page_req_ready_i = in.page_req_ready ? 1 : 0;
    const std::uint32_t valid = in.ch_valid & low_bits(kChannels);
    set(m.ch_valid_i, valid);
    set(m.ch_first_i, in.ch_first & valid);
    set(m.ch_error_i, in.ch_error & valid);
    if (valid != 0) {
      clear(m.ch_tag_i);
      clear(m.ch_data_i);
      for (std::uint32_t rest = valid; rest != 0; rest &= rest - 1) {
        const auto c = static_cast<unsigned>(std::countr_zero(rest));
        or_field(m.ch_tag_i, c * kTagBits, kTagBits, in.ch_tag[c]);
        or_field(m.ch_data_i, c * kBeatBits, kWordBits, static_cast<std::uint32_t>(in.ch_data[c]));
        or_field(m.ch_data_i, c * kBeatBits + kWordBits, kWordBits,
                 static_cast<std::uint32_t>(in.ch_data[c] >> kWordBits));
      }
    }
    m.dr_req_ready_i = in.dr_req_ready ? 1 : 0;
    m.dr_rsp_valid_i = in.dr_rsp != nullptr ? 1 : 0;
    if (in.dr_rsp != nullptr) std::memcpy(m.dr_rsp_data_i.data(), in.dr_rsp, kLineBytes);
    m.dw_ready_i = in.dw_ready ? 1 : 0;
  }

  void sample(NeardataSparfOutputs& out) const {
    const Vsparf_engine& m = model();
    out.desc_ready = m.desc_ready_o != 0;
    out.done_valid = m.done_valid_o != 0;
    out.done = m.done_o;
    out.page_req_valid = m.page_req_valid_o != 0;
    if (out.page_req_valid) {
      out.page_tag = get_field(m.page_req_o, kPageTag, kTagBits);
      out.page_head = get_field(m.page_req_o, kPageHead, kWordBits);
      out.page_kind = get_field(m.page_req_o, kPageKind, 2);
      out.page_index = get_field(m.page_req_o, kPageIndex, kWordBits);
      out.page_write = get_field(m.page_req_o, kPageWrite, 1) != 0;
    }
    out.ch_ready = get_field(m.ch_ready_o, 0, kChannels);
    out.dr_req_valid = m.dr_req_valid_o != 0;
    out.dr_req_addr = m.dr_req_addr_o;
    out.dw_valid = m.dw_valid_o != 0;
    if (out.dw_valid) {
      out.dw_addr = m.dw_addr_o;
      out.dw_strb = m.dw_strb_o;
      std::memcpy(out.dw_data, m.dw_data_o.data(), kLineBytes);
    }
    out.quiet = m.quiet_o != 0;
    out.events = long_field(m.events_o, 0, kEvents);
    for (unsigned k = 0; k < kKernels; ++k) sample_seen(k, out.seen[k]);
  }

  void sample_seen(unsigned kernel, NeardataSparfSeen& seen) const {
    const Vsparf_engine& m = model();
    const auto field = [&](unsigned lsb, unsigned width) {
      return get_field(m.seen_o, kernel * kSeenBits + lsb, width);
    };
    seen.head = field(kSeenHead, 1) != 0;
    seen.dims = field(kSeenDims, 1) != 0;
    seen.sel = field(kSeenSel, 1) != 0;
    if (seen.head) {
      seen.head_slot = field(kSeenHeadSlot, kSlotBits);
      seen.head_tag = field(kSeenTag, kTagBits);
    }
    if (seen.dims) {
      seen.dims_slot = field(kSeenDimsSlot, kSlotBits);
      for (unsigned bit = 0; bit < kWidth; bit += kWordBits) {
        seen.dims_mask[bit / kWordBits] =
            get_field(m.seen_dims_o, kernel * kWidth + bit, std::min(kWordBits, kWidth - bit));
      }
    }
    if (seen.sel) {
      seen.sel_slot = field(kSeenSelSlot, kSlotBits);
      seen.sel_beat = field(kSeenBeat, kBeatNumberBits);
      seen.sel_mask = field(kSeenMask, kMaskBits);
    }
    seen.alpha = field(kSeenAlpha, 1) != 0;
    if (seen.alpha) {
      seen.alpha_slot = field(kSeenAlphaSlot, kSlotBits);
      seen.alpha_query = field(kSeenAlphaQuery, kQueryBits);
      seen.alpha_value = std::bit_cast<float>(field(kSeenAlphaValue, kWordBits));
    }
  }
};

namespace {

NeardataSparf* create(NeardataSparfOutputs* outputs) {
  auto engine = std::make_unique<NeardataSparf>();
  engine->reset();
  engine->sample(*outputs);
  return engine.release();  // owned by whoever called; comes back in destroy
}

void destroy(NeardataSparf* engine) { std::unique_ptr<NeardataSparf>{engine}.reset(); }

bool step(NeardataSparf* engine, const NeardataSparfInputs* inputs, NeardataSparfOutputs* outputs) {
  engine->context().enter();
  engine->drive(*inputs);
  engine->clock();
  if (engine->context().gotError()) {
    engine->flush_trace();
    return false;
  }
  engine->sample(*outputs);
  return true;
}

void error(const NeardataSparf* engine, NeardataSparfError* error) {
  error->place = engine->context().place().c_str();
  error->message = engine->context().message().c_str();
}

bool trace_open(NeardataSparf* engine, const char* path, std::uint64_t time) {
  return engine->open_trace(path, time);
}

void trace_close(NeardataSparf* engine) { engine->close_trace(); }

constexpr NeardataSparfPlugin kPlugin{
    .abi = kNeardataSparfAbi,
    .channels = kChannels,
    .kernels = kKernels,
    .slots = RTL_PARAMETER_Slots,
    .width = kWidth,
    .max_keys = RTL_PARAMETER_MaxKeys,
    .create = create,
    .destroy = destroy,
    .step = step,
    .error = error,
    .trace_open = trace_open,
    .trace_close = trace_close,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const NeardataSparfPlugin*
neardata_sparf_plugin() {
  return &kPlugin;
}
