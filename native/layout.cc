// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

namespace neardata::native {

Napi::Value Layout::to_js(Napi::Env env) const {
  const auto object_of = [&](const std::map<std::string, std::string>& texts) {
    const Napi::Object out = Napi::Object::New(env);
    for (const auto& [name, text] : texts) out.Set(name, text);
    return out;
  };
  const Napi::Object out = Napi::Object::New(env);
  out.Set("records", object_of(records));
  out.Set("calls", object_of(calls));
  std::string names;
  for (const std::string& name : handles) names += (names.empty() ? "" : " ") + name;
  out.Set("handles", names);
  return out;
}

void Layout::add_field(std::string& text, std::string_view name, const std::string& type,
                       bool all) {
  if (!text.empty()) text += ' ';
  text += name;
  if (all || type != "number") text += ':' + type;
}

}  // namespace neardata::native
