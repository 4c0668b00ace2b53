// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a bench's input, read front to back as little-endian values. An input that is too
// short throws std::runtime_error, before memory is allocated for the missing part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
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

/// All of a file as values. The memory is not cleared before it is read into.
template <typename T>
struct FileValues {
  std::unique_ptr<T[]> values;
  std::size_t size = 0;
  [[nodiscard]] const T* begin() const { return values.get(); }
  [[nodiscard]] const T* end() const { return values.get() + size; }
};

/// With one read. @throws std::runtime_error when it cannot be read
template <typename T>
FileValues<T> values_of_file(const std::string& path) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const std::size_t size = in ? static_cast<std::size_t>(in.tellg()) / sizeof(T) : 0;
  FileValues<T> all{std::make_unique_for_overwrite<T[]>(size), size};
  in.seekg(0);
  in.read(reinterpret_cast<char*>(all.values.get()),
          static_cast<std::streamsize>(size * sizeof(T)));
  if (!in) throw std::runtime_error(path + " cannot be read");
  return all;
}

/// The exit code of a bench: the result of `work`, or 2 with a line on stderr if it throws.
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
