// SPDX-License-Identifier: Apache-2.0
//
// flashReads: page reads under bit errors and dead channels. policy = {rawRate, retryGain,
// codewordBytes, correctableBits, mostRetries, seed, retrySetup, deadTimeout, deadChannels}.
#include <vector>

#include "flash/reader.h"
#include "flash_marshal.h"
#include "flash_replay.h"

namespace neardata::native {

namespace {

using flash::ReadAnswer;

Napi::Value numbers(Napi::Env env, const std::vector<ReadAnswer>& answers, auto&& get) {
  const NewArray<std::uint32_t> out(env, answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    out.data[i] = static_cast<std::uint32_t>(get(answers[i]));
  }
  return out.value;
}

Result flash_reads(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Problem problem;
  const Reader from(info[0], "reads", problem);
  if (problem) return std::unexpected(*problem);
  const FlashDevice device = read_flash_device(from);
  const auto where = from.array<std::uint32_t>("where");
  const auto dead = from.array<std::uint32_t>("deadChannels");
  flash::ReadPolicy policy;
  policy.errors = read_bit_errors(from, "rawRate");
  policy.retry_setup = {from.whole("retrySetup", limits::kOperation)};
  policy.dead_timeout = {from.whole("deadTimeout", limits::kExact)};
  if (problem) return std::unexpected(*problem);
  const auto silent = dead.data();
  policy.dead_channels.assign(silent.begin(), silent.end());
  const auto requests = flash_requests_of(where.data(), device, 1.0 + policy.errors.most_retries,
                                          static_cast<double>(policy.retry_setup.value));
  if (!requests) return std::unexpected(requests.error());
  const flash::ReadRun run =
      flash::read_pages(device.timing, device.shape, device.arbitration, policy, *requests);
  Napi::Object out = Napi::Object::New(env);
  out.Set("status", numbers(env, run.answers, [](const ReadAnswer& a) {
            return static_cast<std::uint32_t>(a.status);
          }));
  out.Set("attempts", numbers(env, run.answers, [](const ReadAnswer& a) { return a.attempts; }));
  out.Set("correctedBits",
          numbers(env, run.answers, [](const ReadAnswer& a) { return a.corrected_bits; }));
  out.Set("done", ticks_to_js(env, run.answers, [](const ReadAnswer& a) { return a.done; }));
  set_bus_use(out, run.bus_use);
  return out;
}

}  // namespace

void register_flash_reads(Napi::Env env, Napi::Object exports) {
  export_function<flash_reads>(env, exports, "flashReads");
}

}  // namespace neardata::native
