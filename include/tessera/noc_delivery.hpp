// SPDX-License-Identifier: Apache-2.0
// Delivery order of NoC transfers.
#pragma once

#include <cstdint>

namespace tessera {

/// Time at which the bytes of a NoC transfer take effect. A correct kernel gives the same bytes
/// under all three.
enum class NocDelivery : std::uint8_t {
    AtIssue,    ///< during the call that issues the transfer
    AtBarrier,  ///< at the latest time that barriers, flushes and ordering allow
    Random,     ///< at a random call between these two, chosen by a seed
};

}  // namespace tessera
