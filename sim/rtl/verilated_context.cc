// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated_context.h"

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
  place_ = scope != nullptr && *scope != '\0' ? std::string(scope) + " " : std::string();
  place_ += "(" + std::string(file) + ":" + std::to_string(line) + ")";
  while (!printed_.empty() && printed_.back() == '\n') printed_.pop_back();
  message_ = printed_.empty() ? "the model stopped" : printed_;
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
