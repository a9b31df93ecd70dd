// SPDX-License-Identifier: Apache-2.0
// Compares a result with a golden tensor as index.json states.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tessera/tensor.hpp"
#include "tests/golden/golden_file.hpp"
#include "tests/ops/golden_tensor.hpp"

namespace tessera::testing {

/// Returns the part of `tensor` with the extents of `shape`: buffers have the size of the worst
/// routing, golden tables the size of this routing.
inline HostTensor leading_part(const HostTensor& tensor, const Shape& shape) {
    if (tensor.shape == shape) {
        return tensor;
    }
    const std::size_t width = element_bytes(tensor.format);
    const std::size_t columns = shape.back();
    HostTensor part{shape, tensor.format, {}};
    for (std::size_t row = 0; row < num_elements(shape) / columns; ++row) {
        const auto first =
            tensor.bytes.begin() + static_cast<std::ptrdiff_t>(row * tensor.shape.back() * width);
        part.bytes.insert(part.bytes.end(), first,
                          first + static_cast<std::ptrdiff_t>(columns * width));
    }
    return part;
}

inline std::vector<float> numbers_of(const HostTensor& tensor) {
    if (tensor.format == DataFormat::Float32) {
        const auto values = tensor.as<float>();
        return {values.begin(), values.end()};
    }
    std::vector<float> values;
    for (const std::uint16_t bits : tensor.as<std::uint16_t>()) {
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
    }
    return values;
}

/// Codes of one sign have the order of their values.
inline ::testing::AssertionResult has_codes(const HostTensor& result, const HostTensor& golden,
                                            const nlohmann::json& tolerance) {
    const auto codes = result.as<std::uint8_t>();
    const auto wanted = golden.as<std::uint8_t>();
    std::size_t num_differing = 0;
    int farthest = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        num_differing += codes[i] == wanted[i] ? 0 : 1;
        farthest = std::max(farthest, std::abs(codes[i] - wanted[i]));
    }
    const double fraction = static_cast<double>(num_differing) / static_cast<double>(wanted.size());
    const bool holds = farthest <= tolerance.value("max_code_distance", 0) &&
                       fraction <= tolerance.value("mismatch_fraction_max", 0.0);
    return (holds ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
           << num_differing << " codes differ, by " << farthest << " at most";
}

inline double relative_to_itself(const std::vector<float>& test, const std::vector<float>& wanted) {
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double error = std::abs(double{test[i]} - wanted[i]);
        worst = std::max(worst, error == 0 ? 0 : error / std::abs(double{wanted[i]}));
    }
    return worst;
}

/// Returns the worst error in bfloat16 units at the expected number. If the index has a note on the
/// tolerance, it allows errors of 1e-7: far smaller results lose relative accuracy in any fp32
/// form.
inline double worst_ulp(const std::vector<float>& test, const std::vector<float>& wanted,
                        const nlohmann::json& tolerance) {
    const double allowed = tolerance.contains("note") ? 1e-7 : 0;
    double worst = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double error = std::abs(double{test[i]} - wanted[i]);
        worst = std::max(worst, error <= allowed ? 0 : error / golden::bf16_ulp(wanted[i]));
    }
    return worst;
}

inline ::testing::AssertionResult has_numbers(const HostTensor& result, const HostTensor& golden,
                                              const nlohmann::json& tolerance) {
    const std::vector<float> test = numbers_of(result);
    const std::vector<float> wanted = numbers_of(golden);
    const golden::Distance distance = golden::distance(test, wanted);
    const std::string rule = tolerance.value("rel_err_definition", "");
    const double relative = rule.find("rms") == std::string::npos ? relative_to_itself(test, wanted)
                                                                  : distance.max_rel_err;
    double absolute = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        absolute = std::max(absolute, std::abs(double{test[i]} - wanted[i]));
    }
    const double ulp = worst_ulp(test, wanted, tolerance);
    constexpr double kAny = std::numeric_limits<double>::infinity();
    const bool holds = relative <= tolerance.value("max_rel_err", kAny) &&
                       absolute <= tolerance.value("max_abs_err", kAny) &&
                       ulp <= tolerance.value("max_ulp", kAny) &&
                       distance.pcc >= tolerance.value("pcc_min", -1.0);
    return (holds ? ::testing::AssertionSuccess() : ::testing::AssertionFailure())
           << "relative error " << relative << ", absolute " << absolute << ", " << ulp
           << " bf16 ulp, PCC " << distance.pcc;
}

/// Compares `result` with the golden tensor `name` as its index entry states. Without a tolerance
/// the bytes must be equal. Tolerances of exact numbers, which are float32 in the file, are those
/// of bfloat16 results.
inline ::testing::AssertionResult keeps_to(const golden::GoldenFile& file, const std::string& name,
                                           const HostTensor& result) {
    const HostTensor golden = golden_tensor(file, name);
    const nlohmann::json& entry = file.entry_of(name);
    const bool is_rounded = golden.format == DataFormat::Float32 &&
                            result.format == DataFormat::Float16_b && entry.contains("tolerance");
    if (result.format != golden.format && !is_rounded) {
        return ::testing::AssertionFailure() << name << " is " << name_of(result.format);
    }
    const HostTensor part = leading_part(result, golden.shape);
    if (!entry.contains("tolerance")) {
        return (part.bytes == golden.bytes ? ::testing::AssertionSuccess()
                                           : ::testing::AssertionFailure())
               << name << " has other bytes";
    }
    const nlohmann::json& tolerance = entry.at("tolerance");
    auto verdict = golden.format == DataFormat::Fp8_e4m3 ? has_codes(part, golden, tolerance)
                                                         : has_numbers(part, golden, tolerance);
    return verdict << " in " << name;
}

}  // namespace tessera::testing
