// SPDX-License-Identifier: Apache-2.0
#include "rtl/shim/verilated_context.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace neardata::rtl {

namespace {

/// One evaluation that prints without end must not fill the memory.
constexpr std::size_t kMostCharacters = 1 << 20;
/// A line that is longer is passed on in pieces.
constexpr std::size_t kLongestLine = 1 << 16;
/// Signals that a message names.
constexpr int kMostSignals = 3;

/// Every context of a plug-in is an RtlContext, and its owner enters it before each eval.
RtlContext& current() { return static_cast<RtlContext&>(*Verilated::threadContextp()); }

/// `file.sv:12` of a path and a line.
std::string place_in(std::string_view path, int line) {
  return std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line);
}

/// The text between two marks after `from`, which is set to its end; empty if there is none.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end,
                         std::size_t& from) {
  const std::size_t start = text.find(begin, from);
  if (start == std::string_view::npos) return {};
  const std::size_t stop = text.find(end, start + begin.size());
  if (stop == std::string_view::npos) return {};
  from = stop;
  return text.substr(start + begin.size(), stop - start - begin.size());
}

/// The signals of the triggers that Verilator printed as active, such as
/// "is active: @([hybrid] a.b {c.sv:8})".
std::string active_signals(std::string_view text) {
  std::string all;
  std::size_t from = 0;
  for (int count = 0; count < kMostSignals; ++count) {
    const std::string_view found = between(text, "is active: @(", ")\n", from);
    if (found.empty()) break;
    const std::size_t place = found.find(" {");
    std::string_view name = found.substr(0, place);
    name.remove_prefix(name.rfind(' ') + 1);
    all += (all.empty() ? "" : ", ") + std::string(name);
    if (place == std::string_view::npos) continue;
    const std::string_view where = found.substr(place + 2);
    all += " (" + std::string(where.substr(0, where.find('}'))) + ")";
  }
  return all;
}

}  // namespace

void RtlContext::print(std::string_view text) {
  if (printed_.size() < kMostCharacters) printed_ += text;
}

void RtlContext::pass_on(bool all) {
  std::string_view rest = printed_;
  const auto pass = [this, &rest](std::size_t length, std::size_t end) {
    if (printer_.print != nullptr) printer_.print(printer_.receiver, rest.data(), length);
    rest.remove_prefix(length + end);
  };
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    pass(end, 1);
  }
  if (!rest.empty() && (all || rest.size() >= kLongestLine)) pass(rest.size(), 0);
  printed_.erase(0, printed_.size() - rest.size());
}

void RtlContext::stop_by_exception(const char* what) {
  gotError(true);
  gotFinish(true);
  if (!place_.empty()) return;
  place_ = "a function that the RTL imports";
  message_ = std::string("it threw an exception: ") + what;
}

void RtlContext::stop_for_good(const char* file, int line, const char* scope,
                               std::string_view why) {
  constexpr std::string_view kUnsettled = "did not converge";
  if (why.find(kUnsettled) == std::string_view::npos || !place_.empty()) {
    print(why);
    stop(file, line, scope);
  } else {
    gotError(true);
    gotFinish(true);
    const std::string signals = active_signals(printed_);
    place_ = signals.empty() ? place_in(file, line) : signals;
    message_ = "combinational logic does not settle: it still changes after 100 evaluations";
    printed_.clear();
  }
  throw ModelStopped{};
}

void RtlContext::stop(const char* file, int line, const char* scope) {
  gotError(true);
  gotFinish(true);
  if (!place_.empty()) return;
  const std::string where = place_in(file, line);
  // Verilator prints "[time] %Error: file:line: Assertion failed in scope: text" before it stops.
  constexpr std::string_view kFailed = "Assertion failed in ";
  // Lines before that error are messages of the model.
  std::string error = printed_;
  if (const auto begin = printed_.rfind("%Error: "); begin != std::string::npos) {
    const auto line_begin = printed_.rfind('\n', begin);
    const std::size_t from = line_begin == std::string::npos ? 0 : line_begin + 1;
    error = printed_.substr(from);
    printed_.erase(from);
  } else {
    printed_.clear();
  }
  std::string_view text = error;
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

// VL_USER_STOP, VL_USER_FINISH and VL_USER_FATAL exclude Verilator's own functions.
void vl_stop(const char* filename, int linenum, const char* hier) {
  neardata::rtl::current().stop(filename, linenum, hier);
}

void vl_finish(const char* filename, int linenum, const char* hier) {
  neardata::rtl::current().print("the model called $finish");
  neardata::rtl::current().stop(filename, linenum, hier);
}

void vl_fatal(const char* filename, int linenum, const char* hier, const char* msg) {
  neardata::rtl::current().stop_for_good(filename, linenum, hier, msg);
}
