// SPDX-License-Identifier: Apache-2.0
// What a core did, counted from its trace.
#pragma once

#include "runtime/report/timing/timing_report.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::report {

/// Fidelity phases of a tile product: 1 to 4.
[[nodiscard]] std::uint32_t phases_of(MathFidelity fidelity) noexcept;

/// Identity, L1, tiles and bytes of a core; `ideal_math` is tile products × phases ×
/// compute.matmul_phase. Times of its threads are 0.
[[nodiscard]] CoreReport core_work(const CoreTrace& core, const ComputeTiming& compute);

}  // namespace tessera::report
