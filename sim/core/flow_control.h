// SPDX-License-Identifier: Apache-2.0
//
// How the sender of a channel learns of free space. The last two rules let a sender in another
// partition run further ahead of its receiver.
#pragma once

#include <cstdint>

namespace neardata::core {

enum class FlowControl : std::uint8_t {
  /// The sender sees free space after the receiver's pop; a pop from a full channel wakes it.
  kBackPressure,
  /// Credits bound the messages in flight, so the channel never fills; no pop wakes the sender. A
  /// push into a full channel is an error of the sender.
  kCredits,
  /// The receiver pops each message when it becomes visible, so the sender can compute each pop in
  /// advance.
  kAlwaysReady,
};

}  // namespace neardata::core
