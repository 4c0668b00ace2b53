// SPDX-License-Identifier: Apache-2.0
//
// The layout of records and calls between JavaScript and the addon:
// {records: {NAME: FIELDS}, calls: {NAME: "TAKES -> GIVES"}, handles: NAMES}, where FIELDS are
// `NAME:TYPE`, separated by spaces, without `:number`. tools/write-layout.ts generates the types of
// TypeScript from it, and src/native/record.ts reads rows with it. A type is `number`, the unit of
// a number (`fs`, `cycles`, `Hz`, `bytes`, `s`), `boolean`, `string`, words with bars between them,
// a typed array, the name of a record or of a handle; `[]` behind it is a list, `*` rows in a
// Float64Array, `#` rows in a Uint32Array, `?` an optional field.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handle.h"
#include "reader.h"
#include "writer.h"

namespace neardata::native {

struct Layout {
  std::map<std::string, std::string> records;
  std::map<std::string, std::string> calls;
  std::set<std::string> handles;  ///< types of handles

  [[nodiscard]] Napi::Value to_js(Napi::Env env) const;

  /// The type of `T`. Adds its records to the layout.
  template <typename T>
  std::string type_of() {
    if constexpr (std::is_void_v<T>) {
      return "void";
    } else if constexpr (kIsOptional<T>) {
      return type_of<typename T::value_type>() + "?";
    } else if constexpr (kIsHandle<T>) {
      return *handles.insert(kHandleName<std::remove_const_t<typename T::element_type>>).first;
    } else if constexpr (core::Described<T>) {
      return add<T>();
    } else if constexpr (core::Named<T>) {
      return joined(core::kNames<T>);
    } else if constexpr (std::is_same_v<T, bool>) {
      return "boolean";
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      return "string";
    } else if constexpr (kIsRows<T>) {
      using Item = typename T::Item;
      if constexpr (core::Row<Item>) return add<Item>() + "#";
      return "Uint32Array";
    } else if constexpr (kIsVariant<T>) {
      return alternatives(static_cast<const T*>(nullptr));
    } else if constexpr (std::ranges::sized_range<T>) {
      return list_type<std::ranges::range_value_t<T>>();
    } else if constexpr (requires { T::kUnit; }) {
      return T::kUnit;
    } else {
      return "number";
    }
  }

  /// Names and types of a record's fields, numbers with theirs if `all`.
  template <core::Described T>
  std::string fields_of(bool all = false) {
    std::string text;
    core::for_fields<T>(
        [&](const auto& field) { add_field(text, field.name, field_type<T>(field), all); });
    return text;
  }

 private:
  template <typename T>
  std::string list_type() {
    if constexpr (core::Row<T>) {
      return add<T>() + "*";
    } else if constexpr (Flat<T>) {
      return typed_array::kName<ItemOf<T>>;
    } else {
      return type_of<T>() + "[]";
    }
  }

  template <typename... T>
  std::string alternatives(const std::variant<T...>* /*of*/) {
    const std::vector<std::string> all{type_of<T>()...};
    return joined(all);
  }

  template <core::Described T>
  std::string add() {
    const char* name = core::kRecord<T>.name;
    if (!records.contains(name)) records[name] = fields_of<T>();
    return name;
  }
  template <typename T>
  std::string field_type(const core::Literal& field) {
    return field.word;
  }
  template <typename T, typename Access, typename Rule>
  std::string field_type(const core::Member<Access, Rule>& field) {
    using Type = std::remove_cvref_t<std::invoke_result_t<Access, T&>>;
    const std::string type = field.unit == nullptr ? type_of<Type>() : field.unit;
    return type + (field.optional && !kIsOptional<Type> ? "?" : "");
  }
  template <typename T, typename X, typename Assign, typename Rule>
  std::string field_type(const core::Assigned<X, Assign, Rule>& field) {
    return type_of<X>() + (field.optional ? "?" : "");
  }

  /// Not inline, because there are hundreds of fields.
  static void add_field(std::string& text, std::string_view name, const std::string& type,
                        bool all);

  static std::string joined(const auto& words) {
    std::string all;
    for (const auto& word : words) all += (all.empty() ? "" : "|") + std::string(word);
    return all;
  }
};

/// Exports the functions of sim/api, and adds their records to the layout.
void export_machines(Napi::Env env, Napi::Object exports, Layout& layout);
void export_calls(Napi::Env env, Napi::Object exports, Layout& layout);

}  // namespace neardata::native
