// SPDX-License-Identifier: Apache-2.0
// Contents of a tensor's bytes before they are written.
#pragma once

#include <cstdint>

namespace tessera {

/// Contents of a newly allocated tensor. A correct program's results do not depend on it: rows past
/// the counts and the padding of tiles are never read, or are multiplied by zero.
enum class UnwrittenMemory : std::uint8_t {
    AsLeft,  ///< bytes of the memory's last tensor, zeros at first; as on a card
    Nan,     ///< every byte 0xFF: NaN in each floating-point format, out of range as an index
};

}  // namespace tessera
