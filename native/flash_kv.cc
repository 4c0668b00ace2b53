// SPDX-License-Identifier: Apache-2.0
//
// flashKv: the translation of keys and values, driven by a script of five numbers a line:
//   0 open sequence heads m 0 | 1 append sequence tokens 0 0 | 2 close sequence 0 0 0
//   3 locate sequence head kind index
// `work` has six numbers an operation (operation, channel, die, plane, block, page), `workAfter`
// how many operations there were after each line; `located` five numbers a locate line (channel,
// die, plane, block, page; all ones when in DRAM). `full` is the line that did not fit, or -1.
#include <vector>

#include "flash/kv_translation.h"
#include "flash_marshal.h"
#include "flash_replay.h"
#include "reader.h"

namespace neardata::native {

namespace {

constexpr std::size_t kScriptFields = 5;
enum class Line : std::uint32_t { kOpen, kAppend, kClose, kLocate };

Napi::Uint32Array to_js(Napi::Env env, const std::vector<std::uint32_t>& values) {
  Napi::Uint32Array out = Napi::Uint32Array::New(env, values.size());
  std::copy(values.begin(), values.end(), out.Data());
  return out;
}

void push_place(std::vector<std::uint32_t>& out, const flash::Place& place) {
  out.insert(out.end(), {place.channel, place.address.die, place.address.plane, place.address.block,
                         place.address.page});
}

Result flash_kv(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object spec = info[0].ToObject();
  const auto script = typed_array_of<std::uint32_t>(spec, "script", napi_uint32_array);
  if (!script) return std::unexpected(script.error());
  std::optional<std::string> problem;
  const Reader reader(spec, "kv", problem);
  const flash::DeviceShape device{
      .channels = reader.whole32("channels"),
      .channel = {.dies = reader.whole32("dies"), .planes = reader.whole32("planes")}};
  const flash::BlockShape blocks{.blocks = reader.whole32("blocks"),
                                 .pages = reader.whole32("pagesPerBlock")};
  const std::uint32_t width = reader.whole32("width");
  const std::uint32_t page_bytes = reader.whole32("pageBytes");
  if (problem) return misuse(*problem);
  if (device.channels * device.channel.dies * device.channel.planes == 0 || blocks.blocks < 2 ||
      blocks.pages == 0 || width == 0 || page_bytes < 2 * width) {
    return misuse(
        "a device for keys and values has planes of two or more blocks, and pages that "
        "hold a token");
  }
  flash::KvTranslation kv(device, blocks);
  std::vector<flash::FlashWork> work;
  std::vector<std::uint32_t> work_after;
  std::vector<std::uint32_t> located;
  double full = -1;
  for (std::size_t at = 0; at + kScriptFields <= script->ElementLength() && full < 0;
       at += kScriptFields) {
    const std::uint32_t* field = script->Data() + at;
    switch (static_cast<Line>(field[0])) {
      case Line::kOpen:
        kv.open(field[1], {.heads = field[2],
                           .width = width,
                           .page_bytes = page_bytes,
                           .dims_per_page = field[3]});
        break;
      case Line::kAppend:
        if (!kv.append(field[1], field[2], work)) full = static_cast<double>(at / kScriptFields);
        break;
      case Line::kClose:
        kv.close(field[1]);
        break;
      case Line::kLocate: {
        const auto place =
            kv.locate({field[1], field[2], static_cast<flash::KvKind>(field[3]), field[4]});
        if (place)
          push_place(located, *place);
        else
          located.insert(located.end(), 5, ~0U);
        break;
      }
    }
    work_after.push_back(static_cast<std::uint32_t>(work.size()));
  }
  std::vector<std::uint32_t> rows;
  for (const flash::FlashWork& item : work) {
    rows.push_back(static_cast<std::uint32_t>(item.operation));
    push_place(rows, item.place);
  }
  const flash::KvCounters counters = kv.counters();
  Napi::Object out = Napi::Object::New(env);
  out.Set("work", to_js(env, rows));
  out.Set("workAfter", to_js(env, work_after));
  out.Set("located", to_js(env, located));
  out.Set("full", full);
  out.Set("hostWrites", static_cast<double>(counters.host_writes));
  out.Set("moves", static_cast<double>(counters.moves));
  out.Set("erases", static_cast<double>(counters.erases));
  out.Set("mostErases", counters.most_erases);
  out.Set("leastErases", counters.least_erases);
  return out;
}

}  // namespace

void register_flash_kv(Napi::Env env, Napi::Object exports) {
  export_function<flash_kv>(env, exports, "flashKv");
}

}  // namespace neardata::native
