// SPDX-License-Identifier: Apache-2.0
// Compute kernels in the spellings of the three API generations: each packs one tile to buffer 16.
#pragma once

namespace tessera::testing {

/// Packs 1/4, through the older entry and DST pair.
void generation_a();
/// Packs 4, with the experimental objects.
void generation_b();
/// Packs the transpose of the tile in buffer 0.
void generation_c();

}  // namespace tessera::testing
