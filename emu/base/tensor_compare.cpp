// SPDX-License-Identifier: Apache-2.0
#include "tessera/tensor_compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "emu/base/compared_pairs.hpp"

namespace tessera {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Independent sums, so that additions do not wait for each other.
constexpr std::size_t kLanes = 4;
using Lanes = std::array<double, kLanes>;

double total(const Lanes& lanes) noexcept {
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/// Calls `step(i, lane)` for 0 … count−1, with the lanes in turn.
template <class Step>
void for_each_lane(std::size_t count, Step step) {
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            step(i + lane, lane);
        }
    }
    for (std::size_t lane = 0; i < count; ++i, ++lane) {
        step(i, lane);
    }
}

/// Values that share an exponent in block formats.
constexpr std::size_t kBlockValues = 16;

/// Pairs of a block with two finite sides, each with the unavoidable error of its format.
class FinitePairs {
public:
    FinitePairs(const PairBlock& block, const CloseTolerance& tolerance)
        : test_(block.test), reference_(block.reference) {
        const FormatLimits& format = tolerance.format;
        std::ranges::fill(allowance_, format.spacing);
        if (format.block_step > 0) {
            allow_for_blocks(format.block_step);
        }
        if (!all_finite(block)) {
            keep_finite(block, largest_compared(tolerance));
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return test_.size(); }
    [[nodiscard]] double test(std::size_t i) const noexcept { return test_[i]; }
    [[nodiscard]] double reference(std::size_t i) const noexcept { return reference_[i]; }
    /// Returns |test − reference| beyond the resolution of the format.
    [[nodiscard]] double error(std::size_t i) const noexcept {
        return std::max(0.0, std::abs(test_[i] - reference_[i]) - allowance_[i]);
    }
    [[nodiscard]] std::uint64_t num_faults() const noexcept { return num_faults_; }
    [[nodiscard]] std::uint64_t num_nan() const noexcept { return num_nan_; }

private:
    /// Returns whether all values are finite: x · 0 is 0 for finite values, NaN for others.
    static bool all_finite(const PairBlock& block) noexcept {
        Lanes zeros{};
        for_each_lane(block.test.size(), [&](std::size_t i, std::size_t lane) {
            zeros[lane] += block.test[i] * 0 + block.reference[i] * 0;
        });
        return total(zeros) == 0;
    }

    void allow_for_blocks(double step) noexcept {
        for (std::size_t first = 0; first < size(); first += kBlockValues) {
            const std::size_t count = std::min(kBlockValues, size() - first);
            double largest = 0;
            for (std::size_t i = first; i < first + count; ++i) {
                const double magnitude = std::abs(reference_[i]);
                largest = std::isfinite(magnitude) ? std::max(largest, magnitude) : largest;
            }
            std::fill_n(allowance_.begin() + static_cast<std::ptrdiff_t>(first), count,
                        step * largest);
        }
    }

    void keep_finite(const PairBlock& block, double largest) noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < block.test.size(); ++i) {
            const PairKind kind = kind_of(block.test[i], block.reference[i], largest);
            num_faults_ += kind == PairKind::Fault ? 1 : 0;
            num_nan_ += kind == PairKind::TwoNan ? 1 : 0;
            if (kind == PairKind::Finite) {
                kept_test_[kept] = block.test[i];
                allowance_[kept] = allowance_[i];
                kept_reference_[kept++] = block.reference[i];
            }
        }
        test_ = std::span(kept_test_).first(kept);
        reference_ = std::span(kept_reference_).first(kept);
    }

    std::span<const double> test_;
    std::span<const double> reference_;
    std::uint64_t num_faults_ = 0;
    std::uint64_t num_nan_ = 0;
    std::array<double, kPairsPerBlock> allowance_;
    std::array<double, kPairsPerBlock> kept_test_;
    std::array<double, kPairsPerBlock> kept_reference_;
};

/// Means of both sides and the rms of the reference, over the finite pairs.
struct Means {
    double test = 0;
    double reference = 0;
    double rms = 0;
    double largest = 0;  ///< |reference|
};

class MeansPass {
public:
    MeansPass(Closeness& result, const CloseTolerance& tolerance)
        : result_(result), tolerance_(tolerance) {}

    void visit(const PairBlock& block) {
        const FinitePairs pairs(block, tolerance_);
        Lanes test{};
        Lanes reference{};
        Lanes squares{};
        Lanes largest{};
        for_each_lane(pairs.size(), [&](std::size_t i, std::size_t lane) {
            test[lane] += pairs.test(i);
            reference[lane] += pairs.reference(i);
            squares[lane] += pairs.reference(i) * pairs.reference(i);
            largest[lane] = std::max(largest[lane], std::abs(pairs.reference(i)));
        });
        test_ += total(test);
        reference_ += total(reference);
        squares_ += total(squares);
        largest_ = std::max(largest_, *std::ranges::max_element(largest));
        result_.num_finite += pairs.size();
        result_.num_elements += block.test.size();
        result_.num_nonfinite_faults += pairs.num_faults();
        result_.num_nan += pairs.num_nan();
    }

    [[nodiscard]] Means means() const noexcept {
        const auto count = static_cast<double>(std::max<std::uint64_t>(1, result_.num_finite));
        return {test_ / count, reference_ / count, std::sqrt(squares_ / count), largest_};
    }

private:
    Closeness& result_;
    const CloseTolerance& tolerance_;
    double test_ = 0;
    double reference_ = 0;
    double squares_ = 0;
    double largest_ = 0;
};

/// Sums over all finite pairs in units of the reference's rms, so that squares of the largest and
/// smallest numbers are representable.
struct PairSums {
    double covariance = 0;
    double test_squares = 0;       ///< deviations from the mean, squared
    double reference_squares = 0;  ///< likewise
    double products = 0;
    double fourth_powers = 0;  ///< of the reference
    double error_squares = 0;
};

class ErrorPass {
public:
    ErrorPass(Closeness& result, const Means& means, const CloseTolerance& tolerance)
        : result_(result), means_(means), tolerance_(tolerance) {}

    void visit(const PairBlock& block) {
        const FinitePairs pairs(block, tolerance_);
        if (means_.rms > 0) {
            add_products(pairs);
        }
        const double largest = pairs.num_faults() > 0 ? kInfinity : largest_error(pairs);
        const bool is_beyond = largest > tolerance_.max_rel_err && !result_.first_beyond;
        if (largest > result_.max_rel_err || is_beyond) {
            locate(block);
        }
    }

    [[nodiscard]] const PairSums& sums() const noexcept { return sums_; }

private:
    void add_products(const FinitePairs& pairs) noexcept {
        Lanes covariance{};
        Lanes test_squares{};
        Lanes reference_squares{};
        const Means means = means_;
        const double unit = 1 / means.rms;
        for_each_lane(pairs.size(), [&](std::size_t i, std::size_t lane) {
            const double test = (pairs.test(i) - means.test) * unit;
            const double reference = (pairs.reference(i) - means.reference) * unit;
            covariance[lane] += test * reference;
            test_squares[lane] += test * test;
            reference_squares[lane] += reference * reference;
        });
        sums_.covariance += total(covariance);
        sums_.test_squares += total(test_squares);
        sums_.reference_squares += total(reference_squares);
        Lanes products{};
        Lanes fourth_powers{};
        Lanes error_squares{};
        for_each_lane(pairs.size(), [&](std::size_t i, std::size_t lane) {
            const double reference = pairs.reference(i) * unit;
            const double square = reference * reference;
            const double error = pairs.error(i) * unit;
            products[lane] += pairs.test(i) * unit * reference;
            fourth_powers[lane] += square * square;
            error_squares[lane] += error * error;
        });
        sums_.products += total(products);
        sums_.fourth_powers += total(fourth_powers);
        sums_.error_squares += total(error_squares);
    }

    [[nodiscard]] double relative(double error, double reference) const noexcept {
        return relative_error(error, reference, means_.rms, tolerance_);
    }

    [[nodiscard]] double largest_error(const FinitePairs& pairs) const noexcept {
        Lanes largest{};
        for_each_lane(pairs.size(), [&](std::size_t i, std::size_t lane) {
            largest[lane] = std::max(largest[lane], relative(pairs.error(i), pairs.reference(i)));
        });
        return *std::ranges::max_element(largest);
    }

    void note(const ComparedPair& pair, double found) {
        if (found > tolerance_.max_rel_err && !result_.first_beyond) {
            result_.first_beyond = pair;
        }
        if (found > result_.max_rel_err) {
            result_.max_rel_err = found;
            result_.worst = pair;
        }
    }

    void locate(const PairBlock& block) {
        const FinitePairs pairs(block, tolerance_);
        const double beyond = largest_compared(tolerance_);
        for (std::size_t i = 0, finite = 0; i < block.test.size(); ++i) {
            const ComparedPair pair = block.pair(i);
            const PairKind kind = kind_of(pair.test, pair.reference, beyond);
            if (kind == PairKind::Finite) {
                note(pair, relative(pairs.error(finite++), pair.reference));
            } else if (kind == PairKind::Fault) {
                note(pair, kInfinity);
            }
        }
    }

    Closeness& result_;
    Means means_;
    const CloseTolerance& tolerance_;
    PairSums sums_;
};

/// A reference with deviations from its mean below this share of its rms is constant: the
/// deviations are rounding errors of the mean.
constexpr double kConstantShare = 0x1p-40;
/// With deviations below this share, all elements are rounded alike. Sums over them have no more
/// information than one element, and their correlation is that of rounding errors.
constexpr double kVaryingShare = 0x1p-4;

double correlation(const Closeness& result, const PairSums& sums, bool varies) {
    if (result.num_elements != 0 && result.num_finite == 0) {
        return result.is_void() ? 0 : 1;
    }
    if (result.max_rel_err == 0 && sums.error_squares == 0) {
        return 1;
    }
    if (!varies) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return sums.test_squares == 0
               ? 0
               : sums.covariance / std::sqrt(sums.test_squares) / std::sqrt(sums.reference_squares);
}

/// Computes the figures of all elements together. Noise of relative size e moves the fitted scale
/// by e / √n; n is the number of elements with a weight similar to the largest.
void judge_sums(Closeness& result, const Means& means, const PairSums& sums,
                const CloseTolerance& tolerance) {
    constexpr double kDeviations = 4;
    const auto count = static_cast<double>(result.num_finite);
    const bool varies = sums.reference_squares > count * kConstantShare * kConstantShare;
    result.pcc = correlation(result, sums, varies);
    if (means.rms == 0) {
        return;  // zeros only: every error is beyond its element's tolerance
    }
    // Numbers close to their format's spacing lose bits alike.
    const bool is_resolved = tolerance.format.spacing <= tolerance.max_rel_err * means.rms;
    result.varies = is_resolved && sums.reference_squares > count * kVaryingShare * kVaryingShare;
    const double limit =
        tolerance.max_rel_err * std::max(means.largest / means.rms, tolerance.floor);
    const double outliers = tolerance.outliers * limit * limit;
    result.rms_err = std::sqrt(sums.error_squares / count);
    result.rms_err_allowed =
        std::sqrt(tolerance.max_rms_err * tolerance.max_rms_err + outliers / count);
    result.scale = sums.products / count;
    result.scale_err_allowed = tolerance.max_scale_err +
                               kDeviations * result.rms_err * std::sqrt(sums.fourth_powers) / count;
    result.pcc_needed =
        1 - ((1 - tolerance.pcc_min) * count + outliers / 2) / sums.reference_squares;
}

}  // namespace

Closeness compare_close(std::span<const ComparedPart> parts, const CloseTolerance& tolerance) {
    Closeness result;
    MeansPass pass(result, tolerance);
    for_each_block(parts, [&](const PairBlock& block) { pass.visit(block); });
    const Means means = pass.means();
    result.reference_rms = means.rms;
    ErrorPass errors(result, means, tolerance);
    for_each_block(parts, [&](const PairBlock& block) { errors.visit(block); });
    judge_sums(result, means, errors.sums(), tolerance);
    return result;
}

Closeness compare_close(const NumberView& test, const NumberView& reference,
                        const CloseTolerance& tolerance) {
    const ComparedPart part{test, reference};
    return compare_close(std::span(&part, 1), tolerance);
}

}  // namespace tessera
