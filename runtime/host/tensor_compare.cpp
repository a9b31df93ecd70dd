// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/tensor_compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kBlock = 512;  // values of both sides in L1

enum class PairKind : std::uint8_t { Finite, AgreeNonfinite, Fault };

PairKind kind_of(double test, double reference) noexcept {
    if (std::isfinite(test) && std::isfinite(reference)) [[likely]] {
        return PairKind::Finite;
    }
    const bool agree = test == reference || (std::isnan(test) && std::isnan(reference));
    return agree ? PairKind::AgreeNonfinite : PairKind::Fault;
}

/// Calls `visit(part, index, test, reference)` for each pair, part by part.
template <class Visit>
void for_each_pair(std::span<const ComparedPart> parts, Visit visit) {
    std::array<double, kBlock> test{};
    std::array<double, kBlock> reference{};
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::size_t size = parts[part].test.size();
        ensure(size == parts[part].reference.size(),
               "comparison: part {} has {} values and {} references", part, size,
               parts[part].reference.size());
        for (std::size_t first = 0; first < size; first += kBlock) {
            const std::size_t count = std::min(kBlock, size - first);
            parts[part].test.load(first, std::span(test).first(count));
            parts[part].reference.load(first, std::span(reference).first(count));
            for (std::size_t i = 0; i < count; ++i) {
                visit(part, first + i, test[i], reference[i]);
            }
        }
    }
}

/// Sums of the first pass; means are exact enough in double for the second to centre on.
struct Means {
    std::uint64_t num_finite = 0;
    double test = 0;
    double reference = 0;
    double reference_rms = 0;
};

Means means_of(std::span<const ComparedPart> parts, Closeness& result) {
    Means means;
    double squares = 0;
    for_each_pair(parts, [&](std::size_t, std::size_t, double test, double reference) {
        ++result.num_elements;
        const PairKind kind = kind_of(test, reference);
        if (kind != PairKind::Finite) {
            result.num_nonfinite_faults += kind == PairKind::Fault ? 1 : 0;
            return;
        }
        ++means.num_finite;
        means.test += test;
        means.reference += reference;
        squares += reference * reference;
    });
    const auto count = static_cast<double>(std::max<std::uint64_t>(1, means.num_finite));
    means.test /= count;
    means.reference /= count;
    means.reference_rms = std::sqrt(squares / count);
    return means;
}

double relative_error(double test, double reference, double rms) noexcept {
    const double error = std::abs(test - reference);
    return error == 0 ? 0 : error / std::max(std::abs(reference), rms);
}

double correlation(double covariance, double test_squares, double reference_squares,
                   double max_rel_err) noexcept {
    if (test_squares == 0 || reference_squares == 0) {
        return max_rel_err == 0 ? 1 : 0;
    }
    return covariance / std::sqrt(test_squares) / std::sqrt(reference_squares);
}

}  // namespace

bool Closeness::passes(const CloseTolerance& tolerance) const noexcept {
    return num_nonfinite_faults == 0 && pcc >= tolerance.pcc_min &&
           max_rel_err <= tolerance.max_rel_err;
}

Closeness compare_close(std::span<const ComparedPart> parts, const CloseTolerance& tolerance) {
    Closeness result;
    const Means means = means_of(parts, result);
    result.reference_rms = means.reference_rms;
    double covariance = 0;
    double test_squares = 0;
    double reference_squares = 0;
    for_each_pair(parts, [&](std::size_t part, std::size_t index, double test, double reference) {
        const PairKind kind = kind_of(test, reference);
        double error = kind == PairKind::Fault ? kInfinity : 0;
        if (kind == PairKind::Finite) [[likely]] {
            const double t = test - means.test;
            const double r = reference - means.reference;
            covariance += t * r;
            test_squares += t * t;
            reference_squares += r * r;
            error = relative_error(test, reference, means.reference_rms);
        }
        if (error > tolerance.max_rel_err && !result.first_beyond) {
            result.first_beyond = ComparedPair{part, index, test, reference};
        }
        if (error > result.max_rel_err) {
            result.max_rel_err = error;
            result.worst = ComparedPair{part, index, test, reference};
        }
    });
    result.pcc = correlation(covariance, test_squares, reference_squares, result.max_rel_err);
    return result;
}

Closeness compare_close(const NumberView& test, const NumberView& reference,
                        const CloseTolerance& tolerance) {
    const ComparedPart part{test, reference};
    return compare_close(std::span(&part, 1), tolerance);
}

double UlpCloseness::mismatch_fraction() const noexcept {
    return num_elements == 0
               ? 0
               : static_cast<double>(num_mismatches) / static_cast<double>(num_elements);
}

bool UlpCloseness::passes(const UlpTolerance& tolerance) const noexcept {
    return num_nonfinite_faults == 0 && max_ulp_beyond_atol <= tolerance.max_ulp &&
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
    for_each_pair(parts, [&](std::size_t part, std::size_t index, double test, double reference) {
        ++result.num_elements;
        const PairKind kind = kind_of(test, reference);
        if (kind == PairKind::AgreeNonfinite || test == reference) [[likely]] {
            return;
        }
        const bool is_fault = kind == PairKind::Fault;
        const double beyond = std::max(0.0, std::abs(test - reference) - tolerance.atol);
        const double ulps = is_fault ? kInfinity : beyond / ulp_bf16(reference);
        const ComparedPair pair{part, index, test, reference};
        result.num_nonfinite_faults += is_fault ? 1 : 0;
        ++result.num_mismatches;
        result.max_ulp_beyond_atol = std::max(result.max_ulp_beyond_atol, ulps);
        result.first_mismatch = result.first_mismatch.value_or(pair);
        if (ulps > tolerance.max_ulp) {
            result.first_beyond = result.first_beyond.value_or(pair);
        }
    });
    return result;
}

UlpCloseness compare_ulps(const NumberView& test, const NumberView& reference,
                          const UlpTolerance& tolerance) {
    const ComparedPart part{test, reference};
    return compare_ulps(std::span(&part, 1), tolerance);
}

std::string position_in(const Shape& shape, std::size_t index) {
    Shape position(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        position[i] = static_cast<std::uint32_t>(index % shape[i]);
        index /= shape[i];
    }
    return to_string(position);
}

}  // namespace tessera
