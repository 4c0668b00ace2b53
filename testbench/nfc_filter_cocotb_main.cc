// SPDX-License-Identifier: Apache-2.0
//
// Simulates `sparf_nfc_filter` under a testbench of cocotb, through the Verilog Procedural
// Interface (IEEE 1800, clause 38).
//   sparf_nfc_filter LIBRARY   LIBRARY is cocotb's VPI library for Verilator
// The main program of cocotb needs functions of newer Verilators; this one needs those of 5.006.
// The testbench owns the clock. A time step ends when its writes cause no further change. The
// writes of the testbench must not rely on inertial delays (COCOTB_TRUST_INERTIAL_WRITES=0).
// Exit code 1: an assertion fired; 2: LIBRARY cannot be loaded.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>

#include "Vsparf_nfc_filter.h"
#include "verilated.h"
#include "verilated_vpi.h"

namespace {

constexpr std::uint64_t kNoDeadline = ~std::uint64_t{0};

/// True if a watched value had changed.
bool call_value_callbacks() {
  bool changed = false;
  while (VerilatedVpi::callValueCbs()) changed = true;
  return changed;
}

/// One time step: from the changes of its beginning to stable values.
void settle(Vsparf_nfc_filter& top) {
  bool changed = true;
  while (changed) {
    top.eval();
    call_value_callbacks();
    const bool wrote = VerilatedVpi::callCbs(cbReadWriteSynch);
    changed = call_value_callbacks() || wrote;
  }
  VerilatedVpi::callCbs(cbReadOnlySynch);
}

bool simulate(VerilatedContext& context) {
  // With a name, the scope of the top module would have this name before its own.
  Vsparf_nfc_filter top{&context, ""};
  VerilatedVpi::callCbs(cbStartOfSimulation);
  call_value_callbacks();
  while (!context.gotFinish()) {
    settle(top);
    const std::uint64_t next = VerilatedVpi::cbNextDeadline();
    if (next == kNoDeadline) break;
    context.time(next);
    VerilatedVpi::callCbs(cbNextSimTime);
    VerilatedVpi::callTimedCbs();
    call_value_callbacks();
  }
  VerilatedVpi::callCbs(cbEndOfSimulation);
  top.final();
  return !context.gotError();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: sparf_nfc_filter LIBRARY\n");
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  void* start = library == nullptr ? nullptr : dlsym(library, "vlog_startup_routines_bootstrap");
  if (start == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  VerilatedContext& context = *Verilated::threadContextp();
  context.commandArgs(argc, argv);
  context.fatalOnError(false);
  context.fatalOnVpiError(false);
  reinterpret_cast<void (*)()>(start)();
  return simulate(context) ? 0 : 1;
}
