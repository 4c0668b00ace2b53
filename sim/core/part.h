// SPDX-License-Identifier: Apache-2.0
//
// A component with a name, a clock and ports, which a machine joins to others. It is made without
// its channels; they are there from the machine's first instant on.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/clock.h"
#include "core/component.h"
#include "core/port.h"

namespace neardata::core {

/// The place of a part: its name in the machine, and the clock of its domain.
struct Placement {
  std::string name;
  Clock clock;
};

/// Names of a part and of one of its ports.
struct PortName {
  std::string part;
  std::string port;

  friend bool operator==(const PortName&, const PortName&) = default;
};

class Part : public Component {
 public:
  explicit Part(Placement place) : place_(std::move(place)) {}

  [[nodiscard]] std::string_view name() const final { return place_.name; }
  [[nodiscard]] const Clock& clock() const { return place_.clock; }

  /// The name of a port of this part, for an edge.
  [[nodiscard]] PortName port(std::string name) const { return {place_.name, std::move(name)}; }

  /// The type of the part in messages, such as "output router".
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Declares every port that the part has; once, after it was made.
  virtual void declare(PortList& ports) = 0;
  /// The time of the first call, unless a message wakes the part earlier.
  [[nodiscard]] virtual Fs begins() const { return kNever; }

 private:
  Placement place_;
};

}  // namespace neardata::core
