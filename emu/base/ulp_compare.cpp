// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "emu/base/compared_pairs.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera {
namespace {

class UlpPass {
public:
    UlpPass(UlpCloseness& result, const UlpTolerance& tolerance)
        : result_(result), tolerance_(tolerance) {}

    void visit(const PairBlock& block) {
        result_.num_elements += block.test.size();
        for (std::size_t i = 0; i < block.test.size(); ++i) {
            // x · 0 is 0 for finite values, NaN for others.
            result_.num_finite += block.test[i] * 0 + block.reference[i] * 0 == 0 ? 1 : 0;
            if (block.test[i] != block.reference[i]) [[unlikely]] {
                take_unequal(block.pair(i));
            }
        }
    }

private:
    void take_unequal(const ComparedPair& pair) {
        const PairKind kind = kind_of(pair.test, pair.reference);
        if (kind == PairKind::TwoNan || kind == PairKind::AgreeInfinite) {
            return;
        }
        const double ulps = kind == PairKind::Fault ? std::numeric_limits<double>::infinity()
                                                    : ulps_beyond_atol(pair);
        result_.num_nonfinite_faults += kind == PairKind::Fault ? 1 : 0;
        ++result_.num_mismatches;
        result_.max_ulp_beyond_atol = std::max(result_.max_ulp_beyond_atol, ulps);
        result_.first_mismatch = result_.first_mismatch.value_or(pair);
        if (ulps > tolerance_.max_ulp) {
            result_.first_beyond = result_.first_beyond.value_or(pair);
        }
    }

    [[nodiscard]] double ulps_beyond_atol(const ComparedPair& pair) const noexcept {
        const double beyond = std::abs(pair.test - pair.reference) - tolerance_.atol;
        return std::max(0.0, beyond) / ulp_bf16(pair.reference);
    }

    UlpCloseness& result_;
    const UlpTolerance& tolerance_;
};

}  // namespace

double UlpCloseness::mismatch_fraction() const noexcept {
    return num_elements == 0
               ? 0
               : static_cast<double>(num_mismatches) / static_cast<double>(num_elements);
}

bool UlpCloseness::passes(const UlpTolerance& tolerance) const noexcept {
    return num_nonfinite_faults == 0 && !is_void() && max_ulp_beyond_atol <= tolerance.max_ulp &&
           mismatch_fraction() <= tolerance.mismatch_fraction_max;
}

double ulp_bf16(double value) noexcept {
    constexpr int min_exponent = -126;
    constexpr int fraction_bits = 7;
    const int exponent = value == 0 ? min_exponent : std::max(min_exponent, std::ilogb(value));
    return std::ldexp(1.0, exponent - fraction_bits);
}

UlpCloseness compare_ulps(std::span<const ComparedPart> parts, const UlpTolerance& tolerance) {
    UlpCloseness result;
    UlpPass pass(result, tolerance);
    for_each_block(parts, [&](const PairBlock& block) { pass.visit(block); });
    return result;
}

UlpCloseness compare_ulps(const NumberView& test, const NumberView& reference,
                          const UlpTolerance& tolerance) {
    const ComparedPart part{test, reference};
    return compare_ulps(std::span(&part, 1), tolerance);
}

}  // namespace tessera
