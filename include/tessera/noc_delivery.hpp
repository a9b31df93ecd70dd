// SPDX-License-Identifier: Apache-2.0
// Delivery order of NoC transfers.
#pragma once

#include <cstdint>

namespace tessera {

/// Time at which the bytes of a NoC transfer take effect. A correct kernel gives the same bytes
/// under all three.
enum class NocDelivery : std::uint8_t {
    AtIssue,    ///< inside the call that issues it
    AtBarrier,  ///< as late as a barrier, a flush or ordering allows
    Random,     ///< at a seeded random call in between
};

}  // namespace tessera
