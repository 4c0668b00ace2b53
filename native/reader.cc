// SPDX-License-Identifier: Apache-2.0
#include "reader.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace neardata::native {

namespace {

constexpr std::size_t kLongestText = 4096;
/// More than any list of a machine's parts has.
constexpr std::uint32_t kMostItems = 1U << 20U;

std::string shown(double number) {
  std::ostringstream out;
  out.precision(17);
  out << number;
  return out.str();
}

std::string range_of(double least, double most) {
  return " from " + shown(least) + " to " + shown(most);
}

}  // namespace

std::optional<std::uint64_t> whole_argument(const Napi::CallbackInfo& info, std::size_t argument) {
  constexpr double kMost = 0x1p62;
  if (!info[argument].IsNumber()) return std::nullopt;
  const double value = info[argument].As<Napi::Number>().DoubleValue();
  if (!(value >= 0) || value != std::floor(value)) return std::nullopt;
  return static_cast<std::uint64_t>(std::min(value, kMost));
}

Reader::Reader(Napi::Value value, std::string path, Problem& problem)
    : env_(value.Env()), path_(std::move(path)), problem_(&problem) {
  if (value.IsObject()) {
    object_ = value.As<Napi::Object>();
  } else {
    complain("is not an object");
  }
}

Reader Reader::object(const char* name) const {
  return {value(name), path_ + "." + name, *problem_};
}

Napi::Value Reader::value(const char* name) const {
  const auto found = get(name);
  return found ? *found : env_.Undefined();
}

std::int64_t Reader::whole(const char* name, limits::Range range) const {
  const auto given = number(name);
  if (!given) return range.least;
  const auto least = static_cast<double>(range.least);
  const auto most = static_cast<double>(range.most);
  if (*given == std::floor(*given) && *given >= least && *given <= most) {
    return static_cast<std::int64_t>(*given);
  }
  refuse(std::string(name) + " is " + shown(*given) + ", and must be a whole number" +
         range_of(least, most));
  return range.least;
}

std::uint32_t Reader::whole32(const char* name, limits::Range range) const {
  return static_cast<std::uint32_t>(whole(name, range));
}

double Reader::real(const char* name, limits::RealRange range) const {
  const auto given = number(name);
  if (!given) return range.least;
  if (*given >= range.least && *given <= range.most) return *given;
  refuse(std::string(name) + " is " + shown(*given) + ", and must be a number" +
         range_of(range.least, range.most));
  return range.least;
}

std::string Reader::text(const char* name) const {
  const auto value = get(name);
  if (!value || !value->IsString()) {
    complain(std::string(name) + " is not a string");
    return {};
  }
  std::size_t length = 0;
  napi_get_value_string_utf8(env_, *value, nullptr, 0, &length);
  if (length > kLongestText) {
    refuse(std::string(name) + " is longer than " + std::to_string(kLongestText) + " bytes");
    return {};
  }
  std::string text = value->As<Napi::String>().Utf8Value();
  if (text.find('\0') == std::string::npos) return text;
  refuse(std::string(name) + " has a zero byte in it");
  return {};
}

bool Reader::flag(const char* name) const {
  const auto value = get(name);
  if (value && value->IsBoolean()) return value->As<Napi::Boolean>().Value();
  complain(std::string(name) + " is not true or false");
  return false;
}

std::vector<Napi::Value> Reader::items(const char* name) const {
  const auto value = get(name);
  if (!value || !value->IsArray()) {
    complain(std::string(name) + " is no array");
    return {};
  }
  const auto array = value->As<Napi::Array>();
  const std::uint32_t count = array.Length();
  if (count > kMostItems) {
    refuse(std::string(name) + " has more than " + std::to_string(kMostItems) + " items");
    return {};
  }
  std::vector<Napi::Value> items;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Napi::Value item = array.Get(i);
    if (item.IsEmpty()) return {};  // its getter threw: that error is pending
    items.push_back(item);
  }
  return items;
}

void Reader::complain(const std::string& what) const {
  if (!*problem_) *problem_ = Refusal{"misuse", path_ + ": " + what};
}

void Reader::refuse(const std::string& what) const {
  if (!*problem_) *problem_ = Refusal{"bad-input", path_ + ": " + what};
}

std::optional<Napi::Value> Reader::get(const char* name) const {
  if (object_.IsEmpty() || env_.IsExceptionPending()) return std::nullopt;
  const Napi::Value value = object_.Get(name);
  if (value.IsEmpty() || value.IsUndefined()) return std::nullopt;
  return value;
}

std::optional<double> Reader::number(const char* name) const {
  const auto value = get(name);
  if (value && value->IsNumber()) return value->As<Napi::Number>().DoubleValue();
  complain(std::string(name) + " is not a number");
  return std::nullopt;
}

}  // namespace neardata::native
