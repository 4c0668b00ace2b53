// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a device can be built and simulated: its parts fit each other, its numbers fit
// their types, and no time of a part overflows the time of a run.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "system/csd/csd_machine.h"
#include "unit/sparf/sparf_rules.h"

namespace neardata::system {

namespace {

/// The longest time of a page, a command, a retry, a latency.
constexpr std::int64_t kLongestNs = 100'000'000'000;
constexpr core::Fs kLongest{kLongestNs * core::kFsPerNs};
/// The longest time of a line of DRAM: 2^26 of them, more than any transfer, take less than
/// kLongest.
constexpr core::Fs kLongestLine{1'000'000'000};

using Verdict = core::Expected<void>;

bool between(auto least, auto value, auto most) { return least <= value && value <= most; }

Verdict check_engine(const unit::SparfParameters& unit) {
  if (const auto why = unit::refuses(unit)) return core::bad_config("engine", *why);
  constexpr std::uint32_t kMostTags = 0x10000;
  if (unit::SparfEvents(unit.channels, unit.kernels).count() > unit::SparfEvents::kMost) {
    return core::bad_config("engine",
                            "its events (8 + 3 a channel + 9 a kernel) are more than 128");
  }
  if (2 * std::uint64_t{unit.kernels} * unit.tags > kMostTags ||
      unit.max_group * unit::row_lines(unit.width) > KvCache::kJobLines / 2) {
    return core::bad_config(
        "engine", "it has more tags than 16 bits or rows that a job's buffer cannot hold");
  }
  return {};
}

Verdict check_cache(const CsdConfig& config) {
  constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 26U;
  constexpr std::uint64_t kMostPages = std::uint64_t{1} << 28U;
  const unit::SparfParameters& unit = config.parameters;
  const KvCacheConfig& cache = config.cache;
  const std::uint64_t page = cache.page_bytes;
  const std::uint64_t row = 2 * std::uint64_t{unit.width};
  if (!std::has_single_bit(page) || page < row || page / row > unit.max_page_rows) {
    return core::bad_config("engine", "a page of " + std::to_string(page) +
                                          " bytes holds no 1 to " +
                                          std::to_string(unit.max_page_rows) + " rows of " +
                                          std::to_string(unit.width) + " values");
  }
  if (cache.width != unit.width || cache.max_tokens > unit.max_tokens()) {
    return core::bad_config("device", "keys and values are of other heads than the engine's");
  }
  const flash::ChannelShape& channel = config.flash.shape.channel;
  if (channel.dies == 0 || !between(1U, channel.planes, flash::kMaxPlanes) ||
      cache.blocks.blocks < 2 || cache.blocks.pages < 1 || !(cache.device == config.flash.shape)) {
    return core::bad_config("device",
                            "channels have dies, dies 1 to 16 planes, and planes two blocks of a "
                            "page at least");
  }
  const auto blocks = static_cast<unsigned __int128>(config.flash.shape.channels) * channel.dies *
                      channel.planes * cache.blocks.blocks;
  if (blocks > kMostBlocks) return core::bad_config("device", "it has more than 2^26 blocks");
  // Pages of embedding-order K of a head, and the lines of all its rows.
  const std::uint64_t lines = 2 * std::uint64_t{cache.max_tokens} * unit::row_lines(unit.width);
  if ((cache.max_tokens / (page / 16) + 1) * unit.width > kMostPages ||
      lines > (std::uint64_t{1} << 31U)) {
    return core::bad_config("engine", "a head of " + std::to_string(cache.max_tokens) +
                                          " tokens has more pages or rows than can be numbered");
  }
  return {};
}

Verdict check_flash(const FlashConfig& flash, std::uint32_t page_bytes) {
  constexpr std::int64_t kMostTicks = core::kFsPerNs;
  if (!between(std::int64_t{1}, flash.ticks_per_ns, kMostTicks)) {
    return core::bad_config("flash", "a nanosecond has 1 to 10^6 ticks");
  }
  const __int128 most = __int128{kLongestNs} * flash.ticks_per_ns;
  const auto fits = [&](flash::Tick time) {
    return between(__int128{0}, __int128{time.value}, most);
  };
  const flash::Timing& timing = flash.timing;
  bool good = fits(timing.sense) && fits(timing.program) && fits(timing.erase) &&
              fits(flash.reads.retry_setup) && fits(flash.reads.dead_timeout) &&
              fits(timing.bus_per_two_bytes) &&
              __int128{timing.bus_per_two_bytes.value} * (page_bytes / 2) <= most;
  for (std::size_t p = 1; p <= flash.shape.channel.planes; ++p) {
    good = good && fits(timing.read_command[p]) && fits(timing.program_command[p]) &&
           fits(timing.erase_command[p]);
  }
  if (!good) return core::bad_config("flash", "its times are 0 to 100 seconds each");
  const core::Fs none{};
  if (!between(none, flash.translation.latency, kLongest) ||
      !between(none, flash.translation.interval, kLongest)) {
    return core::bad_config("flash", "a lookup of a page takes 0 to 100 seconds");
  }
  const std::uint64_t buffer = flash.transposition.buffer_bytes;
  if (buffer > 0 && buffer < page_bytes) {
    return core::bad_config("flash", "its transposition buffer holds no page of " +
                                         std::to_string(page_bytes) + " bytes");
  }
  const flash::BitErrorModel& errors = flash.reads.errors;
  const flash::EccConfig& ecc = flash.ecc;
  if (ecc.codeword_bytes == 0 || ecc.parity_bytes > ecc.codeword_bytes || !fits(ecc.latency) ||
      !fits(ecc.failed) || !fits(ecc.interval)) {
    return core::bad_config("flash",
                            "a codeword has bytes, no more parity than that, and 0 to 100 seconds");
  }
  if (errors.codeword_bytes == 0 || !between(0.0, errors.raw_rate, 1.0) ||
      !(errors.retry_gain > 0)) {
    return core::bad_config("flash",
                            "codewords have bytes, bit errors a rate of 0 to 1, retries a gain");
  }
  return {};
}

Verdict check_link(const char* name, const link::LinkConfig& link) {
  constexpr std::uint32_t kMostPayload = std::uint32_t{1} << 24U;
  const bool clocked = link.lanes >= 1 && link.lane_rate.value >= 8 &&
                       link.lane_rate.value / 8 <= core::kFsPerSecond;
  if (!clocked || link.latency < core::Cycle{1} ||
      core::Clock(link.clock()).edge(link.latency) > kLongest ||
      !between(1U, link.format.most_payload, kMostPayload)) {
    return core::bad_config(
        name,
        "it has lanes of 8 bits to 8 x 10^15 bits a second, a payload, a latency up to 100 s");
  }
  return {};
}

Verdict check_links(const CsdConfig& config) {
  if (auto good = check_link("link", config.link.link); !good) return good;
  const std::uint32_t credits = config.link.link.credits;
  if (config.link.piece < 1 || config.link.link.format.packets(config.link.piece) > credits) {
    return core::bad_config("link", "its receiver has room for an answer to a read");
  }
  if (const auto& commands = config.link.commands) {
    if (commands->reads < 1 || commands->depth < 1) {
      return core::bad_config("link", "a device has a read and a command at a time at least");
    }
  }
  if (!config.shared_link) return {};
  if (auto good = check_link("shared link", config.shared_link->link); !good) return good;
  if (config.shared_link->link.format.packets(config.link.piece) >
          config.shared_link->link.credits ||
      config.shared_link->switch_latency < core::Cycle{1}) {
    return core::bad_config("shared link",
                            "its receiver has room for an answer to a read, a switch a latency");
  }
  return {};
}

Verdict check_plugin(const CsdConfig& config, const rtl::SparfPlugin& plugin) {
  const unit::SparfParameters& unit = config.parameters;
  const rtl::SparfFields& fields = plugin.fields;
  if (fields.channels() == unit.channels && fields.kernels() == unit.kernels &&
      fields.width() == unit.width && plugin.slots == unit.slots &&
      plugin.max_keys == unit.max_keys && plugin.query_sets == unit.query_sets) {
    return {};
  }
  return core::bad_config(config.plugin, "the plug-in was built for other parameters");
}

}  // namespace

core::Expected<void> CsdMachine::check(const CsdConfig& config, const rtl::SparfPlugin* plugin) {
  if (config.clock < core::Hertz{1} || config.clock > core::Hertz{core::kFsPerSecond}) {
    return core::bad_config("clock", "a clock has 1 Hz to 10^15 Hz");
  }
  if (auto good = check_engine(config.parameters); !good) return good;
  if (config.parameters.channels != config.flash.shape.channels) {
    return core::bad_config("engine", "it has " + std::to_string(config.parameters.channels) +
                                          " channels and the flash " +
                                          std::to_string(config.flash.shape.channels));
  }
  if (auto good = check_cache(config); !good) return good;
  if (auto good = check_flash(config.flash, config.cache.page_bytes); !good) return good;
  const core::Fs none{};
  if (!between(none, config.dram.latency, kLongest) ||
      !between(core::Fs{1}, config.dram.line_time, kLongestLine)) {
    return core::bad_config("dram",
                            "its latency is 0 to 100 seconds, a line takes a microsecond at most");
  }
  if (auto good = check_links(config); !good) return good;
  std::vector<core::BusRate> buses{config.flash.wires, config.dram.wires,
                                   config.link.link.limits.wires};
  if (config.shared_link) buses.push_back(config.shared_link->link.limits.wires);
  for (const core::BusRate& wires : buses) {
    if (wires.pins < 1 || wires.transfers_per_second < 1) {
      return core::bad_config("device", "buses have pins that carry something");
    }
  }
  return plugin == nullptr ? Verdict{} : check_plugin(config, *plugin);
}

}  // namespace neardata::system
