// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/time.h"

namespace neardata::system {

/// When something began and ended.
struct TimeSpan {
  core::Fs begin;
  core::Fs end;
};

}  // namespace neardata::system
