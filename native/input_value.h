// SPDX-License-Identifier: Apache-2.0
//
// A value from JavaScript with the path of its name in the argument. The reader stores the first
// problem with its path and continues with legal values. A number outside of its range is bad
// input. Any other problem is a difference between the C++ and the TypeScript declarations.
#pragma once

#include <napi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/record.h"
#include "core/refusal.h"

namespace neardata::native {

/// One reading of all that was given to a call.
struct Reading {
  /// The first problem.
  std::optional<core::Refusal> problem;
  /// Accesses to the memory of typed arrays, which are done at the end: getters run while an object
  /// is read, and may change the memory.
  std::vector<std::function<void()>> later;

  /// Does the remaining work; the problem, if there is one.
  [[nodiscard]] core::Answer<void> finish();
};

class InputValue {
 public:
  /// A value with its name in messages about itself or its contents. If `argument`, numbers must be
  /// whole.
  InputValue(Napi::Value value, std::string path, std::string name, Reading& reading,
             bool argument = false);
  /// The only argument of a call, which is an object.
  InputValue(Napi::Value value, const char* name, Reading& reading)
      : InputValue(value, name, "", reading) {}

  [[nodiscard]] bool absent() const { return !value_; }
  /// The field of an object.
  [[nodiscard]] InputValue operator[](const char* name) const;
  /// False, with a problem, if the value is not an object.
  [[nodiscard]] bool is_object() const;
  /// Items of an array; none with a problem.
  [[nodiscard]] std::vector<InputValue> items() const;

  [[nodiscard]] std::int64_t whole(core::Range range) const;
  [[nodiscard]] double real(core::RealRange range) const;
  /// Up to 4096 characters without zeros among them.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag() const;
  /// The place of a word among some.
  [[nodiscard]] std::size_t choice(std::span<const char* const> words) const;
  [[nodiscard]] const std::optional<Napi::Value>& value() const { return value_; }

  /// The two sides disagree.
  void complain(const std::string& what) const { problem(core::misuse(what).error()); }
  void problem(core::Refusal refusal) const;
  [[nodiscard]] Reading& reading() const { return *reading_; }

 private:
  [[nodiscard]] std::optional<double> number() const;
  void refuse(double number, const char* kind, double least, double most) const;
  [[nodiscard]] std::string whole_path() const;

  std::optional<Napi::Value> value_;
  std::string path_;
  std::string name_;
  Reading* reading_;
  bool argument_;
};

}  // namespace neardata::native
