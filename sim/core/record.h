// SPDX-License-Identifier: Apache-2.0
//
// The layout of a struct at the interface of the addon, defined once: its name and, for every
// field, name, member and the rule of its value. The code that converts such structs
// (native/reader.h, native/writer.h) and describes their layout (native/layout.h) uses only this
// definition.
//
//   constexpr auto record_of(const Wires*) {
//     return core::record("Wires", core::field("pins", &Wires::pins, limits::kPins));
//   }
//
// is beside the struct or in its namespace. A record is an object there; a row, whose fields
// are numbers, is a part of a typed array. `names_of` lists the names of an enum or of any
// other type with a `number_of`. A record may have a `finish_record`, which is called when all
// fields have been read.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace neardata::core {

/// Whole numbers, both ends included.
struct Range {
  std::int64_t least;
  std::int64_t most;
};

/// Numbers with fractions, both ends included.
struct RealRange {
  double least;
  double most;
};

/// The range of a word of 32 bits.
inline constexpr Range kWord{0, 0xFFFFFFFF};

/// No rule other than that of its type.
struct AnyValue {};

/// A field that is a member, or the result of a member function. An optional field without a value
/// retains its default.
template <typename Access, typename Rule>
struct Member {
  const char* name;
  Access access;
  Rule rule;
  bool optional = false;
  const char* unit = nullptr;  ///< of a number whose type has none
};

/// A field that is read as an `X` and then assigned: `assign(struct, X)`.
template <typename X, typename Assign, typename Rule>
struct Assigned {
  const char* name;
  Assign assign;
  Rule rule;
  bool optional = false;
};

template <typename Access, typename Rule = AnyValue>
constexpr auto field(const char* name, Access access, Rule rule = {}) {
  return Member<Access, Rule>{name, access, rule};
}
template <typename X, typename Assign, typename Rule = AnyValue>
constexpr auto assigned(const char* name, Assign assign, Rule rule = {}) {
  return Assigned<X, Assign, Rule>{name, assign, rule};
}
template <typename Field>
constexpr Field optional(Field field) {
  field.optional = true;
  return field;
}

/// A number whose type has no unit: "cycles", "bytes", "s".
template <typename Access, typename Rule>
constexpr auto in(const char* unit, Member<Access, Rule> field) {
  field.unit = unit;
  return field;
}

/// The word in the field that distinguishes the alternatives of a variant.
struct Literal {
  const char* name;
  const char* word;
};

/// Fields that several records have.
template <typename... Field>
constexpr auto fields(Field... all) {
  return std::tuple(all...);
}

enum class Form : std::uint8_t { kObject, kRow };

template <typename Fields>
struct RecordOf {
  const char* name;
  Form form;
  Fields fields;
};

template <typename... Field>
constexpr auto as_tuple(const std::tuple<Field...>& all) {
  return all;
}
template <typename Field>
constexpr auto as_tuple(const Field& one) {
  return std::tuple(one);
}

/// A record of fields and of the results of `fields`.
template <typename... Part>
constexpr auto record(const char* name, const Part&... parts) {
  const auto all = std::tuple_cat(as_tuple(parts)...);
  return RecordOf<std::remove_const_t<decltype(all)>>{name, Form::kObject, all};
}
template <typename... Part>
constexpr auto row(const char* name, const Part&... parts) {
  auto all = record(name, parts...);
  all.form = Form::kRow;
  return all;
}

template <typename T>
concept Described = requires {
  record_of(static_cast<const T*>(nullptr));
};

template <Described T>
inline constexpr auto kRecord = record_of(static_cast<const T*>(nullptr));

template <typename T>
concept Row = Described<T> && kRecord<T>
.form == Form::kRow;

template <Described T>
inline constexpr std::size_t kFields = std::tuple_size_v<decltype(kRecord<T>.fields)>;

/// Calls `visit(field)` for every field in its order.
template <Described T>
constexpr void for_fields(const auto& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, kRecord<T>.fields);
}

template <typename T>
concept Named = requires {
  names_of(static_cast<const T*>(nullptr));
};

template <Named T>
inline constexpr auto kNames = names_of(static_cast<const T*>(nullptr));

/// The place of a value among the names.
template <typename T>
requires std::is_enum_v<T>
constexpr std::size_t number_of(T value) { return static_cast<std::size_t>(value); }
template <Named T>
constexpr std::string_view name_of(T value) {
  return kNames<T>[number_of(value)];
}
/// The value of this number; empty beyond the last name.
template <Named T>
constexpr std::optional<T> numbered(std::size_t number) {
  if (number >= kNames<T>.size()) return std::nullopt;
  return static_cast<T>(number);
}

/// Words of a typed array that another object owns, as rows, whose fields are words in their order;
/// good for the call alone.
template <typename T>
class Rows {
 public:
  using Item = T;
  static constexpr std::size_t kWords = sizeof(T) / sizeof(std::uint32_t);

  Rows() = default;
  /// `words` must be whole rows.
  explicit Rows(std::span<const std::uint32_t> words) : words_(words) {}

  [[nodiscard]] std::size_t size() const { return words_.size() / kWords; }
  [[nodiscard]] T operator[](std::size_t row) const {
    std::array<std::uint32_t, kWords> words;
    std::copy_n(words_.data() + row * kWords, kWords, words.begin());
    return std::bit_cast<T>(words);
  }

 private:
  std::span<const std::uint32_t> words_;
};

/// An object that a session returns as an opaque handle and accepts again as an argument.
template <typename T>
using Handle = std::shared_ptr<const T>;

/// Receives the progress of a run; returns false to cancel it.
class Progress {
 public:
  virtual ~Progress() = default;
  [[nodiscard]] virtual bool report(double first, double second) = 0;
};

/// A call of a session (a member function) or without one (a function): it gets a record and
/// returns an Answer with one. `object` is the record's name, the first argument; without it the
/// fields are the arguments.
template <typename Function>
struct Call {
  const char* name;
  Function function;
  const char* object = nullptr;
};

/// A run of a session: `prepare` checks a record and returns an Answer with work; `run(work,
/// progress)` does the work on a separate thread and returns a record.
template <typename Prepare, typename Do>
struct RunCall {
  const char* name;
  const char* object;
  Prepare prepare;
  Do run;
};
template <typename Prepare, typename Do>
RunCall(const char*, const char*, Prepare, Do) -> RunCall<Prepare, Do>;

/// Sessions of a machine; `prefix` begins the names of the calls that all machines have.
template <typename Machine>
struct Sessions {
  const char* prefix;
};

}  // namespace neardata::core
