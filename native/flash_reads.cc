// SPDX-License-Identifier: Apache-2.0
//
// flashReads: page reads under bit errors and dead channels. policy = {rawRate, retryGain,
// codewordBytes, correctableBits, mostRetries, seed, retrySetup, deadTimeout, deadChannels}.
#include <vector>

#include "flash/reader.h"
#include "flash_marshal.h"
#include "flash_replay.h"
#include "reader.h"

namespace neardata::native {

namespace {

using flash::ReadAnswer;

Napi::Uint32Array numbers(Napi::Env env, const std::vector<ReadAnswer>& answers, auto&& get) {
  Napi::Uint32Array out = Napi::Uint32Array::New(env, answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    out[i] = static_cast<std::uint32_t>(get(answers[i]));
  }
  return out;
}

Result flash_reads(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object spec = info[0].ToObject();
  const auto device = flash_device_of(spec);
  if (!device) return std::unexpected(device.error());
  const auto requests = flash_requests_of(spec, device->shape);
  if (!requests) return std::unexpected(requests.error());
  const auto dead = typed_array_of<std::uint32_t>(spec, "deadChannels", napi_uint32_array);
  if (!dead) return std::unexpected(dead.error());
  std::optional<std::string> problem;
  const Reader reader(spec, "reads", problem);
  flash::ReadPolicy policy;
  policy.errors = {.raw_rate = reader.real("rawRate"),
                   .retry_gain = reader.real("retryGain"),
                   .codeword_bytes = reader.whole32("codewordBytes"),
                   .correctable_bits = reader.whole32("correctableBits"),
                   .most_retries = reader.whole32("mostRetries"),
                   .seed = static_cast<std::uint64_t>(reader.whole("seed"))};
  policy.retry_setup = {reader.whole("retrySetup")};
  policy.dead_timeout = {reader.whole("deadTimeout")};
  policy.dead_channels.assign(dead->Data(), dead->Data() + dead->ElementLength());
  if (problem) return misuse(*problem);
  if (policy.errors.codeword_bytes == 0) return misuse("codewordBytes is 0");
  const flash::ReadRun run =
      flash::read_pages(device->timing, device->shape, device->arbitration, policy, *requests);
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
