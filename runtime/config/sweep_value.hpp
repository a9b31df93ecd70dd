// SPDX-License-Identifier: Apache-2.0
// YAML forms of axes and points of a sweep.
#pragma once

#include <string>

#include "emu/base/fields/value.hpp"
#include "runtime/config/sweep_spec.hpp"

namespace tessera::config {

/// `{key.path: [value, …], …}`: each key has a list of one or more different values.
template <>
struct Value<SweepAxes> {
    static constexpr JsonForm kJson = JsonForm::Text;
    [[nodiscard]] static Parsed<SweepAxes> parse(const Node& node);
    [[nodiscard]] static std::string show(const SweepAxes& axes);
    [[nodiscard]] static std::string allowed() { return "{key.path: [value, …], …}"; }
};

/// `[{key.path: value, …}, …]`: each point is a map of one or more keys.
template <>
struct Value<SweepPoints> {
    static constexpr JsonForm kJson = JsonForm::Text;
    [[nodiscard]] static Parsed<SweepPoints> parse(const Node& node);
    [[nodiscard]] static std::string show(const SweepPoints& points);
    [[nodiscard]] static std::string allowed() { return "[{key.path: value, …}, …]"; }
};

}  // namespace tessera::config
