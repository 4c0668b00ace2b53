// SPDX-License-Identifier: Apache-2.0
//
// Checks the engine's requests to the flash.
#include <string>

#include "system/flash/flash_port.h"

namespace neardata::system {

using core::Expected;
using core::Fs;

/// Whether there can be such a page, and such a request for it.
Expected<void> FlashPort::check(const unit::SparfPageRequest& request, Fs now) const {
  const auto number = [](auto value) { return std::to_string(static_cast<std::uint32_t>(value)); };
  const auto refuse = [&](const std::string& why) {
    return std::unexpected(core::SimError{
        core::Fault::kProtocol, std::string(name()),
        "page " + number(request.index) + " of kind " + number(request.kind) + " of head " +
            number(request.head) + " was asked for with tag " + number(request.tag) + ": " + why,
        now});
  };
  if (request.head >= flash_.heads.size()) {
    return refuse("the run has " + std::to_string(flash_.heads.size()) + " heads");
  }
  const FlashHead& named = flash_.heads[request.head];
  if (request.kind > unit::PageKind::kDimKeys) return refuse("kinds of pages are 0, 1 and 2");
  if (!flash_.cache.has_page(named.head, request.kind, request.index)) {
    return refuse("the head's tokens do not reach so far");
  }
  if (request.write) {
    if (named.grows) return {};
    return refuse("it is to be written for a head that nothing is appended to");
  }
  if (request.tag >= reads_.tags()) {
    return refuse("tags are below " + std::to_string(reads_.tags()));
  }
  if (reads_.is_requested(request.tag)) return refuse("another page is on its way with this tag");
  return {};
}

}  // namespace neardata::system
