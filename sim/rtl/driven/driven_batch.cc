// SPDX-License-Identifier: Apache-2.0
#include "rtl/driven/driven_batch.h"

#include <algorithm>
#include <utility>

namespace neardata::rtl {

DrivenBatch DrivenBatches::copy(std::span<const std::uint32_t> words,
                                std::span<const std::uint32_t> pauses) {
  DrivenBatch batch = std::exchange(spare_, {});
  batch.count = width_ == 0 ? pauses.size() : words.size() / width_;
  batch.paused = std::ranges::any_of(pauses, [](std::uint32_t pause) { return pause != 0; });
  batch.words.clear();
  std::uint32_t* to = batch.words.extend(batch.count * (width_ + (batch.paused ? 1 : 0)));
  if (!batch.paused) {
    std::ranges::copy(words, to);
    return batch;
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    *to++ = i < pauses.size() ? pauses[i] : 0;
    to = std::copy_n(words.data() + i * width_, width_, to);
  }
  return batch;
}

const DrivenBatch& DrivenBatches::hold(DrivenBatch batch) {
  count_ += batch.count;
  return batches_.emplace_back(std::move(batch));
}

void DrivenBatches::release(std::uint64_t waiting) {
  while (!batches_.empty() && count_ - batches_.front().count >= waiting) {
    count_ -= batches_.front().count;
    if (batches_.front().words.capacity() > spare_.words.capacity())
      spare_ = std::move(batches_.front());
    batches_.pop_front();
  }
}

}  // namespace neardata::rtl
