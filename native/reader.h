// SPDX-License-Identifier: Apache-2.0
//
// Reads arguments from JavaScript into structs, by their layouts (core/record.h). Typed arrays are
// read last: spans and rows are valid only during the call.
#pragma once

#include <napi.h>

#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <variant>

#include "handle.h"
#include "input_value.h"
#include "typed_array.h"

namespace neardata::native {

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsVariant = false;
template <typename... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;
template <typename T>
inline constexpr bool kIsSpan = false;
template <typename T>
inline constexpr bool kIsSpan<std::span<const T>> = true;
template <typename T>
inline constexpr bool kIsRows = false;
template <typename T>
inline constexpr bool kIsRows<core::Rows<T>> = true;
template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <typename T>
inline constexpr bool kIsHandle = false;
template <typename T>
inline constexpr bool kIsHandle<core::Handle<T>> = true;
/// A number with a type of its own.
template <typename T>
concept Quantity = !core::Described<T> && !core::Named<T> && requires(T q) {
  q.value;
};

template <typename T, typename Rule = core::AnyValue>
void read(const InputValue& from, T& out, const Rule& rule = {});

/// Reads every field; `value_of(name)` returns its value.
template <typename T>
void read_fields(T& out, const auto& value_of) {
  const auto read_one = [&]<typename Field>(const Field& field) {
    if constexpr (!std::is_same_v<Field, core::Literal>) {
      const InputValue from = value_of(field.name);
      if (field.optional && from.absent()) return;
      if constexpr (requires { field.access; }) {
        read(from, std::invoke(field.access, out), field.rule);
      } else {
        assign(from, out, field);
      }
    }
  };
  core::for_fields<T>(read_one);
}

template <typename T, typename X, typename Assign, typename Rule>
void assign(const InputValue& from, T& out, const core::Assigned<X, Assign, Rule>& field) {
  X value{};
  read(from, value, field.rule);
  if (from.reading().problem) return;
  if constexpr (std::is_void_v<std::invoke_result_t<Assign, T&, X>>) {
    field.assign(out, std::move(value));
  } else if (auto done = field.assign(out, std::move(value)); !done) {
    from.problem(std::move(done).error());
  }
}

template <core::Described T>
void read_record(const InputValue& from, T& out) {
  if (!from.is_object()) return;
  read_fields(out, [&](const char* name) { return from[name]; });
  if constexpr (requires { finish_record(out); }) {
    if (from.reading().problem) return;
    if (auto good = finish_record(out); !good) from.problem(std::move(good).error());
  }
}

template <typename T>
constexpr const char* kind_of() {
  const char* kind = nullptr;
  core::for_fields<T>([&]<typename Field>(const Field& field) {
    if constexpr (std::is_same_v<Field, core::Literal>) kind = field.word;
  });
  return kind;
}

template <typename... T>
void read_variant(const InputValue& from, std::variant<T...>& out) {
  if (!from.is_object()) return;
  constexpr std::array kKinds{kind_of<T>()...};
  const std::size_t kind = from["kind"].choice(kKinds);
  std::size_t at = 0;
  ((at++ == kind ? read_record(from, out.template emplace<T>()) : void()), ...);
}

template <typename T>
std::optional<TypedArray<T>> typed_array_of(const InputValue& from) {
  auto array = from.value() ? TypedArray<T>::of(*from.value()) : std::nullopt;
  if (!array) {
    from.complain("is no " + std::string(TypedArray<T>::kName) + " with memory of its own");
  }
  return array;
}

template <typename T>
void read_rows(const InputValue& from, core::Rows<T>& out) {
  if constexpr (core::Row<T>) static_assert(core::Rows<T>::kWords == core::kFields<T>);
  const auto array = typed_array_of<std::uint32_t>(from);
  if (!array) return;
  from.reading().later.push_back([from, array = *array, &out] {
    const auto words = array.data();
    if (words.size() % core::Rows<T>::kWords == 0) {
      out = core::Rows<T>(words);
    } else {
      from.complain("has no whole rows of " + std::to_string(core::Rows<T>::kWords) + " numbers");
    }
  });
}

template <typename T>
concept Item = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <typename T>
constexpr auto range_for(const core::AnyValue&) {
  if constexpr (std::is_floating_point_v<T>) {
    return core::RealRange{std::numeric_limits<double>::lowest(),
                           std::numeric_limits<double>::max()};
  } else {
    // Larger ones are refused where they are used.
    return sizeof(T) > 4 ? core::Range{0, std::int64_t{1} << 62U} : core::kWord;
  }
}
template <typename T>
constexpr auto range_for(const auto& range) {
  return range;
}

/// A field of a row; whether the number is one of the values that the field can have.
template <typename T, typename Rule>
[[nodiscard]] bool take_number(double number, T& out, const Rule& rule) {
  if constexpr (std::is_same_v<T, bool>) {
    out = number == 1;
    return number == 0 || number == 1;
  } else if constexpr (core::Named<T>) {
    std::size_t place = 0;
    if (!take_number(number, place, core::Range{0, core::kNames<T>.size() - 1})) return false;
    out = *core::numbered<T>(place);
    return true;
  } else if constexpr (Quantity<T>) {
    return take_number(number, out.value, rule);
  } else {
    const auto range = range_for<T>(rule);
    const bool is_whole = std::is_floating_point_v<T> || number == std::floor(number);
    if (!is_whole || !(number >= static_cast<double>(range.least)) ||
        !(number <= static_cast<double>(range.most))) {
      return false;
    }
    out = static_cast<T>(number);
    return true;
  }
}

/// Rows whose fields are the numbers of a Float64Array in their order, the inverse of `rows_to_js`.
template <core::Row T>
void read_row_list(const InputValue& from, std::vector<T>& out) {
  const auto array = typed_array_of<double>(from);
  if (!array) return;
  const std::span<const double> numbers = array->data();
  constexpr std::size_t kFields = core::kFields<T>;
  if (numbers.size() % kFields != 0) {
    return from.complain("has no whole rows of " + std::to_string(kFields) + " numbers");
  }
  out.resize(numbers.size() / kFields);
  for (std::size_t row = 0; row < out.size(); ++row) {
    auto number = numbers.begin() + static_cast<std::ptrdiff_t>(row * kFields);
    core::for_fields<T>([&](const auto& field) {
      if (take_number(*number++, std::invoke(field.access, out[row]), field.rule)) return;
      from.complain("has a row " + std::to_string(row) + " without a legal " + field.name);
    });
  }
}

template <typename T, typename Rule>
void read(const InputValue& from, T& out, const Rule& rule) {
  if constexpr (kIsOptional<T>) {
    if (!from.absent()) read(from, out.emplace(), rule);
  } else if constexpr (kIsVariant<T>) {
    read_variant(from, out);
  } else if constexpr (core::Described<T>) {
    read_record(from, out);
  } else if constexpr (core::Named<T>) {
    out = *core::numbered<T>(from.choice(core::kNames<T>));
  } else if constexpr (kIsHandle<T>) {
    read_handle(from, out);
  } else if constexpr (kIsRows<T>) {
    read_rows(from, out);
  } else if constexpr (kIsSpan<T>) {
    const auto array = typed_array_of<typename T::value_type>(from);
    if (array) from.reading().later.push_back([array = *array, &out] { out = array.data(); });
  } else if constexpr (kIsVector<T>) {
    using X = typename T::value_type;
    if constexpr (core::Row<X>) {
      read_row_list(from, out);
    } else if constexpr (Item<X>) {
      const auto array = typed_array_of<X>(from);
      if (array) out.assign(array->data().begin(), array->data().end());
    } else {
      const std::vector<InputValue> items = from.items();
      out.resize(items.size());
      for (std::size_t i = 0; i < items.size(); ++i) read(items[i], out[i], rule);
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    out = from.flag();
  } else if constexpr (std::is_same_v<T, std::string>) {
    out = from.text();
  } else if constexpr (Quantity<T>) {
    read(from, out.value, rule);
  } else if constexpr (std::is_floating_point_v<T>) {
    out = static_cast<T>(from.real(range_for<T>(rule)));
  } else {
    out = static_cast<T>(from.whole(range_for<T>(rule)));
  }
}

}  // namespace neardata::native
