// SPDX-License-Identifier: Apache-2.0
// Binds facts: values with a source and, if known, a range.
#pragma once

#include <string>

#include "runtime/config/bind.hpp"

namespace tessera::config {

/// Binds `{value: …, source: …, range: [low, high]}`. Only an override may give a value alone; the
/// override's text is then the source.
/// Errors   recorded: no map, no value, no source, "assumed" without a reason, unknown key, a value
///          outside its range.
void bind_fact(const Field& field, const Node& node, void* object, const std::string& path,
               Binding& binding);

/// Binds a fact whose value is a list of maps. Values of all elements have the fact's source.
void bind_fact_list(const Field& field, const Node& node, void* object, const std::string& path,
                    Binding& binding);

/// Binds each entry of a map with free names as a fact.
void bind_fact_map(const Field& field, const Node& node, void* object, const std::string& path,
                   Binding& binding);

}  // namespace tessera::config
