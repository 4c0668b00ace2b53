// SPDX-License-Identifier: Apache-2.0
//
// Machine and run of computational storage devices as JavaScript describes them; the
// TypeScript face of both is src/native/csd-binding.ts.
#pragma once

#include <vector>

#include "entry.h"
#include "system/csd_machine.h"
#include "typed_array.h"

namespace neardata::native {

std::expected<system::CsdConfig, Refusal> read_csd_config(Napi::Value value);

struct CsdRunRequest {
  /// Where each job of the call went.
  struct Place {
    std::uint32_t device = 0;
    std::size_t job = 0;  ///< of the device
  };
  std::vector<Place> places;
  std::vector<std::vector<system::CsdJob>> jobs;     ///< by device
  std::vector<std::vector<system::Prompt>> prompts;  ///< likewise; where there are any, no jobs
  system::CsdRunOptions options;
};

/// A run as JavaScript gave it. Getters run while it is read: the devices are looked at when they
/// have run, and so are the arrays.
struct CsdRunSpec {
  TypedArray<std::uint32_t> fields;
  TypedArray<double> ready;  ///< of prompts
  TypedArray<std::uint16_t> rows;
  system::CsdRunOptions options;
};

std::expected<CsdRunSpec, Refusal> read_csd_run(Napi::Value value);
std::expected<CsdRunSpec, Refusal> read_csd_prompts(Napi::Value value);

/// `machine` says which sequences and heads there are and what jobs an engine takes.
std::expected<CsdRunRequest, Refusal> csd_jobs_of(const CsdRunSpec& spec,
                                                  system::CsdMachine& machine);

/// Prompts in place of jobs; heads have no tokens yet.
std::expected<CsdRunRequest, Refusal> csd_prompts_of(const CsdRunSpec& spec,
                                                     system::CsdMachine& machine);

}  // namespace neardata::native
