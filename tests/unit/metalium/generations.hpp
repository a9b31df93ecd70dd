// SPDX-License-Identifier: Apache-2.0
// Compute kernels in the spellings of the three API generations: each packs one tile to buffer 16.
#pragma once

namespace tessera::testing {

/// 1/4, through the older entry and DST pair.
void generation_a();
/// 4, with the experimental objects.
void generation_b();
/// The transpose of the tile in buffer 0.
void generation_c();

}  // namespace tessera::testing
