// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace tessera::report {

/// Writes rows that are equal on several devices once. Most devices of a mesh do the same, and rows
/// of cores, threads and links are most of a report.
///
/// `rows` are objects with a key `device`, sorted by device. The result is {"rows": the different
/// rows without that key; "devices": [[device, [first, count, first, count, …]], …]}: the rows of
/// each device, as ranges. html/model.js reverses it for the page.
[[nodiscard]] nlohmann::ordered_json fold_devices(nlohmann::ordered_json rows);

/// Returns the original rows, in their order.
/// Errors   nlohmann::json::exception if `folded` has another form.
[[nodiscard]] nlohmann::ordered_json unfold_devices(const nlohmann::ordered_json& folded);

}  // namespace tessera::report
