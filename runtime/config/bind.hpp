// SPDX-License-Identifier: Apache-2.0
// Second stage of configuration: binds nodes to structs, through tables of fields.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "emu/base/fields/field.hpp"
#include "emu/base/fields/node.hpp"
#include "runtime/config/resolved.hpp"
#include "runtime/config/violations.hpp"

namespace tessera::config {

/// Result under construction: bound values, and the mistakes found so far.
struct Binding {
    Resolved resolved;
    Violations violations;
};

/// Sets the members of `object` that `fields` name from the map `node`, and records each value in
/// `binding`. `path` is the key path of the map ("" or "arch."). Absent keys take their default,
/// through the same parser. `elsewhere` are keys of the same map that the caller has taken out: a
/// misspelt key may mean one of them.
/// Errors   none thrown; recorded as violations: unknown key (with the nearest known one), missing
///          required key, value of another type, unit or shape, number out of range, fact without
///          source.
void bind_fields(std::span<const Field> fields, const Node& node, void* object,
                 const std::string& path, Binding& binding,
                 std::span<const std::string_view> elsewhere = {});

}  // namespace tessera::config
