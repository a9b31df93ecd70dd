// SPDX-License-Identifier: Apache-2.0
// What a tensor's bytes hold that nobody has written.
#pragma once

#include <cstdint>

namespace tessera {

/// A correct program's results do not depend on it: rows behind the counts, the padding of tiles
/// and whatever a kernel leaves out are never read, or multiplied away.
enum class UnwrittenMemory : std::uint8_t {
    AsLeft,  ///< what the memory's last holder left, zeros at first; as on a card
    Nan,     ///< every byte 0xFF: NaN in each floating-point format, out of range as an index
};

}  // namespace tessera
