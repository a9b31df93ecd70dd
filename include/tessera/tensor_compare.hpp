// SPDX-License-Identifier: Apache-2.0
// Comparison of computed values with a reference: errors by element and sums over all elements, or
// bfloat16 ulps.
//
// A comparison of numbers (`compare_close`) passes if all of these hold:
//   1. every element is within its own tolerance, |test − reference| ≤ max_rel_err · unit + the
//      resolution of the format, where unit = max(|reference|, floor · rms of the reference);
//   2. if the reference varies, the rms of all errors is within max_rms_err, and the scale fitted
//   to
//      all elements is 1 within max_scale_err: this finds an error that all elements share,
//      although it is small in each;
//   3. if the reference varies, the correlation is at least pcc_min.
// Rules 2 and 3 allow a few elements at the limit of their own tolerance (`outliers`), so that only
// rule 1 decides on a small tensor.
//
// Values that are not finite are never averaged. A NaN agrees with a NaN. An infinity agrees with
// the same infinity, or with a number that exceeds the format's range. Any other pair with a value
// that is not finite is a fault, which is counted and fails every tolerance. Sums are over the
// pairs of two finite values. If no value is finite and some are NaN, no tolerance holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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

/// A pair of values and its position: element `index` of part `part`.
struct ComparedPair {
    std::size_t part = 0;
    std::size_t index = 0;
    double test = 0;
    double reference = 0;
};

/// Limits of the format of the computed values.
struct FormatLimits {
    double largest = std::numeric_limits<double>::infinity();  ///< largest finite number
    double spacing = 0;     ///< distance between the numbers nearest to 0
    double block_step = 0;  ///< step of a block of 16 values over their largest magnitude
};
/// Returns the limits of a floating-point format.
/// Errors   UsageError for integer formats.
[[nodiscard]] FormatLimits limits_of(DataFormat format);

/// Limits of compare_close(). Errors are relative to the reference, scaled as `floor` says.
struct CloseTolerance {
    double pcc_min = 0;
    double max_rel_err = 0;
    double floor = 1;  ///< least unit of an element's error, as a share of the rms
    double max_rms_err = std::numeric_limits<double>::infinity();
    double max_scale_err = std::numeric_limits<double>::infinity();
    double max_shrinking = 0;  ///< amount by which the fitted scale may be below 1 − max_scale_err
    double outliers = 0;       ///< elements at the limit of max_rel_err that rules 2 and 3 allow
    FormatLimits format = {};
};

/// Result of a comparison over one or several parts together.
struct Closeness {
    std::uint64_t num_elements = 0;
    std::uint64_t num_finite = 0;  ///< pairs in which both sides are
    std::uint64_t num_nonfinite_faults = 0;
    std::uint64_t num_nan = 0;  ///< pairs of two NaN
    /// Pearson correlation. It is 1 if all values are equal; else NaN if the reference is constant,
    /// and 0 if the computed values are constant or no pair is finite.
    double pcc = 1;
    double pcc_needed = -1;  ///< pcc_min, reduced for outliers and for a dominating mean
    bool varies = false;     ///< whether the reference varies, so that rules 2 and 3 apply
    double reference_rms = 0;
    /// Maximum of error / unit over the elements; infinity if there is a fault, or if the reference
    /// is all zeros and an element differs.
    double max_rel_err = 0;
    double rms_err = 0;  ///< rms of all errors over that of the reference
    double rms_err_allowed = 0;
    double scale = 1;                   ///< scale that fits best: Σ test · ref / Σ ref²
    double scale_err_allowed = 0;       ///< max_scale_err and four deviations of `scale` from noise
    std::optional<ComparedPair> worst;  ///< none if all agree
    std::optional<ComparedPair> first_beyond;  ///< first pair beyond max_rel_err, or fault

    /// Returns whether there are values, but neither finite pairs nor infinities that agree.
    [[nodiscard]] bool is_void() const noexcept {
        return num_elements != 0 && num_finite == 0 && num_nan + num_nonfinite_faults != 0;
    }
    /// Returns the first rule that does not hold, with its figures ("PCC 0.99 is below 0.9999");
    /// empty if the values pass.
    [[nodiscard]] std::string failure(const CloseTolerance& tolerance) const;
    [[nodiscard]] bool passes(const CloseTolerance& tolerance) const;
};

/// Compares the parts as one tensor. In block formats, groups of 16 values that share an exponent
/// start at the start of a part: a part is a row, or rows whose length is a multiple of 16.
/// Errors   InternalError if the two sides of a part differ in size.
[[nodiscard]] Closeness compare_close(std::span<const ComparedPart> parts,
                                      const CloseTolerance& tolerance);
/// Compares one whole tensor.
[[nodiscard]] Closeness compare_close(const NumberView& test, const NumberView& reference,
                                      const CloseTolerance& tolerance);

/// Limits of compare_ulps().
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

    /// Returns whether there are values but no finite pair.
    [[nodiscard]] bool is_void() const noexcept { return num_elements != 0 && num_finite == 0; }
    [[nodiscard]] double mismatch_fraction() const noexcept;
    [[nodiscard]] bool passes(const UlpTolerance& tolerance) const noexcept;
};

/// Returns the distance of a bfloat16 of that size to the next: 2^(floor(log2 |value|) - 7), 2^-133
/// for denormals and zero.
[[nodiscard]] double ulp_bf16(double value) noexcept;

/// Compares the parts as one tensor, in ulps of the reference.
/// Errors   InternalError if the two sides of a part differ in size.
[[nodiscard]] UlpCloseness compare_ulps(std::span<const ComparedPart> parts,
                                        const UlpTolerance& tolerance);
/// Compares one whole tensor.
[[nodiscard]] UlpCloseness compare_ulps(const NumberView& test, const NumberView& reference,
                                        const UlpTolerance& tolerance);

/// Returns the position of a row-major element index in a shape: "(2,0,5)".
[[nodiscard]] std::string position_in(const Shape& shape, std::size_t index);

}  // namespace tessera
