// SPDX-License-Identifier: Apache-2.0
// How far computed values lie from a reference: correlation and relative error, or bfloat16 ulps.
//
// Values that are not finite are never averaged away. A NaN agrees with a NaN and an infinity with
// the same infinity; any other pair with a value that is not finite is a fault of its own, counted,
// and fails every tolerance. Means and correlation are over the pairs in which both are finite;
// where there are values but no such pair, nothing was shown and no tolerance holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tessera/number_view.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// Computed values and their reference, of equal size.
struct ComparedPart {
    NumberView test;
    NumberView reference;
};

/// A pair of values and where it stands: element `index` of part `part`.
struct ComparedPair {
    std::size_t part = 0;
    std::size_t index = 0;
    double test = 0;
    double reference = 0;
};

struct CloseTolerance {
    double pcc_min = 0;
    double max_rel_err = 0;
};

/// Result of a comparison over one or several parts together.
struct Closeness {
    std::uint64_t num_elements = 0;
    std::uint64_t num_finite = 0;  ///< pairs in which both sides are
    std::uint64_t num_nonfinite_faults = 0;
    /// Pearson correlation. Where a side is constant: 1 if all values are equal, else 0. 0 where
    /// nothing is finite.
    double pcc = 1;
    double reference_rms = 0;
    /// max |test - ref| / max(|ref|, rms(ref)); infinity if there is a fault or, against a
    /// reference of zeros, any difference.
    double max_rel_err = 0;
    std::optional<ComparedPair> worst;         ///< none if all agree
    std::optional<ComparedPair> first_beyond;  ///< first pair beyond max_rel_err, or fault

    /// There are values, and no pair of them is finite.
    [[nodiscard]] bool is_void() const noexcept { return num_elements != 0 && num_finite == 0; }
    [[nodiscard]] bool passes(const CloseTolerance& tolerance) const noexcept;
};

/// Errors   InternalError if the two sides of a part differ in size.
[[nodiscard]] Closeness compare_close(std::span<const ComparedPart> parts,
                                      const CloseTolerance& tolerance);
[[nodiscard]] Closeness compare_close(const NumberView& test, const NumberView& reference,
                                      const CloseTolerance& tolerance);

struct UlpTolerance {
    double max_ulp = 0;
    double atol = 0;
    double mismatch_fraction_max = 0;
};

/// Result of a comparison in units of the last place of bfloat16 references.
struct UlpCloseness {
    std::uint64_t num_elements = 0;
    std::uint64_t num_finite = 0;  ///< pairs in which both sides are
    std::uint64_t num_nonfinite_faults = 0;
    std::uint64_t num_mismatches = 0;  ///< pairs that differ as numbers (+0 equals -0), or faults
    /// max (|test - ref| - atol) / ulp(ref), not below 0; infinity if there is a fault.
    double max_ulp_beyond_atol = 0;
    std::optional<ComparedPair> first_mismatch;
    std::optional<ComparedPair> first_beyond;  ///< first pair beyond max_ulp · ulp + atol, or fault

    /// There are values, and no pair of them is finite.
    [[nodiscard]] bool is_void() const noexcept { return num_elements != 0 && num_finite == 0; }
    [[nodiscard]] double mismatch_fraction() const noexcept;
    [[nodiscard]] bool passes(const UlpTolerance& tolerance) const noexcept;
};

/// Distance of a bfloat16 of that size to the next: 2^(floor(log2 |value|) - 7), 2^-133 for
/// denormals and zero.
[[nodiscard]] double ulp_bf16(double value) noexcept;

/// Errors   InternalError if the two sides of a part differ in size.
[[nodiscard]] UlpCloseness compare_ulps(std::span<const ComparedPart> parts,
                                        const UlpTolerance& tolerance);
[[nodiscard]] UlpCloseness compare_ulps(const NumberView& test, const NumberView& reference,
                                        const UlpTolerance& tolerance);

/// "(2,0,5)": the position of a row-major element index in a shape.
[[nodiscard]] std::string position_in(const Shape& shape, std::size_t index);

}  // namespace tessera
