// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace tessera::report {

/// Writes rows that are alike on several devices once. Devices of a mesh mostly do the same, and
/// rows of each core, thread and link are nearly all of a report.
///
/// `rows` are objects with a key `device`, those of a device together. The result is {"rows": those
/// that differ, without that key; "devices": [[device, [first, count, first, count, …]], …]}: which
/// rows each device has, in runs. html/model.js undoes it for the page.
[[nodiscard]] nlohmann::ordered_json fold_devices(nlohmann::ordered_json rows);

/// The rows again, in their order.
/// Errors   nlohmann::json::exception if `folded` is no such object.
[[nodiscard]] nlohmann::ordered_json unfold_devices(const nlohmann::ordered_json& folded);

}  // namespace tessera::report
