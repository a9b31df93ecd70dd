// SPDX-License-Identifier: Apache-2.0
// Senders and receivers of a row of the NoC latency table.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/row.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"

namespace tessera::score {

enum class Mechanism : std::uint8_t { Unicast, Multicast, LinkedMulticast };
/// Far ends: one core, a rectangle from (0,0) on, the first row or column.
enum class Extent : std::uint8_t { One, All, Row, Column };

struct NocPattern {
    bool many_masters = false;  ///< as many masters as far ends, or one master
    bool is_read = false;
    Extent extent = Extent::One;
    Mechanism mechanism = Mechanism::Unicast;
};

/// Parses words such as "NoC one from all unicast", "NoC row_to_row multicast linked".
/// Errors   NotExpressible for other words.
[[nodiscard]] NocPattern noc_pattern_of(const Row& row, const Parameters& parameters);

struct NocParties {
    CoreRangeSet masters;
    CoreRange rectangle;              ///< receivers of multicasts
    std::vector<CoreCoord> far_ends;  ///< far ends of each master, for unicasts
};

/// Returns cores as the estimator's sweeps choose them. Far ends start at (0,0). A single master is
/// inside of their rectangle if no core is free outside or if a multicast includes its sender.
/// Otherwise it is outside.
/// Errors   NotExpressible if the device has too few cores.
[[nodiscard]] NocParties noc_parties_of(const NocPattern& pattern, const Parameters& parameters,
                                        const ArchSpec& arch);

}  // namespace tessera::score
