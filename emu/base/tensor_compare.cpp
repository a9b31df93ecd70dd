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

// Independent sums, so that additions need not wait for each other.
constexpr std::size_t kLanes = 4;
using Lanes = std::array<double, kLanes>;

double total(const Lanes& lanes) noexcept {
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/// Calls `step(i, lane)` for 0 … count-1, lanes in turn.
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

/// The pairs of a block in which both sides are finite.
class FinitePairs {
public:
    explicit FinitePairs(const PairBlock& block) : test_(block.test), reference_(block.reference) {
        if (!all_finite(block)) {
            keep_finite(block);
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return test_.size(); }
    [[nodiscard]] double test(std::size_t i) const noexcept { return test_[i]; }
    [[nodiscard]] double reference(std::size_t i) const noexcept { return reference_[i]; }
    [[nodiscard]] std::uint64_t num_faults() const noexcept { return num_faults_; }

private:
    /// x · 0 is 0 for finite values and NaN for the others.
    static bool all_finite(const PairBlock& block) noexcept {
        Lanes zeros{};
        for_each_lane(block.test.size(), [&](std::size_t i, std::size_t lane) {
            zeros[lane] += block.test[i] * 0 + block.reference[i] * 0;
        });
        return total(zeros) == 0;
    }

    void keep_finite(const PairBlock& block) noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < block.test.size(); ++i) {
            const PairKind kind = kind_of(block.test[i], block.reference[i]);
            num_faults_ += kind == PairKind::Fault ? 1 : 0;
            if (kind == PairKind::Finite) {
                kept_test_[kept] = block.test[i];
                kept_reference_[kept++] = block.reference[i];
            }
        }
        test_ = std::span(kept_test_).first(kept);
        reference_ = std::span(kept_reference_).first(kept);
    }

    std::span<const double> test_;
    std::span<const double> reference_;
    std::uint64_t num_faults_ = 0;
    std::array<double, kPairsPerBlock> kept_test_;
    std::array<double, kPairsPerBlock> kept_reference_;
};

/// Means of both sides and the rms of the reference, over the pairs that are finite.
struct Means {
    double test = 0;
    double reference = 0;
    double rms = 0;
};

class MeansPass {
public:
    explicit MeansPass(Closeness& result) : result_(result) {}

    void visit(const PairBlock& block) {
        const FinitePairs pairs(block);
        Lanes test{};
        Lanes reference{};
        Lanes squares{};
        for_each_lane(pairs.size(), [&](std::size_t i, std::size_t lane) {
            test[lane] += pairs.test(i);
            reference[lane] += pairs.reference(i);
            squares[lane] += pairs.reference(i) * pairs.reference(i);
        });
        test_ += total(test);
        reference_ += total(reference);
        squares_ += total(squares);
        result_.num_finite += pairs.size();
        result_.num_elements += block.test.size();
        result_.num_nonfinite_faults += pairs.num_faults();
    }

    [[nodiscard]] Means means() const noexcept {
        const auto count = static_cast<double>(std::max<std::uint64_t>(1, result_.num_finite));
        return {test_ / count, reference_ / count, std::sqrt(squares_ / count)};
    }

private:
    Closeness& result_;
    double test_ = 0;
    double reference_ = 0;
    double squares_ = 0;
};

class ErrorPass {
public:
    ErrorPass(Closeness& result, const Means& means, double limit)
        : result_(result), means_(means), limit_(limit) {}

    void visit(const PairBlock& block) {
        const FinitePairs pairs(block);
        add_products(pairs);
        const double largest = pairs.num_faults() > 0 ? kInfinity : largest_error(pairs);
        if (largest > result_.max_rel_err || (largest > limit_ && !result_.first_beyond)) {
            locate(block);
        }
    }

    [[nodiscard]] double correlation() const noexcept {
        if (result_.is_void()) {
            return 0;
        }
        if (test_squares_ == 0 || reference_squares_ == 0) {
            return result_.max_rel_err == 0 ? 1 : 0;
        }
        return covariance_ / std::sqrt(test_squares_) / std::sqrt(reference_squares_);
    }

private:
    void add_products(const FinitePairs& pairs) noexcept {
        Lanes covariance{};
        Lanes test_squares{};
        Lanes reference_squares{};
        const Means means = means_;
        for_each_lane(pairs.size(), [&](std::size_t i, std::size_t lane) {
            const double test = pairs.test(i) - means.test;
            const double reference = pairs.reference(i) - means.reference;
            covariance[lane] += test * reference;
            test_squares[lane] += test * test;
            reference_squares[lane] += reference * reference;
        });
        covariance_ += total(covariance);
        test_squares_ += total(test_squares);
        reference_squares_ += total(reference_squares);
    }

    /// 0 / 0, where reference and rms are zero and nothing differs, is no error.
    [[nodiscard]] static double error(double test, double reference, double rms) noexcept {
        const double relative = std::abs(test - reference) / std::max(std::abs(reference), rms);
        return relative > 0 ? relative : 0;
    }

    [[nodiscard]] double largest_error(const FinitePairs& pairs) const noexcept {
        Lanes largest{};
        const double rms = means_.rms;
        for_each_lane(pairs.size(), [&](std::size_t i, std::size_t lane) {
            const double found = error(pairs.test(i), pairs.reference(i), rms);
            largest[lane] = found > largest[lane] ? found : largest[lane];
        });
        return *std::ranges::max_element(largest);
    }

    [[nodiscard]] double error_of(const ComparedPair& pair) const noexcept {
        switch (kind_of(pair.test, pair.reference)) {
            case PairKind::Finite:
                return error(pair.test, pair.reference, means_.rms);
            case PairKind::AgreeNonfinite:
                return 0;
            case PairKind::Fault:
                break;
        }
        return kInfinity;
    }

    void locate(const PairBlock& block) {
        for (std::size_t i = 0; i < block.test.size(); ++i) {
            const ComparedPair pair = block.pair(i);
            const double found = error_of(pair);
            if (found > limit_ && !result_.first_beyond) {
                result_.first_beyond = pair;
            }
            if (found > result_.max_rel_err) {
                result_.max_rel_err = found;
                result_.worst = pair;
            }
        }
    }

    Closeness& result_;
    Means means_;
    double limit_;
    double covariance_ = 0;
    double test_squares_ = 0;
    double reference_squares_ = 0;
};

}  // namespace

bool Closeness::passes(const CloseTolerance& tolerance) const noexcept {
    return num_nonfinite_faults == 0 && !is_void() && pcc >= tolerance.pcc_min &&
           max_rel_err <= tolerance.max_rel_err;
}

Closeness compare_close(std::span<const ComparedPart> parts, const CloseTolerance& tolerance) {
    Closeness result;
    MeansPass means(result);
    for_each_block(parts, [&](const PairBlock& block) { means.visit(block); });
    result.reference_rms = means.means().rms;
    ErrorPass errors(result, means.means(), tolerance.max_rel_err);
    for_each_block(parts, [&](const PairBlock& block) { errors.visit(block); });
    result.pcc = errors.correlation();
    return result;
}

Closeness compare_close(const NumberView& test, const NumberView& reference,
                        const CloseTolerance& tolerance) {
    const ComparedPart part{test, reference};
    return compare_close(std::span(&part, 1), tolerance);
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
