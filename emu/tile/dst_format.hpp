// SPDX-License-Identifier: Apache-2.0
// Format of one element of a DST register.
#pragma once

#include <cstdint>

namespace tessera::tile {

/// Float32: `fp32_dest_acc_en`. Float16_b: 16-bit DST, every result rounded to bf16.
enum class DstFormat : std::uint8_t { Float32, Float16_b };

}  // namespace tessera::tile
