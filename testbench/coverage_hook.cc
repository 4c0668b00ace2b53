// SPDX-License-Identifier: Apache-2.0
//
// Stores the coverage of a Verilated model. It is linked only into coverage builds, where it
// replaces the model's final(): the counts are added to DIRECTORY/NAME.dat, DIRECTORY from the
// environment (NEARDATA_COVERAGE), one file per build, for any number of models and processes.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include RTL_COVERAGE_HEADER
#include "verilated_cov.h"

extern "C" void RTL_COVERAGE_REAL(RTL_COVERAGE_MODEL*);
extern "C" void RTL_COVERAGE_WRAP(RTL_COVERAGE_MODEL*);

namespace {

/// Adds counts of `fresh` to `sum`, line by line: both list the points of one build in one order.
void add_counts(const std::string& sum, const std::string& fresh, const std::string& out) {
  std::ifstream before(sum);
  std::ifstream now(fresh);
  std::ofstream both(out);
  std::string old_line;
  std::string line;
  while (std::getline(now, line)) {
    const auto cut = line.rfind(' ');
    const bool point = line.starts_with("C '");
    std::getline(before, old_line);
    if (point && old_line.compare(0, cut, line, 0, cut) == 0) {
      const std::uint64_t total = std::strtoull(old_line.c_str() + cut, nullptr, 10) +
                                  std::strtoull(line.c_str() + cut, nullptr, 10);
      line.resize(cut + 1);
      line += std::to_string(total);
    }
    both << line << '\n';
  }
}

}  // namespace

void RTL_COVERAGE_WRAP(RTL_COVERAGE_MODEL* model) {
  RTL_COVERAGE_REAL(model);
  const char* directory = std::getenv("NEARDATA_COVERAGE");
  if (directory == nullptr) return;
  const std::string sum = std::string(directory) + "/" RTL_COVERAGE_NAME ".dat";
  const std::string fresh = sum + "." + std::to_string(getpid());
  const int lock = open((sum + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  flock(lock, LOCK_EX);
  model->contextp()->coveragep()->write(fresh.c_str());
  if (access(sum.c_str(), R_OK) == 0) {
    add_counts(sum, fresh, fresh + ".sum");
    std::rename((fresh + ".sum").c_str(), sum.c_str());
    std::remove(fresh.c_str());
  } else {
    std::rename(fresh.c_str(), sum.c_str());
  }
  close(lock);
}
