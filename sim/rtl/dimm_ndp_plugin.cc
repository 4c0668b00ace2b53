// SPDX-License-Identifier: Apache-2.0
//
// The Verilated `dimm_ndp` behind the plug-in interface. Compiled with the model, once for each
// parameter set; the parameters arrive as RTL_PARAMETER_<name>.
#include <verilated_fst_c.h>

#include <bit>
#include <cstring>
#include <memory>

#include "Vdimm_ndp.h"
#include "rtl/ndp_plugin.h"
#include "rtl/verilated_bits.h"
#include "rtl/verilated_context.h"

namespace {

using neardata::rtl::clear;
using neardata::rtl::get_field;
using neardata::rtl::low_bits;
using neardata::rtl::or_field;

constexpr unsigned kStreams = RTL_PARAMETER_Streams;
constexpr unsigned kTagBits = std::bit_width(unsigned{RTL_PARAMETER_QueueBursts} - 1);
constexpr unsigned kBurstBytes = 64;
constexpr unsigned kBurstWords = kBurstBytes / sizeof(EData);
constexpr unsigned kAddressBits = 32;
constexpr unsigned kEventBits = 16;
constexpr unsigned kDescriptorBytes = 80;
constexpr int kResetCycles = 4;

static_assert(kStreams <= kNeardataMaxStreams);

}  // namespace

struct NeardataNdp {
  NeardataNdp() {
    context.enter();
    model = std::make_unique<Vdimm_ndp>(&context, neardata::rtl::kModelName.data());
  }

  ~NeardataNdp() {
    if (trace) trace->close();
    context.enter();
    model->final();
  }

  void reset() {
    model->rst_ni = 0;
    model->desc_valid_i = 0;
    model->done_ready_i = 0;
    model->out_ready_i = 0;
    model->req_ready_i = 0;
    model->rsp_valid_i = 0;
    clear(model->rsp_tag_i);
    clear(model->rsp_data_i);
    clear(model->desc_i);
    for (int i = 0; i < kResetCycles; ++i) clock();
    model->rst_ni = 1;
    // The combinational part of the outputs follows the reset input.
    model->eval();
  }

  void clock() {
    model->clk_i = 0;
    model->eval();
    if (trace) trace->dump(2 * time);
    model->clk_i = 1;
    model->eval();
    if (trace) trace->dump(2 * time + 1);
    ++time;
    context.time(time);
  }

  void drive(const NeardataNdpInputs& in) {
    model->desc_valid_i = in.desc != nullptr ? 1 : 0;
    if (in.desc != nullptr) {
      std::memcpy(model->desc_i.data(), in.desc, kDescriptorBytes);
    }
    model->done_ready_i = in.done_ready ? 1 : 0;
    model->out_ready_i = in.out_ready ? 1 : 0;
    model->req_ready_i = in.req_ready & low_bits(kStreams);
    const std::uint32_t valid = in.rsp_valid & low_bits(kStreams);
    model->rsp_valid_i = valid;
    if (valid == 0) return;
    clear(model->rsp_tag_i);
    for (std::uint32_t rest = valid; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(rest));
      or_field(model->rsp_tag_i, s * kTagBits, kTagBits, in.rsp_tag[s]);
      std::memcpy(model->rsp_data_i.data() + s * kBurstWords, in.rsp_data[s], kBurstBytes);
    }
  }

  void sample(NeardataNdpOutputs& out) const {
    out.desc_ready = model->desc_ready_o != 0;
    out.done_valid = model->done_valid_o != 0;
    out.quiet = model->quiet_o != 0;
    out.out_valid = model->out_valid_o != 0;
    if (out.out_valid) {
      out.out_stream = get_field(model->out_stream_o, 0, 32) & (kNeardataMaxStreams - 1);
      out.out_addr = get_field(model->out_addr_o, 0, kAddressBits);
      std::memcpy(out.out_data, model->out_data_o.data(), kBurstBytes);
    }
    out.rsp_ready = get_field(model->rsp_ready_o, 0, kStreams);
    out.req_valid = get_field(model->req_valid_o, 0, kStreams);
    for (std::uint32_t rest = out.req_valid; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(rest));
      out.req_addr[s] = get_field(model->req_addr_o, s * kAddressBits, kAddressBits);
      out.req_tag[s] = get_field(model->req_tag_o, s * kTagBits, kTagBits);
    }
    out.events = get_field(model->events_o, 0, kEventBits);
  }

  neardata::rtl::RtlContext context;
  std::unique_ptr<Vdimm_ndp> model;
  std::unique_ptr<VerilatedFstC> trace;
  std::uint64_t time = 0;
};

namespace {

NeardataNdp* create(NeardataNdpOutputs* outputs) {
  auto unit = std::make_unique<NeardataNdp>();
  unit->reset();
  unit->sample(*outputs);
  return unit.release();  // owned by whoever called; comes back in destroy
}

void destroy(NeardataNdp* unit) { std::unique_ptr<NeardataNdp>{unit}.reset(); }

bool step(NeardataNdp* unit, const NeardataNdpInputs* inputs, NeardataNdpOutputs* outputs) {
  unit->context.enter();
  unit->drive(*inputs);
  unit->clock();
  if (unit->context.gotError()) {
    if (unit->trace) unit->trace->flush();
    return false;
  }
  unit->sample(*outputs);
  return true;
}

void error(const NeardataNdp* unit, NeardataNdpError* error) {
  error->place = unit->context.place().c_str();
  error->message = unit->context.message().c_str();
}

bool trace_open(NeardataNdp* unit, const char* path, std::uint64_t time) {
  constexpr int kAllLevels = 99;
  unit->trace = std::make_unique<VerilatedFstC>();
  unit->model->trace(unit->trace.get(), kAllLevels);
  unit->trace->open(path);
  unit->time = time;
  return unit->trace->isOpen();
}

void trace_close(NeardataNdp* unit) {
  if (!unit->trace) return;
  unit->trace->close();
  unit->trace.reset();
}

constexpr NeardataNdpPlugin kPlugin{
    .abi = kNeardataNdpAbi,
    .streams = kStreams,
    .tag_bits = kTagBits,
    .create = create,
    .destroy = destroy,
    .step = step,
    .error = error,
    .trace_open = trace_open,
    .trace_close = trace_close,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const NeardataNdpPlugin* neardata_ndp_plugin() {
  return &kPlugin;
}
