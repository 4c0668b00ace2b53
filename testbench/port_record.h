// SPDX-License-Identifier: Apache-2.0
//
// The record of a unit's streams in a run: each message with the cycle of its acceptance. Another
// driver can send the same messages in the same cycles and compare the outputs
// (src/tools/bench/port-record.ts reads it).
//
// A file of little-endian 32-bit words: "NDPR", a version, the cycles of the run from its reset,
// and the number of lanes; then each lane: 16 bytes of the stream's name, padded with zeros, its
// number in the stream, 1 for messages into the unit, words per message, and the number of
// messages; then, per lane, the cycles and the words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neardata::bench {

class PortRecord {
 public:
  /// Messages of one lane. Words are fields in the order of the unit's ports, each in whole words.
  class Lane {
   public:
    Lane(std::string_view stream, std::uint32_t number, bool into, std::uint32_t width)
        : number_(number), into_(into ? 1 : 0), width_(width) {
      if (stream.size() >= name_.size()) throw std::logic_error("a name of a stream is too long");
      std::ranges::copy(stream, name_.begin());
    }

    /// Parts of a message one after another. @throws std::logic_error when they are not its words
    void add(std::uint64_t cycle, std::initializer_list<std::span<const std::uint32_t>> parts) {
      for (const auto& part : parts) words_.insert(words_.end(), part.begin(), part.end());
      cycles_.push_back(static_cast<std::uint32_t>(cycle));
      if (words_.size() != cycles_.size() * width_) {
        throw std::logic_error("a message of another width than its lane's");
      }
    }

   private:
    friend class PortRecord;
    std::array<char, 16> name_{};
    std::uint32_t number_;
    std::uint32_t into_;
    std::uint32_t width_;
    std::vector<std::uint32_t> cycles_;
    std::vector<std::uint32_t> words_;
  };

  /// As many lanes of a stream, which are not moved by later ones. @returns the first one's place
  std::size_t add(std::string_view stream, bool into, std::uint32_t width,
                  std::uint32_t lanes = 1) {
    const std::size_t first = lanes_.size();
    for (std::uint32_t i = 0; i < lanes; ++i) lanes_.emplace_back(stream, i, into, width);
    return first;
  }

  [[nodiscard]] Lane& lane(std::size_t place) { return lanes_[place]; }

  /// @throws std::runtime_error when the file cannot be written
  void write(const std::string& path, std::uint64_t cycles) const {
    std::ofstream file(path, std::ios::binary);
    const auto put = [&file](std::span<const std::uint32_t> words) {
      file.write(reinterpret_cast<const char*>(words.data()),
                 static_cast<std::streamsize>(words.size_bytes()));
    };
    const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    constexpr std::uint32_t kMagic = 0x5250444E;  // "NDPR"
    constexpr std::uint32_t kVersion = 1;
    put(std::array{kMagic, kVersion, static_cast<std::uint32_t>(cycles), count(lanes_)});
    for (const Lane& lane : lanes_) {
      file.write(lane.name_.data(), lane.name_.size());
      put(std::array{lane.number_, lane.into_, lane.width_, count(lane.cycles_)});
    }
    for (const Lane& lane : lanes_) {
      put(lane.cycles_);
      put(lane.words_);
    }
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path);
  }

 private:
  std::vector<Lane> lanes_;
};

}  // namespace neardata::bench
