// SPDX-License-Identifier: Apache-2.0
//
// Orders writes as NAND requires. In one plane, operations of one kind may run concurrently;
// operations of another kind wait for their end. A moved page is read before it is written, and
// written before its old block is erased. A program whose bytes are not complete yet blocks later
// operations of its plane.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "flash/translation/kv_translation.h"
#include "system/flash/page_reading.h"

namespace neardata::system {

struct FlashWrite {
  flash::FlashWork work;
  std::vector<std::byte> bytes;  ///< of a program of a page that was not moved
  bool gathering = false;        ///< they are not all there yet
  PageReading reading;           ///< of a moved page; for other work, the time of its start
};

class FlashWriter {
 public:
  explicit FlashWriter(const flash::DeviceShape& device);

  /// Identifies added work until it is finished.
  struct Id {
    std::uint32_t value = 0;
    friend constexpr bool operator==(Id, Id) = default;
  };

  Id add(FlashWrite write);
  /// The bytes of a program are complete.
  void gathered(Id id);

  /// Appends the operations that may begin; each is returned once.
  void start(std::vector<Id>& ready);
  [[nodiscard]] const FlashWrite& at(Id id) const { return writes_[id.value]; }

  [[nodiscard]] PageReading& reading(Id id) { return writes_[id.value].reading; }

  /// It has been done: hands it back.
  [[nodiscard]] FlashWrite finish(Id id);

  [[nodiscard]] std::size_t outstanding() const { return outstanding_; }
  /// Everything that is not done yet, in order.
  [[nodiscard]] std::vector<FlashWrite> abandon();

 private:
  struct Plane {
    std::deque<Id> running;  ///< oldest first
    std::deque<Id> waiting;
    bool changed = false;
  };
  [[nodiscard]] Plane& plane_of(const flash::Place& place);
  void touch(Plane& plane);

  flash::DeviceShape device_;
  std::vector<Plane> planes_;
  std::vector<Plane*> changed_;  ///< may have something to begin
  std::vector<FlashWrite> writes_;
  std::vector<Id> free_;
  std::size_t outstanding_ = 0;
};

}  // namespace neardata::system
