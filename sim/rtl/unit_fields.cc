// SPDX-License-Identifier: Apache-2.0
#include "rtl/unit_fields.h"

#include <algorithm>

namespace neardata::rtl {

namespace {

const NeardataUnitField* find(const NeardataUnitTable& table, std::string_view name) {
  const auto fields = fields_of(table);
  const auto found = std::ranges::find(
      fields, name, [](const NeardataUnitField& field) { return std::string_view(field.name); });
  return found == fields.end() ? nullptr : &*found;
}

std::string width(std::uint32_t bits, std::uint32_t count) {
  const std::string one = std::to_string(bits) + (bits == 1 ? " bit" : " bits");
  return count == 1 ? one : std::to_string(count) + " times " + one;
}

}  // namespace

const NeardataUnitField* first_difference(const NeardataUnitTable& table,
                                          std::span<const std::uint32_t> one,
                                          std::span<const std::uint32_t> other) {
  for (const NeardataUnitField& field : fields_of(table)) {
    const std::size_t words = std::size_t{field.count} * words_of_bits(field.bits);
    if (!std::ranges::equal(one.subspan(field.offset, words), other.subspan(field.offset, words))) {
      return &field;
    }
  }
  return nullptr;
}

std::optional<UnitField> FieldFinder::option(std::string_view name, BitRange bits) {
  if (find(api_.outputs, name) == nullptr) return std::nullopt;
  return output(name, bits);
}

UnitField FieldFinder::field(const NeardataUnitTable& table, const char* direction,
                             std::string_view name, BitRange bits, std::uint32_t count) {
  const NeardataUnitField* found = find(table, name);
  const std::string wanted = bits.least == bits.most
                                 ? width(bits.least, count)
                                 : std::to_string(bits.least) + " to " + width(bits.most, count);
  if (found == nullptr) {
    problem("the unit has no " + std::string(direction) + " " + std::string(name) + " of " +
            wanted);
    return {};
  }
  if (found->bits < bits.least || found->bits > bits.most || found->count != count) {
    problem("its " + std::string(direction) + " " + std::string(name) + " has " +
            width(found->bits, found->count) + " where the machine has " + wanted);
    return {};
  }
  return {.offset = found->offset,
          .words = words_of_bits(found->bits),
          .bits = found->bits,
          .count = found->count};
}

void FieldFinder::problem(const std::string& sentence) {
  problems_ += (problems_.empty() ? "" : "; ") + sentence;
}

core::Expected<void> FieldFinder::result() const {
  if (problems_.empty()) return {};
  return core::bad_config(api_.top, problems_);
}

}  // namespace neardata::rtl
