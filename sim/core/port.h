// SPDX-License-Identifier: Apache-2.0
//
// The ports of a part, by which a machine joins it to other parts. A port is a pointer to its end
// of a channel, and as fast as a pointer. It is null until the machine assigns a channel; an open
// optional port stays null. Its name and rules are in the declaration of the part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "core/channel.h"
#include "core/component.h"
#include "core/flow_control.h"

namespace neardata::core {

/// The description of a message type.
struct MessageType {
  std::string_view name;         ///< of one: "read request"
  std::uint32_t data_bytes = 0;  ///< of data in each; 0 if there are none, or if the number varies
};

/// The message type of T: a member of T, or a specialisation for a T without members.
template <typename T>
inline constexpr MessageType kMessageType = T::kMessage;

/// The receiver's end of a channel; the contract is that of the channel.
template <typename T>
class Receiver {
 public:
  [[nodiscard]] const T* front(Fs now) const { return channel_->front(now); }
  [[nodiscard]] Fs front_time() const { return channel_->front_time(); }
  void pop(Fs now) const { channel_->pop(now); }
  [[nodiscard]] bool empty() const { return channel_->empty(); }
  [[nodiscard]] std::size_t size() const { return channel_->size(); }

 private:
  template <typename U>
  friend class In;
  Channel<T>* channel_ = nullptr;
};

/// The sender's end of a channel, likewise.
template <typename T>
class Sender {
 public:
  [[nodiscard]] bool try_push(Fs now, const T& message) const {
    return channel_->try_push(now, message);
  }
  [[nodiscard]] bool try_push(Fs now, T&& message) const {
    return channel_->try_push(now, std::move(message));
  }
  [[nodiscard]] std::size_t room(Fs now) const { return channel_->room(now); }
  [[nodiscard]] bool full(Fs now) const { return channel_->full(now); }
  /// Whether its receiver is in another partition of the engine.
  [[nodiscard]] bool crosses() const { return channel_->crosses(); }

 private:
  template <typename U>
  friend class Out;
  Channel<T>* channel_ = nullptr;
};

/// A port that receives messages.
template <typename T>
class In {
 public:
  void join(Channel<T>& channel) { end_.channel_ = &channel; }
  explicit operator bool() const { return end_.channel_ != nullptr; }
  const Receiver<T>* operator->() const { return &end_; }
  const Receiver<T>& operator*() const { return end_; }

 private:
  Receiver<T> end_;
};

/// An output port for messages.
template <typename T>
class Out {
 public:
  void join(Channel<T>& channel) { end_.channel_ = &channel; }
  explicit operator bool() const { return end_.channel_ != nullptr; }
  const Sender<T>* operator->() const { return &end_; }
  const Sender<T>& operator*() const { return end_; }

 private:
  Sender<T> end_;
};

enum class Direction : std::uint8_t { kIn, kOut };

/// Requirements of a part for the edge of a port.
struct PortRules {
  /// All ports of an option are joined or none of them; a port without one must be joined.
  std::string_view option = {};
  std::size_t least_capacity = 1;
  /// A receiver is woken so much later than a message becomes visible.
  Fs patience = {};
  /// Address at which the channel stores its front_time(), for a receiver of many channels; kNever
  /// while there is none.
  Fs* front_time = nullptr;
};

/// A channel of a machine, with any message type.
class Edge {
 public:
  Edge() = default;
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;
  virtual ~Edge() = default;
  /// Messages that the receiver has popped.
  [[nodiscard]] virtual std::uint64_t messages() const = 0;
  [[nodiscard]] virtual ChannelBase& channel() = 0;
};

/// How a channel is made: channel.h.
struct EdgeEnds {
  std::size_t capacity;
  Cycle latency;
  FlowControl flow_control;
  const Clock& sender_clock;
  const Clock& receiver_clock;
  Alarm& sender;
  Alarm& receiver;
};

/// A port as its part declares it.
class PortDeclaration {
 public:
  PortDeclaration(std::string name, Direction direction, const std::type_info& type,
                  const MessageType& message, const PortRules& rules)
      : name_(std::move(name)),
        direction_(direction),
        type_(&type),
        message_(message),
        rules_(rules) {}
  PortDeclaration(const PortDeclaration&) = delete;
  PortDeclaration& operator=(const PortDeclaration&) = delete;
  virtual ~PortDeclaration() = default;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Direction direction() const { return direction_; }
  [[nodiscard]] const MessageType& message() const { return message_; }
  [[nodiscard]] const PortRules& rules() const { return rules_; }
  [[nodiscard]] bool fits(const PortDeclaration& other) const { return *type_ == *other.type_; }

  /// For an output: creates a channel to a matching input, and connects both ends.
  [[nodiscard]] virtual std::unique_ptr<Edge> join(PortDeclaration& input,
                                                   const EdgeEnds& ends) = 0;

 private:
  std::string name_;
  Direction direction_;
  const std::type_info* type_;
  MessageType message_;
  PortRules rules_;
};

/// The ports of a part, in the order in which it declares them.
class PortList {
 public:
  template <typename T>
  void in(std::string name, In<T>& port, const PortRules& rules = {}) {
    ports_.push_back(std::make_unique<Input<T>>(std::move(name), port, rules));
  }
  template <typename T>
  void out(std::string name, Out<T>& port, const PortRules& rules = {}) {
    ports_.push_back(std::make_unique<Output<T>>(std::move(name), port, rules));
  }
  [[nodiscard]] const std::vector<std::unique_ptr<PortDeclaration>>& ports() const {
    return ports_;
  }

 private:
  template <typename T>
  class EdgeOf final : public Edge {
   public:
    explicit EdgeOf(const EdgeEnds& ends)
        : queue(ends.capacity, ends.sender_clock, ends.receiver_clock, ends.latency,
                ends.flow_control) {}
    [[nodiscard]] std::uint64_t messages() const override { return queue.popped(); }
    [[nodiscard]] ChannelBase& channel() override { return queue; }
    Channel<T> queue;
  };

  template <typename T>
  class Input final : public PortDeclaration {
   public:
    Input(std::string name, In<T>& declared, const PortRules& rules)
        : PortDeclaration(std::move(name), Direction::kIn, typeid(T), kMessageType<T>, rules),
          port(declared) {}
    std::unique_ptr<Edge> join(PortDeclaration& /*input*/, const EdgeEnds& /*ends*/) override {
      return nullptr;
    }
    In<T>& port;
  };

  template <typename T>
  class Output final : public PortDeclaration {
   public:
    Output(std::string name, Out<T>& declared, const PortRules& rules)
        : PortDeclaration(std::move(name), Direction::kOut, typeid(T), kMessageType<T>, rules),
          port_(declared) {}
    std::unique_ptr<Edge> join(PortDeclaration& input, const EdgeEnds& ends) override {
      auto* target = dynamic_cast<Input<T>*>(&input);
      if (target == nullptr) return nullptr;
      auto edge = std::make_unique<EdgeOf<T>>(ends);
      edge->queue.connect(ends.sender, ends.receiver, input.rules().patience);
      if (Fs* place = input.rules().front_time) edge->queue.keep_front_time(*place);
      port_.join(edge->queue);
      target->port.join(edge->queue);
      return edge;
    }

   private:
    Out<T>& port_;
  };

  std::vector<std::unique_ptr<PortDeclaration>> ports_;
};

/// The name of a port of many: "pages[3]".
[[nodiscard]] inline std::string port_of(std::string_view name, std::size_t number) {
  return std::string(name) + "[" + std::to_string(number) + "]";
}

}  // namespace neardata::core
