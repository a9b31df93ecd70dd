// SPDX-License-Identifier: Apache-2.0
// A device model with two DRAM banks in a row of the NoC.
#pragma once

#include "tests/arch_fixture.hpp"

namespace tessera::testing {

/// Returns a device with banks at two places of a row, as a Wormhole: links beside the second one
/// also carry reads of the first one.
inline ArchSpec arch_with_two_banks_in_a_row() {
    ArchSpec arch = test_arch();
    for (DramEndpoint& endpoint : arch.dram.endpoints) {
        endpoint.physical = endpoint.physical1 = endpoint.noc;
    }
    return arch;
}

}  // namespace tessera::testing
