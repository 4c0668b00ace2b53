// SPDX-License-Identifier: Apache-2.0
//
// The cycle model of `dimm_ndp` in one piece, as the addon compiles it: the bench times what runs
// there.
#include "unit/ndp/ndp_cycle.cc"
#include "unit/ndp/ndp_drain.cc"
#include "unit/ndp/ndp_rules.cc"
#include "unit/ndp/ndp_sequencer.cc"
#include "unit/ndp/ndp_streams.cc"
