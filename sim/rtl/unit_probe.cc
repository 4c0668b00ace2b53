// SPDX-License-Identifier: Apache-2.0
#include "rtl/unit_probe.h"

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "rtl/unit_fields.h"

namespace neardata::rtl {

namespace {

using Words = std::vector<std::uint32_t>;

struct Destroy {
  const NeardataUnitPlugin* api;
  void operator()(NeardataUnit* unit) const { api->destroy(unit); }
};

std::uint32_t words_of(const NeardataUnitField& field) {
  return field.count * words_of_bits(field.bits);
}

/// Random handshakes, with any payload.
void draw(const NeardataUnitPlugin& api, std::mt19937_64& random, Words& inputs) {
  for (const NeardataUnitField& field : fields_of(api.inputs)) {
    const std::span words(inputs.data() + field.offset, words_of(field));
    const std::uint32_t quiet = random() % 4 == 0 ? 0 : ~std::uint32_t{0};
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random()) & quiet;
  }
}

/// The input that moves an output when it changes alone; the first one where only several do.
const NeardataUnitField& cause(const NeardataUnitPlugin& api, NeardataUnit* unit, const Words& from,
                               const Words& to, const Words& outputs) {
  for (const NeardataUnitField& field : fields_of(api.inputs)) {
    Words inputs = from;
    std::copy_n(to.begin() + field.offset, words_of(field), inputs.begin() + field.offset);
    Words now = outputs;
    api.settle(unit, inputs.data(), now.data());
    if (first_difference(api.outputs, outputs, now) != nullptr) return field;
  }
  return *api.inputs.fields;
}

}  // namespace

std::optional<std::string> combinational_path(const NeardataUnitPlugin& api, std::uint64_t cycles) {
  const NeardataUnitStart start{
      .seed = 0, .assertions = false, .printer = {.print = nullptr, .receiver = nullptr}};
  Words outputs(api.outputs.words);
  Words inputs(api.inputs.words);
  const std::unique_ptr<NeardataUnit, Destroy> unit(api.create(&start, outputs.data()),
                                                    Destroy{&api});
  std::mt19937_64 random(1);
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    const Words before = inputs;
    draw(api, random, inputs);
    Words now = outputs;
    api.settle(unit.get(), inputs.data(), now.data());
    if (const NeardataUnitField* output = first_difference(api.outputs, outputs, now)) {
      const std::string input = cause(api, unit.get(), before, inputs, outputs).name;
      return "the output " + std::string(output->name) + " follows the input " + input +
             " in the same cycle: outputs of a unit are functions of its registers only";
    }
    if (!api.step(unit.get(), inputs.data(), outputs.data())) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace neardata::rtl
