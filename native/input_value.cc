// SPDX-License-Identifier: Apache-2.0
#include "input_value.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace neardata::native {

namespace {

constexpr std::size_t kLongestText = 4096;
constexpr std::int64_t kLargest = std::int64_t{1} << 62U;
/// More than any list of a machine's parts has.
constexpr std::uint32_t kMostItems = 1U << 20U;

std::string shown(double number) {
  std::ostringstream out;
  out.precision(17);
  out << number;
  return out.str();
}

}  // namespace

core::Answer<void> Reading::finish() {
  for (const auto& look : later) look();
  if (problem) return std::unexpected(*std::move(problem));
  return {};
}

InputValue::InputValue(Napi::Value value, std::string path, std::string name, Reading& reading,
                       bool argument)
    : path_(std::move(path)), name_(std::move(name)), reading_(&reading), argument_(argument) {
  if (!value.IsEmpty() && !value.IsUndefined()) value_ = value;
}

InputValue InputValue::operator[](const char* name) const {
  Napi::Value found;
  if (value_ && value_->IsObject() && !value_->Env().IsExceptionPending()) {
    found = value_->As<Napi::Object>().Get(name);
  }
  return {found, whole_path(), name, *reading_};
}

bool InputValue::is_object() const {
  if (value_ && value_->IsObject()) return true;
  if (!reading_->problem) reading_->problem = {"misuse", whole_path() + ": is not an object"};
  return false;
}

std::vector<InputValue> InputValue::items() const {
  if (!value_ || !value_->IsArray()) {
    complain("is no array");
    return {};
  }
  const auto array = value_->As<Napi::Array>();
  const std::uint32_t count = array.Length();
  if (count > kMostItems) {
    problem(core::bad_input("has more than " + std::to_string(kMostItems) + " items").error());
    return {};
  }
  std::vector<InputValue> items;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Napi::Value item = array.Get(i);
    if (item.IsEmpty()) return {};  // its getter threw: that error is pending
    items.emplace_back(item, path_, name_ + "[" + std::to_string(i) + "]", *reading_);
  }
  return items;
}

std::int64_t InputValue::whole(core::Range range) const {
  auto given = number();
  if (!given) return range.least;
  const auto least = static_cast<double>(range.least);
  const auto most = static_cast<double>(range.most);
  // A larger value is clamped: the code that uses the argument rejects it with its own message.
  if (argument_ && range.most == kLargest) given = std::min(*given, most);
  const bool is_whole = *given == std::floor(*given);
  if (is_whole && *given >= least && *given <= most) return static_cast<std::int64_t>(*given);
  if (argument_) {
    complain("is no whole number from " + shown(least) + " to " + shown(most));
  } else {
    refuse(*given, "a whole number", least, most);
  }
  return range.least;
}

double InputValue::real(core::RealRange range) const {
  const auto given = number();
  if (!given) return range.least;
  if (*given >= range.least && *given <= range.most) return *given;
  refuse(*given, "a number", range.least, range.most);
  return range.least;
}

std::string InputValue::text() const {
  if (!value_ || !value_->IsString()) {
    complain("is not a string");
    return {};
  }
  std::size_t length = 0;
  napi_get_value_string_utf8(value_->Env(), *value_, nullptr, 0, &length);
  if (length > kLongestText) {
    problem(core::bad_input("is longer than " + std::to_string(kLongestText) + " bytes").error());
    return {};
  }
  std::string text = value_->As<Napi::String>().Utf8Value();
  if (text.find('\0') == std::string::npos) return text;
  problem(core::bad_input("has a zero byte in it").error());
  return {};
}

bool InputValue::flag() const {
  if (value_ && value_->IsBoolean()) return value_->As<Napi::Boolean>().Value();
  complain("is not true or false");
  return false;
}

std::size_t InputValue::choice(std::span<const char* const> words) const {
  const std::string given = text();
  const auto found = std::ranges::find(words, given);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (std::size_t w = 0; w < words.size(); ++w) {
    all += (w == 0 ? "" : w + 1 == words.size() ? " or " : ", ") + std::string(words[w]);
  }
  complain("is " + all);
  return 0;
}

void InputValue::problem(core::Refusal refusal) const {
  if (reading_->problem) return;
  const std::string name = name_.empty() ? "" : name_ + " ";
  refusal.message = path_ + ": " + name + refusal.message;
  reading_->problem = std::move(refusal);
}

std::optional<double> InputValue::number() const {
  if (value_ && value_->IsNumber()) return value_->As<Napi::Number>().DoubleValue();
  complain("is not a number");
  return std::nullopt;
}

void InputValue::refuse(double number, const char* kind, double least, double most) const {
  problem(core::bad_input("is " + shown(number) + ", and must be " + kind + " from " +
                          shown(least) + " to " + shown(most))
              .error());
}

std::string InputValue::whole_path() const { return name_.empty() ? path_ : path_ + "." + name_; }

}  // namespace neardata::native
