// SPDX-License-Identifier: Apache-2.0
#include "machine_record.h"

#include "number.h"

namespace neardata::native {

namespace {

template <typename T>
Napi::Array list(Napi::Env env, const std::vector<T>& values, auto object_of) {
  Napi::Array out = Napi::Array::New(env, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.Set(static_cast<std::uint32_t>(i), object_of(env, values[i]));
  }
  return out;
}

Napi::Object clock_to_js(Napi::Env env, const core::ClockRecord& clock) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("name", clock.name);
  out.Set("hertz", number(clock.frequency.value));
  return out;
}

Napi::Object port_to_js(Napi::Env env, const core::PortRecord& port) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("name", port.name);
  out.Set("direction", port.direction == core::Direction::kIn ? "in" : "out");
  out.Set("message", port.message);
  out.Set("option", port.option);
  out.Set("joined", port.joined);
  return out;
}

Napi::Object part_to_js(Napi::Env env, const core::PartRecord& part) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("name", part.name);
  out.Set("kind", part.kind);
  out.Set("room", part.room);
  out.Set("clock", part.clock);
  out.Set("ports", list(env, part.ports, port_to_js));
  return out;
}

Napi::Object end_to_js(Napi::Env env, const core::PortName& end) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("part", end.part);
  out.Set("port", end.port);
  return out;
}

Napi::Object edge_to_js(Napi::Env env, const core::EdgeRecord& edge) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("from", end_to_js(env, edge.from));
  out.Set("to", end_to_js(env, edge.to));
  out.Set("message", edge.message);
  out.Set("dataBytes", number(edge.data_bytes));
  out.Set("fromClock", edge.from_clock);
  out.Set("toClock", edge.to_clock);
  out.Set("capacity", number(edge.capacity));
  out.Set("latency", number(edge.latency.value));
  out.Set("messages", number(edge.messages));
  return out;
}

}  // namespace

Napi::Object machine_to_js(Napi::Env env, const core::MachineRecord& record) {
  Napi::Object out = Napi::Object::New(env);
  out.Set("clocks", list(env, record.clocks, clock_to_js));
  out.Set("parts", list(env, record.parts, part_to_js));
  out.Set("edges", list(env, record.edges, edge_to_js));
  return out;
}

}  // namespace neardata::native
