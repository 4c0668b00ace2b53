// SPDX-License-Identifier: Apache-2.0
//
// Layouts of flash: devices, bit errors, places of pages. Times are integer ticks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "api/limits.h"
#include "core/record.h"
#include "core/refusal.h"
#include "flash/backend.h"
#include "flash/reader.h"
#include "flash/translation/block_pool.h"
#include "flash/translation/kv_translation.h"

namespace neardata::flash {

constexpr auto names_of(const PageKind*) {
  return std::array{"token-keys", "token-values", "dim-keys"};
}
constexpr auto names_of(const Operation*) { return std::array{"read", "program", "erase"}; }
constexpr auto names_of(const PlaneIndependence*) { return std::array{"none", "reads", "all"}; }

/// Dies that share a supply; the current of all and of one that reads, programs, erases, in
/// microamperes.
constexpr auto record_of(const PackageBudget*) {
  using core::field;
  constexpr auto draws = [](Operation operation) {
    return [operation](auto& of) -> auto& { return of.draws[static_cast<std::size_t>(operation)]; };
  };
  return core::record("FlashPackage", field("dies", &PackageBudget::dies, limits::kDies),
                      field("most", &PackageBudget::most, limits::kExact),
                      field("read", draws(Operation::kRead), limits::kCurrent),
                      field("program", draws(Operation::kProgram), limits::kCurrent),
                      field("erase", draws(Operation::kErase), limits::kCurrent));
}

/// Features of newer parts; times in ticks.
constexpr auto record_of(const NandFeatures*) {
  using core::field;
  using Features = NandFeatures;
  return core::record("FlashFeatures", field("cacheRead", &Features::cache_read),
                      field("cacheTransfer", &Features::cache_transfer, limits::kOperation),
                      field("independentPlanes", &Features::independent_planes),
                      field("suspends", &Features::suspends),
                      field("suspendCommand", &Features::suspend_command, limits::kOperation),
                      field("suspend", &Features::suspend, limits::kOperation),
                      field("runLeast", &Features::run_least, limits::kOperation),
                      field("mostSuspends", &Features::most_suspends, limits::kSuspends),
                      field("package", &Features::package));
}

}  // namespace neardata::flash

namespace neardata::api {

/// A device; base class of requests with one.
struct FlashDevice {
  flash::DeviceShape shape;
  flash::Timing timing;
  flash::Arbitration arbitration = flash::Arbitration::kDataFirst;
};
/// `times`: bus per two bytes, sense, program, erase, then read, program and erase commands for one
/// to all planes. The device has its shape.
[[nodiscard]] core::Answer<void> set_times(FlashDevice& device, const std::vector<double>& times);
/// Whether a machine can have so many dies.
[[nodiscard]] core::Answer<void> finish_record(const FlashDevice& device);
/// Whether the package, if there is one, can supply each single operation.
[[nodiscard]] core::Answer<void> check_package(const std::optional<flash::PackageBudget>& package);
/// Whether its planes can have so many blocks.
[[nodiscard]] core::Answer<void> check_blocks(const FlashDevice& device,
                                              const flash::BlockShape& blocks);

constexpr auto shape_fields() {
  using core::field;
  return core::fields(
      field(
          "channels", [](auto& of) -> auto& { return of.shape.channels; }, limits::kChannels),
      field(
          "dies", [](auto& of) -> auto& { return of.shape.channel.dies; }, limits::kDies),
      field(
          "planes", [](auto& of) -> auto& { return of.shape.channel.planes; }, limits::kPlanes));
}
constexpr auto device_fields() {
  const auto command_first = [](FlashDevice& device, bool first) {
    if (first) device.arbitration = flash::Arbitration::kCommandFirst;
  };
  return std::tuple_cat(shape_fields(),
                        core::fields(core::assigned<bool>("commandFirst", command_first),
                                     core::assigned<std::vector<double>>("times", set_times)));
}

/// The blocks of each plane.
constexpr auto block_fields() {
  using core::field;
  return core::fields(
      field(
          "blocks", [](auto& of) -> auto& { return of.blocks.blocks; }, limits::kBlocks),
      field(
          "pagesPerBlock", [](auto& of) -> auto& { return of.blocks.pages; }, limits::kBlockPages));
}

/// Fields of a read policy; `raw_rate` is the name of its raw bit error rate.
constexpr auto bit_error_fields(const char* raw_rate) {
  using core::field;
  constexpr auto error = [](auto member) {
    return [member](auto& of) -> auto& { return of.policy.errors.*member; };
  };
  using Errors = flash::BitErrorModel;
  return core::fields(
      field(raw_rate, error(&Errors::raw_rate), limits::kBitErrors),
      field("retryGain", error(&Errors::retry_gain), limits::kRetryGain),
      field("codewordBytes", error(&Errors::codeword_bytes), limits::kCodewordBytes),
      field("correctableBits", error(&Errors::correctable_bits)),
      field("mostRetries", error(&Errors::most_retries), limits::kRetries),
      field("seed", error(&Errors::seed), limits::kExact));
}

/// A page of work and its bytes.
struct FlashPage {
  std::uint32_t channel;
  std::uint32_t die;
  std::uint32_t plane;
  std::uint32_t block;
  std::uint32_t page;
  std::uint32_t bytes;
};

constexpr auto record_of(const FlashPage*) {
  using core::field;
  return core::row("FlashPage", field("channel", &FlashPage::channel),
                   field("die", &FlashPage::die), field("plane", &FlashPage::plane),
                   field("block", &FlashPage::block), field("page", &FlashPage::page),
                   field("bytes", &FlashPage::bytes));
}

/// Requests of pages; the id of each is its index in the list. The session rejects addresses
/// outside the device, and lists whose `attempts` per request, with `wait` ticks between them,
/// could exceed the largest tick.
[[nodiscard]] core::Answer<std::vector<flash::RoutedRequest>> requests_of(
    core::Rows<FlashPage> where, const FlashDevice& device, double attempts = 1, double wait = 0);

}  // namespace neardata::api
