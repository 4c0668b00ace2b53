// SPDX-License-Identifier: Apache-2.0
#include "testbench/ndp_job.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace neardata::bench {

namespace {

template <typename Number>
Number number_of(const std::string& key, std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end) {
    throw std::runtime_error(key + " is not a whole number that fits: " + std::string(text));
  }
  return number;
}

}  // namespace

Job parse_job(const std::string& line) {
  Job job;
  std::istringstream words(line);
  static const std::map<std::string, std::uint32_t Shape::*> sizes{
      {"op", &Shape::op},           {"func", &Shape::func},        {"bf16", &Shape::bf16},
      {"tokens", &Shape::tokens},   {"pass", &Shape::pass_tokens}, {"in", &Shape::in_blocks},
      {"mid", &Shape::mid_rows},    {"rows", &Shape::out_rows},    {"weights", &Shape::weights},
      {"repeats", &Shape::repeats}, {"plus", &Shape::up_plus_one}, {"limit", &Shape::limit},
  };
  const std::map<std::string, std::uint32_t*> numbers{
      {"times", &job.times},
      {"latency", &job.traffic.latency},
      {"window", &job.traffic.window},
      {"req", &job.traffic.pause_req},
      {"rsp", &job.traffic.pause_rsp},
      {"outp", &job.traffic.pause_out},
      {"done", &job.traffic.pause_done},
  };
  for (std::string word; words >> word;) {
    if (word == "then") {
      job.then.emplace_back();
      continue;
    }
    Part& part = job.then.empty() ? job : job.then.back();
    const auto split = word.find('=');
    if (split == std::string::npos) throw std::runtime_error("not key=value: " + word);
    const std::string key = word.substr(0, split);
    const std::string value = word.substr(split + 1);
    if (const auto number = numbers.find(key); number != numbers.end()) {
      *number->second = number_of<std::uint32_t>(key, value);
    } else if (const auto size = sizes.find(key); size != sizes.end()) {
      part.shape.*size->second = number_of<std::uint32_t>(key, value);
    } else if (key == "broken") {
      part.broken = number_of<std::uint32_t>(key, value);
    } else if (key == "engine") {
      job.engine = value;
    } else if (key == "check") {
      job.check = value == "1";
    } else if (key == "skip") {
      job.skip = value == "1";
    } else if (key == "replay") {
      job.replay = value == "1";
    } else if (key == "image") {
      job.image = value;
    } else if (key == "out") {
      job.out = value;
    } else if (key == "pairs") {
      job.pairs = value;
    } else if (key == "record") {
      job.record = value;
    } else if (key == "seed") {
      part.seed = number_of<std::uint64_t>(key, value);
    } else if (key == "traffic") {
      job.traffic.seed = number_of<std::uint64_t>(key, value);
    } else if (key == "rate") {
      const auto slash = std::min(value.find('/'), value.size());
      job.traffic.rate_bursts = number_of<std::uint32_t>(key, value.substr(0, slash));
      job.traffic.rate_cycles =
          number_of<std::uint32_t>(key, value.substr(std::min(slash + 1, value.size())));
      if (job.traffic.rate_bursts == 0) throw std::runtime_error("rate 0/... answers nothing");
    } else if (key == "contents") {
      part.contents = value == "any"    ? Contents::kAny
                      : value == "wild" ? Contents::kWild
                                        : Contents::kTame;
    } else {
      throw std::runtime_error("unknown key: " + key);
    }
  }
  if (job.times == 0) throw std::runtime_error("times=0 runs nothing");
  return job;
}

}  // namespace neardata::bench
