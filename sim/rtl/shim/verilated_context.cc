// SPDX-License-Identifier: Apache-2.0
#include "rtl/shim/verilated_context.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace neardata::rtl {

namespace {

constexpr std::size_t kKeptCharacters = 4096;

/// Every context of a plug-in is an RtlContext, and its owner enters it before each eval.
RtlContext& current() { return static_cast<RtlContext&>(*Verilated::threadContextp()); }

}  // namespace

void RtlContext::print(std::string_view text) {
  if (printed_.size() < kKeptCharacters) printed_ += text;
}

void RtlContext::stop(const char* file, int line, const char* scope) {
  gotError(true);
  gotFinish(true);
  if (!place_.empty()) return;
  const std::string_view path(file);
  const std::string where =
      std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line);
  // Verilator prints "[time] %Error: file:line: Assertion failed in scope: text" before it stops.
  constexpr std::string_view kFailed = "Assertion failed in ";
  std::string_view text = printed_;
  std::string_view in = scope != nullptr ? scope : "";
  if (const auto begin = text.rfind(kFailed); begin != std::string_view::npos) {
    text.remove_prefix(begin + kFailed.size());
    in = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(text.size(), in.size() + 2));
  }
  if (in.starts_with(kModelName)) in.remove_prefix(kModelName.size() + 1);
  while (text.ends_with('\n')) text.remove_suffix(1);
  place_ = in.empty() ? where : std::string(in) + " (" + where + ")";
  message_ = text.empty() || text == "'assert' failed." ? "assertion failed" : std::string(text);
}

}  // namespace neardata::rtl

void neardata_rtl_print(const char* format, ...) {
  std::array<char, 1024> text{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  neardata::rtl::current().print(text.data());
}

// Verilator's own are left out by VL_USER_STOP, VL_USER_FINISH and VL_USER_FATAL.
void vl_stop(const char* filename, int linenum, const char* hier) {
  neardata::rtl::current().stop(filename, linenum, hier);
}

void vl_finish(const char* filename, int linenum, const char* hier) {
  neardata::rtl::current().print("the model called $finish");
  neardata::rtl::current().stop(filename, linenum, hier);
}

void vl_fatal(const char* filename, int linenum, const char* hier, const char* msg) {
  neardata::rtl::current().print(msg);
  neardata::rtl::current().stop(filename, linenum, hier);
}
