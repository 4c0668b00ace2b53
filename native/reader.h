// SPDX-License-Identifier: Apache-2.0
//
// Reads plain objects from JavaScript into structs. The TypeScript side has checked its users'
// values; what this finds is a disagreement between the two sides, so the first one is kept, with
// its path, and reading goes on with zeros.
#pragma once

#include <napi.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace neardata::native {

class Reader {
 public:
  Reader(Napi::Value value, std::string path, std::optional<std::string>& problem)
      : path_(std::move(path)), problem_(&problem) {
    if (value.IsObject()) {
      object_ = value.As<Napi::Object>();
    } else {
      complain("is not an object");
    }
  }

  [[nodiscard]] bool has(const char* name) const { return get(name).has_value(); }

  [[nodiscard]] Reader object(const char* name) const {
    const auto value = get(name);
    return Reader(value ? *value : object_.Env().Undefined(), path_ + "." + name, *problem_);
  }

  /// A whole number from `least` on.
  [[nodiscard]] std::int64_t whole(const char* name, std::int64_t least = 0) const {
    constexpr double kLargest = 9007199254740992.0;
    const double number = real(name);
    if (number == std::floor(number) && number >= static_cast<double>(least) &&
        number <= kLargest) {
      return static_cast<std::int64_t>(number);
    }
    complain(std::string(name) + " is not a whole number from " + std::to_string(least) + " on");
    return least;
  }

  [[nodiscard]] std::uint32_t whole32(const char* name) const {
    const std::int64_t number = whole(name);
    if (number <= std::numeric_limits<std::uint32_t>::max()) {
      return static_cast<std::uint32_t>(number);
    }
    complain(std::string(name) + " does not fit 32 bits");
    return 0;
  }

  [[nodiscard]] double real(const char* name) const {
    const auto value = get(name);
    if (value && value->IsNumber()) return value->As<Napi::Number>().DoubleValue();
    complain(std::string(name) + " is not a number");
    return 0;
  }

  [[nodiscard]] std::string text(const char* name) const {
    const auto value = get(name);
    if (value && value->IsString()) return value->As<Napi::String>().Utf8Value();
    complain(std::string(name) + " is not a string");
    return {};
  }

  [[nodiscard]] bool flag(const char* name) const {
    const auto value = get(name);
    if (value && value->IsBoolean()) return value->As<Napi::Boolean>().Value();
    complain(std::string(name) + " is not true or false");
    return false;
  }

  void complain(const std::string& what) const {
    if (!*problem_) *problem_ = path_ + ": " + what;
  }

 private:
  [[nodiscard]] std::optional<Napi::Value> get(const char* name) const {
    if (object_.IsEmpty()) return std::nullopt;
    const Napi::Value value = object_.Get(name);
    if (value.IsEmpty() || value.IsUndefined()) return std::nullopt;
    return value;
  }

  Napi::Object object_;
  std::string path_;
  std::optional<std::string>* problem_;
};

}  // namespace neardata::native
