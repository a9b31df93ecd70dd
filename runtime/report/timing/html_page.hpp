// SPDX-License-Identifier: Apache-2.0
// report.html: one file that needs no network and no other file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tessera::report {

/// The page with `report`, as to_json of a TimingReport gives it, inside.
[[nodiscard]] std::string html_page(const nlohmann::ordered_json& report);

}  // namespace tessera::report
