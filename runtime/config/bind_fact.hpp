// SPDX-License-Identifier: Apache-2.0
// Binding of facts: values with a source and, where known, a range.
#pragma once

#include <string>

#include "runtime/config/bind.hpp"

namespace tessera::config {

/// Binds `{value: …, source: …, range: [low, high]}`. A bare value is taken from an override
/// only, whose text then is the source.
/// Errors   noted: no map, no value, no source, "assumed" without a reason, unknown key, a value
///          outside its range.
void bind_fact(const Field& field, const Node& node, void* object, const std::string& path,
               Binding& binding);

/// As bind_fact, the value being a list of maps; each element's values inherit the source.
void bind_fact_list(const Field& field, const Node& node, void* object, const std::string& path,
                    Binding& binding);

/// Binds each entry of a map as a fact, whatever its name.
void bind_fact_map(const Field& field, const Node& node, void* object, const std::string& path,
                   Binding& binding);

}  // namespace tessera::config
