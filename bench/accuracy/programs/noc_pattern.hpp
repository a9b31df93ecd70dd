// SPDX-License-Identifier: Apache-2.0
// Which cores talk to which in a row of the NoC latency table.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/row.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"

namespace tessera::score {

enum class Mechanism : std::uint8_t { Unicast, Multicast, LinkedMulticast };
/// Where the far ends lie: one core, a rectangle from (0,0) on, the first row or column.
enum class Extent : std::uint8_t { One, All, Row, Column };

struct NocPattern {
    bool many_masters = false;  ///< as many masters as far ends, else one
    bool is_read = false;
    Extent extent = Extent::One;
    Mechanism mechanism = Mechanism::Unicast;
};

/// From words such as "NoC one from all unicast", "NoC row_to_row multicast linked".
/// Errors   NotExpressible for other words.
[[nodiscard]] NocPattern noc_pattern_of(const Row& row, const Parameters& parameters);

struct NocParties {
    CoreRangeSet masters;
    CoreRange rectangle;              ///< of receivers, for multicasts
    std::vector<CoreCoord> far_ends;  ///< each master's, for unicasts
};

/// Cores as the estimator's sweeps choose them: far ends from (0,0) on; a single master inside of
/// the rectangle if nothing is left beside it or a multicast includes its sender, else beside it.
/// Errors   NotExpressible if the device has no room for them.
[[nodiscard]] NocParties noc_parties_of(const NocPattern& pattern, const Parameters& parameters,
                                        const ArchSpec& arch);

}  // namespace tessera::score
