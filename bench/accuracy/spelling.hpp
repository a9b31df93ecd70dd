// SPDX-License-Identifier: Apache-2.0
// Translates alternative spellings of rows to those that the programs read.
#pragma once

#include <string>
#include <string_view>

namespace tessera::score {

/// Returns parameters in the spelling of this folder's programs:
/// - "grid=one row" and "grid=one column" are removed: the workload states whether far ends are a
///   row or a column, num_dest their number;
/// - flows of "other_flows" are appended to "flow";
/// - "(1,1)<-(2,2)", a read by the first core, becomes "(1,1)->(2,2)": the issuing core is first.
[[nodiscard]] std::string respelled(std::string_view parameters);

}  // namespace tessera::score
