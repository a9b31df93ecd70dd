// SPDX-License-Identifier: Apache-2.0
// Layers whose weights, or weights and activations, are e2m1, with every dispatch of codes, against
// plain loops that quantise by the published formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "emu/base/bf16.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tests/ops/fused_moe/modular_pairs.hpp"
#include "tests/ops/fused_moe/plain_layer.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::ops::fused_moe {
namespace {

constexpr std::array kMagnitudes{0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};

double number_of(std::uint32_t code) {
    return kMagnitudes.at(code & 7U) * ((code & 8U) != 0 ? -1 : 1);
}

/// Returns the nearest e2m1 number; of two the one with the even code.
double nearest(double quotient) {
    std::size_t best = 0;
    for (std::size_t code = 1; code < kMagnitudes.size(); ++code) {
        const double own = std::fabs(std::fabs(quotient) - kMagnitudes.at(code));
        const double other = std::fabs(std::fabs(quotient) - kMagnitudes.at(best));
        best = own < other || (own == other && code % 2 == 0) ? code : best;
    }
    return std::copysign(kMagnitudes.at(best), quotient);
}

/// Returns the number of an e8m0 code, or of an e4m3 one without a sign.
double scale_of(DataFormat format, std::uint32_t code) {
    if (format == DataFormat::UInt8) {
        return std::exp2(static_cast<double>(code) - 127);
    }
    const auto mantissa = static_cast<double>(code & 7U);
    const auto exponent = static_cast<int>(code >> 3U);
    return exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
}

/// Returns the e4m3 number that is nearest to a positive one.
double nearest_e4m3(double value) {
    double best = std::ldexp(1.0, -9);
    for (std::uint32_t code = 1; code < 0x7F; ++code) {
        const double number = scale_of(DataFormat::Fp8_e4m3, code);
        best = std::fabs(number - value) < std::fabs(best - value) ? number : best;
    }
    return best;
}

/// Quantises a row. MXFP4: blocks of 32 columns whose scale is 2^(exponent of the largest − 2).
/// NVFP4: blocks of 16 whose scale is that of the tensor times an e4m3 number.
void quantise(std::vector<double>& row, std::optional<double> of_tensor) {
    const std::size_t each = of_tensor ? 16 : 32;
    for (std::size_t first = 0; first < row.size(); first += each) {
        const auto block = std::span(row).subspan(first, each);
        double largest = 0;
        for (const double value : block) {
            largest = std::max(largest, std::fabs(value));
        }
        const double scale = of_tensor ? nearest_e4m3(largest / 6 / *of_tensor) * *of_tensor
                                       : std::exp2(std::floor(std::log2(largest)) - 2);
        for (double& value : block) {
            value = nearest(value / scale) * scale;
        }
    }
}

double rounded(double value) {
    return bf16_to_float(float_to_bf16(static_cast<float>(value)));
}

/// Codes, scales and factors of the experts of one device.
struct Weights {
    HostTensor codes;
    HostTensor scales;
    HostTensor factors;

    /// Row `row` of all rows, times `x`.
    [[nodiscard]] double dot(std::size_t row, const std::vector<double>& x) const {
        double sum = 0;
        const std::size_t blocks = scales.shape.back();
        for (std::size_t k = 0; k < x.size(); ++k) {
            const std::size_t at = row * x.size() + k;
            const std::uint32_t code = codes.as<std::uint8_t>()[at / 2] >> (at % 2 * 4) & 0xFU;
            const std::size_t block = row * blocks + k * blocks / x.size();
            sum +=
                x[k] * number_of(code) * scale_of(scales.format, scales.as<std::uint8_t>()[block]);
        }
        const std::size_t expert = row / codes.shape[1];
        return factors.shape.empty() ? sum : sum * factors.as<float>()[expert];
    }
};

class FourBits : public ::testing::TestWithParam<std::tuple<const char*, Pair>> {
protected:
    ScratchFolder folder_;
};

std::vector<double> expected_of(const config::LoadedRun& loaded, std::uint32_t ranks,
                                std::string_view quantisation) {
    pipeline::TensorValues values(loaded.pipeline, ranks, nullptr, nullptr);
    const auto on = [&](const std::string& name, std::uint32_t device) {
        return values.on(*pipeline::find_tensor(loaded.pipeline, name), device);
    };
    const bool is_nvfp4 = quantisation.starts_with("nvfp4");
    const auto weights_on = [&](const std::string& name, std::uint32_t device) {
        return Weights{on(name + "_packed", device),
                       on(name + (is_nvfp4 ? "_e4m3_scale" : "_exponents"), device),
                       is_nvfp4 ? on(name + "_scale_2", device) : HostTensor{}};
    };
    const auto quantised = [&](std::vector<double>& row, const char* scale) {
        if (quantisation == "nvfp4") {
            quantise(row, static_cast<double>(on(scale, 0).as<float>()[0]));
        } else if (quantisation == "mxfp4_w4a4") {
            quantise(row, std::nullopt);
        }
    };
    const HostTensor a = on("a", 0);
    const HostTensor ids = on("topk_ids", 0);
    const HostTensor weights = on("topk_weights", 0);
    const std::size_t hidden = a.shape[1];
    std::vector<double> sums(std::size_t{a.shape[0]} * hidden, 0.0);
    for (std::uint32_t device = 0; device < ranks; ++device) {
        const HostTensor map = on("expert_map", device);
        const Weights w1 = weights_on("w1", device);
        const Weights w2 = weights_on("w2", device);
        const std::size_t rows = w1.codes.shape[1];
        for (std::size_t choice = 0; choice < ids.as<std::int32_t>().size(); ++choice) {
            const std::size_t first = choice / ids.shape[1] * hidden;
            const std::int32_t id = ids.as<std::int32_t>()[choice];
            const std::int32_t local = map.as<std::int32_t>()[static_cast<std::size_t>(id)];
            if (local < 0) {
                continue;
            }
            const auto expert = static_cast<std::size_t>(local);
            std::vector<double> token(hidden);
            std::ranges::transform(a.as<std::uint16_t>().subspan(first, hidden), token.begin(),
                                   bf16_to_float);
            quantised(token, "a1_scale");
            std::vector<double> between(rows / 2);
            for (std::size_t i = 0; i < between.size(); ++i) {
                const double gate = rounded(w1.dot(expert * rows + i, token));
                const double up = rounded(w1.dot(expert * rows + between.size() + i, token));
                between[i] = rounded(gate / (1 + std::exp(-gate)) * up);
            }
            quantised(between, "a2_scale");
            for (std::size_t h = 0; h < hidden; ++h) {
                sums[first + h] +=
                    weights.as<float>()[choice] * w2.dot(expert * hidden + h, between);
            }
        }
    }
    return sums;
}

// A number between two codes may go to the other one where a sum differs in its last bit. One such
// code of 96 moves a result by up to a tenth of the rms. The scale of a block of NVFP4 may do the
// same, which moves 16 codes.
TEST_P(FourBits, GiveWhatPlainLoopsOfQuantisedNumbersGive) {
    const auto& [quantisation, pair] = GetParam();
    const config::LoadedRun loaded =
        load(pair, {std::string("params.quantisation=") + quantisation, "params.N=96"});
    SafetensorsWriter outputs(folder_.file("out.safetensors"), pipeline::output_tensors(loaded));
    pipeline::RunFiles files;
    files.outputs = &outputs;

    const report::RunRecord record = pipeline::run_pipeline(loaded, {}, files);
    outputs.finish();

    for (const report::StepRecord& step : record.steps) {
        EXPECT_TRUE(!step.check || step.check->passed()) << step.name;
    }
    const HostTensor out = SafetensorsFile(folder_.file("out.safetensors")).read("out");
    const Distance found = distance(out, expected_of(loaded, pair.ranks, quantisation));
    const bool has_close_scales = std::string_view(quantisation) == "nvfp4";
    EXPECT_LT(found.error, has_close_scales ? 0.5 : 0.1);
    EXPECT_GT(found.pcc, has_close_scales ? 0.9995 : 0.9999);
}

Pair pair_at(const char* prepare_finalize, const char* experts, std::uint32_t ranks) {
    return {find_prepare_finalize(prepare_finalize), find_experts(experts), ranks, 160};
}

INSTANTIATE_TEST_SUITE_P(
    Dispatches, FourBits,
    ::testing::Combine(
        ::testing::Values("mxfp4_w4a4", "nvfp4"),
        ::testing::Values(pair_at("none", "grouped", 1),
                          pair_at("all_gather_reduce_scatter", "grouped", 4),
                          pair_at("quantised_all_gather", "grouped", 4),
                          pair_at("quantised_all_to_all", "grouped_permuted", 4),
                          pair_at("quantised_all_to_all", "grouped", 2),
                          pair_at("quantised_all_to_all_batched", "batched_masked", 4),
                          pair_at("quantised_all_to_all_capped", "batched_grouped", 2),
                          pair_at("batched", "batched_by_shape", 2))),
    [](const auto& test) {
        return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param).name();
    });

INSTANTIATE_TEST_SUITE_P(
    Weights, FourBits,
    ::testing::Combine(::testing::Values("mxfp4", "nvfp4_weights"),
                       ::testing::Values(pair_at("none", "grouped", 2),
                                         pair_at("batched", "batched_masked", 1))),
    [](const auto& test) {
        return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param).name();
    });

}  // namespace
}  // namespace tessera::ops::fused_moe
