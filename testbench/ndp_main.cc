// SPDX-License-Identifier: Apache-2.0
//
// Runs `dimm_ndp` without Node on a simple memory: the Verilated unit, its cycle model, or both in
// lockstep with every output compared in every cycle. Each job is a line of `key=value` words, from
// the arguments or, without any, one from each line of the standard input; each answers with one
// line of JSON. Exit code 1 when a job failed. testbench/ndp_job.h names the words.
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "testbench/file_bytes.h"
#include "testbench/ndp_case.h"
#include "testbench/ndp_job.h"
#include "testbench/ndp_run.h"

namespace {

using namespace neardata;
using bench::Case;
using bench::Job;
using bench::kUnit;
using bench::Outcome;
using bench::Run;

void compare(const bench::Writes& got, const bench::Writes& wanted, bool values) {
  if (got.size() != wanted.size()) {
    throw std::runtime_error(std::to_string(got.size()) + " bursts written, " +
                             std::to_string(wanted.size()) + " expected");
  }
  for (const auto& [place, burst] : wanted) {
    const auto found = got.find(place);
    const std::string where =
        "stream " + std::to_string(place.first) + " burst " + std::to_string(place.second);
    if (found == got.end()) throw std::runtime_error(where + " is not written");
    if (!values) continue;
    for (std::size_t i = 0; i < burst.size(); ++i) {
      if (found->second[i] == burst[i]) continue;
      throw std::runtime_error(where + " value " + std::to_string(i) + " is " +
                               std::to_string(found->second[i]) + ", expected " +
                               std::to_string(burst[i]));
    }
  }
}

/// FNV-1a over the written bursts and their addresses.
std::uint64_t hash(const bench::Writes& writes) {
  std::uint64_t value = 0xcbf29ce484222325;
  const auto mix = [&value](std::uint64_t x) { value = (value ^ x) * 0x100000001b3; };
  for (const auto& [place, burst] : writes) {
    mix(place.first);
    mix(place.second);
    for (const auto v : burst) mix(v);
  }
  return value;
}

void write_out(const std::string& path, const bench::Writes& writes) {
  std::ofstream file(path, std::ios::binary);
  for (const auto& [place, burst] : writes) {
    file.write(reinterpret_cast<const char*>(&place.first), sizeof place.first);
    file.write(reinterpret_cast<const char*>(&place.second), sizeof place.second);
    file.write(reinterpret_cast<const char*>(burst.data()), sizeof burst);
  }
}

/// The descriptors of a job, each behind the one before it.
std::vector<Case> cases_of(const Job& job) {
  std::vector<Case> cases;
  cases.reserve(1 + job.then.size());
  const auto add = [&cases](Case one, const bench::Part& part) {
    if (!cases.empty()) one.move(cases.back().end());
    if (part.broken != 0) one.break_field(part.broken);
    cases.push_back(std::move(one));
  };
  add(job.image.empty() ? Case(kUnit, job.shape, job.contents, job.seed)
                        : Case(kUnit, bench::bytes_of_file(job.image)),
      job);
  for (const bench::Part& part : job.then) {
    add(Case(kUnit, part.shape, part.contents, part.seed), part);
  }
  return cases;
}

/// Runs a job and prints its line. False when it failed.
bool run(const std::string& line) {
  std::ostringstream json;
  bool ok = true;
  try {
    const Job job = bench::parse_job(line);
    const std::vector<Case> cases = cases_of(job);
    const Outcome outcome = Run(job, cases).go();
    std::uint64_t bursts = 0;
    bench::Writes expected;
    for (const Case& one : cases) {
      bursts += one.bursts_to_read();
      if (job.check) expected.merge(one.expected());
    }
    if (job.check) compare(outcome.writes, expected, job.engine != "cycle");
    if (!job.out.empty()) write_out(job.out, outcome.writes);
    if (!job.pairs.empty()) outcome.pairs.write(job.pairs);
    if (!job.record.empty()) outcome.record.write(job.record, outcome.cycles);
    const double slots = static_cast<double>(outcome.events[0]);
    const auto cycles = static_cast<double>(outcome.cycles);
    json << "{\"ok\":true,\"cycles\":" << outcome.cycles << ",\"skipped\":" << outcome.skipped
         << ",\"events\":[";
    for (std::size_t i = 0; i < outcome.events.size(); ++i) {
      json << (i == 0 ? "" : ",") << outcome.events[i];
    }
    json << "],\"gaps\":[";
    for (std::size_t i = 0; i < outcome.gaps.size(); ++i) {
      json << (i == 0 ? "" : ",") << outcome.gaps[i];
    }
    json << "],\"bursts\":" << bursts
         << ",\"utilisation\":" << slots * (16.0 / kUnit.bits_per_cycle) / cycles
         << ",\"burstsPerCycle\":" << static_cast<double>(bursts) / cycles
         << ",\"seconds\":" << outcome.seconds
         << ",\"kcyclesPerSecond\":" << cycles / outcome.seconds / 1000 << ",\"hash\":\""
         << std::hex << hash(outcome.writes) << "\"}";
  } catch (const std::exception& error) {
    ok = false;
    std::string text = error.what();
    for (char& c : text) c = c == '"' || c == '\\' || c == '\n' ? ' ' : c;
    json << "{\"ok\":false,\"error\":\"" << text << "\"}";
  }
  std::cout << json.str() << std::endl;
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    std::string line;
    for (int i = 1; i < argc; ++i) line += std::string(argv[i]) + ' ';
    return run(line) ? 0 : 1;
  }
  bool ok = true;
  for (std::string line; std::getline(std::cin, line);) ok = run(line) && ok;
  return ok ? 0 : 1;
}
