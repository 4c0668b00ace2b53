// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a bench's input, read front to back as little-endian values. What ends before all
// that is asked of it throws std::runtime_error, before any memory is taken for the missing part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace neardata::bench {

/// All bytes of a file. @throws std::runtime_error when it cannot be read
inline std::vector<char> bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) throw std::runtime_error(path + " cannot be read");
  return bytes;
}

/// The exit code of a bench: what `work` returns, or 2 and a line on stderr when it throws.
template <typename Work>
int exit_code_of(const char* input, Work work) {
  try {
    return work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", input, error.what());
    return 2;
  }
}

class FileBytes {
 public:
  explicit FileBytes(std::span<const char> bytes) : rest_(bytes) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  template <typename T>
  [[nodiscard]] std::vector<T> values(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count > rest_.size() / sizeof(T)) {
      throw std::runtime_error("the input ends inside of what it announces");
    }
    std::vector<T> out(count);
    const std::size_t bytes = count * sizeof(T);
    if (bytes != 0) std::memcpy(out.data(), rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
    return out;
  }

  template <typename T>
  [[nodiscard]] T value() {
    return values<T>(1).front();
  }

  [[nodiscard]] std::uint32_t word() { return value<std::uint32_t>(); }

 private:
  std::span<const char> rest_;
};

}  // namespace neardata::bench
