// SPDX-License-Identifier: Apache-2.0
//
// Memories by themselves, and what else is computed at once.
#include "door/dram_calls.h"
#include "door/flash/flash_calls.h"
#include "door/head_calls.h"
#include "door/link_calls.h"
#include "session.h"

namespace neardata::native {

void export_calls(Napi::Env env, Napi::Object exports, Layout& layout) {
  Door door(env, exports, layout);
  door.session<door::ReplaySession>("dramReplay");
  door.call(core::Call{"dramReadyAt", &door::ready_at});
  door.call(core::Call{"flashReplay", &door::flash_replay, "replay"});
  door.call(core::Call{"flashChains", &door::flash_chains, "chains"});
  door.call(core::Call{"flashReads", &door::flash_reads, "reads"});
  door.call(core::Call{"flashKv", &door::flash_kv, "kv"});
  door.call(core::Call{"hta1", &door::hta1});
  door.call(core::Call{"cxlStream", &door::cxl_stream, "stream"});
}

}  // namespace neardata::native
