// SPDX-License-Identifier: Apache-2.0
// Rows that say in other words what programs here read.
#pragma once

#include <string>
#include <string_view>

namespace tessera::score {

/// Parameters as the programs of this folder spell them:
/// - "grid=one row" and "grid=one column" are left out: the workload says which of the two the far
///   ends are, and num_dest how many;
/// - flows of "other_flows" join those of "flow";
/// - "(1,1)<-(2,2)", a read by the first core, becomes "(1,1)->(2,2)": the core that issues first.
[[nodiscard]] std::string respelled(std::string_view parameters);

}  // namespace tessera::score
