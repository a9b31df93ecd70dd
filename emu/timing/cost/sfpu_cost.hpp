// SPDX-License-Identifier: Apache-2.0
// Prices functions of the vector unit on a tile of DST.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

/// Returns the name of the row of SfpuTiming::functions that prices a call ("exp_tile") in the mode
/// of its event's detail; empty if the call costs `other`. The view lives as long as `timing`.
[[nodiscard]] std::string_view row_of_call(const SfpuTiming& timing, const std::string& call,
                                           std::uint8_t detail);

class SfpuCost {
public:
    /// `names` are those of the trace, which events of kind Sfpu index: "silu_tile" is row "silu".
    SfpuCost(const SfpuTiming& timing, std::span<const std::string> names);

    /// Prices one tile, or half of it if `detail` says so. An approximate mode and a DST of 32 bits
    /// without a row of their own have the price of the function.
    [[nodiscard]] Millicycles of(std::uint64_t name, std::uint8_t detail) const {
        const bool is_approximate = (detail & SfpuDetail::kApproximate) != 0;
        const bool is_fp32 = (detail & SfpuDetail::kDst32) != 0;
        const Millicycles tile = (is_approximate ? approximate_
                                  : is_fp32      ? of_fp32_
                                                 : accurate_)
                                     .at(name);
        return start_ + ((detail & SfpuDetail::kHalfTile) != 0 ? tile / 2 : tile);
    }

    /// Prices a function of sfpi vectors by its issue slots.
    [[nodiscard]] Millicycles of_instructions(std::uint64_t slots) const {
        return start_ + static_cast<Millicycles>(slots) * instruction_;
    }

private:
    Millicycles start_;
    Millicycles instruction_;
    std::vector<Millicycles> accurate_;
    std::vector<Millicycles> approximate_;
    std::vector<Millicycles> of_fp32_;
};

}  // namespace tessera::timing
