// SPDX-License-Identifier: Apache-2.0
// The golden activations, elementwise and gated, composed from functions of the engine.
#include <gtest/gtest.h>

#include <algorithm>

#include "emu/tile/dst_binary.hpp"
#include "emu/tile/sfpu.hpp"
#include "tests/golden/golden_file.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

using Values = std::vector<float>;
using Function = void (*)(float*);

/// Runs `function` over any number of values, one tile at a time.
template <class OnTile>
Values over_tiles(Values values, OnTile function) {
    const std::size_t count = values.size();
    values.resize((count + kTileElements - 1) / kTileElements * kTileElements);
    for (std::size_t first = 0; first < values.size(); first += kTileElements) {
        function(values.data() + first);
    }
    values.resize(count);
    return values;
}

Values multiplied(Values a, Values b) {
    const std::size_t count = a.size();
    const std::size_t padded = (count + kTileElements - 1) / kTileElements * kTileElements;
    a.resize(padded);
    b.resize(padded);
    for (std::size_t first = 0; first < padded; first += kTileElements) {
        binary_tile(BinaryOp::Mul, a.data() + first, b.data() + first, a.data() + first);
    }
    a.resize(count);
    return a;
}

Values rounded(Values values) {
    for (float& value : values) {
        value = round_to_bf16(value);
    }
    return values;
}

void expect_close(const golden::GoldenFile& file, const std::string& name, const Values& values) {
    const auto found = golden::distance(values, file.tensor(name).floats());
    const auto& tolerance = file.entry_of(name).at("tolerance");
    EXPECT_GE(found.pcc, tolerance.at("pcc_min").get<double>()) << name;
    EXPECT_LE(found.max_rel_err, tolerance.at("max_rel_err").get<double>()) << name;
}

/// Replaces results below 1e-7 by the reference if the reference is also that small. The reference
/// computes 1 + tanh in float64, which is 0 for very negative inputs, as the index notes.
Values without_tail(Values values, const Values& reference) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::abs(values[i] - reference[i]) <= 1e-7F ? reference[i] : values[i];
    }
    return values;
}

/// Expects errors of at most one ULP, in at most the share of elements that the index allows.
void expect_bf16_met(const golden::GoldenFile& file, const std::string& name,
                     const Values& values) {
    const Values reference = file.tensor(name).floats();
    const auto found = golden::distance(without_tail(rounded(values), reference), reference);
    EXPECT_LE(found.max_ulp, 1.0) << name;
    EXPECT_LE(found.mismatch_fraction, 0.01) << name;
}

void relu_squared(float* tile) {
    sfpu::relu(tile);
    sfpu::square(tile);
}

struct Elementwise {
    const char* tensor;
    Function function;
};

class GoldenElementwise : public testing::TestWithParam<Elementwise> {};

TEST_P(GoldenElementwise, MeetsTheExactAndTheRoundedValues) {
    const golden::GoldenFile file("activations");
    const std::string name = GetParam().tensor;

    const Values values = over_tiles(file.tensor("x").floats(), GetParam().function);

    expect_close(file, name, values);
    expect_bf16_met(file, name + "_bf16", values);
}

INSTANTIATE_TEST_SUITE_P(Activations, GoldenElementwise,
                         testing::Values(Elementwise{"silu", sfpu::silu},
                                         Elementwise{"sigmoid", sfpu::sigmoid},
                                         Elementwise{"gelu_erf", sfpu::gelu},
                                         Elementwise{"gelu_tanh", sfpu::gelu_tanh},
                                         Elementwise{"relu2", relu_squared}),
                         [](const auto& row) { return std::string(row.param.tensor); });

/// The two halves of every row of gated_x, or its even and odd columns.
struct Gated {
    Values first;
    Values second;
};

Gated split_gated(const golden::GoldenFile& file, bool is_interleaved) {
    const auto tensor = file.tensor("gated_x");
    const Values values = tensor.floats();
    const std::size_t width = tensor.shape[1];
    Gated parts;
    for (std::size_t row = 0; row < tensor.shape[0]; ++row) {
        for (std::size_t i = 0; i < width / 2; ++i) {
            const float* start = values.data() + row * width;
            parts.first.push_back(start[is_interleaved ? 2 * i : i]);
            parts.second.push_back(start[is_interleaved ? 2 * i + 1 : width / 2 + i]);
        }
    }
    return parts;
}

TEST(GoldenGated, SiluAndMulWithOneAndWithTwoRoundings) {
    const golden::GoldenFile file("activations");
    const Gated parts = split_gated(file, false);
    const Values gate = over_tiles(parts.first, sfpu::silu);

    const Values product = multiplied(gate, parts.second);

    expect_close(file, "silu_and_mul", product);
    expect_bf16_met(file, "silu_and_mul_one_rounding", product);
    expect_bf16_met(file, "silu_and_mul_two_roundings", multiplied(rounded(gate), parts.second));
}

TEST(GoldenGated, SiluAndMulWithTheGateInTheSecondHalf) {
    const golden::GoldenFile file("activations");
    const Gated parts = split_gated(file, false);

    const Values product = multiplied(over_tiles(parts.second, sfpu::silu), parts.first);

    expect_close(file, "silu_and_mul_second_half_gate", product);
    expect_bf16_met(file, "silu_and_mul_second_half_gate_one_rounding", product);
}

TEST(GoldenGated, GeluAndMulWithOneAndWithTwoRoundings) {
    const golden::GoldenFile file("activations");
    const Gated parts = split_gated(file, false);
    const Values gate = over_tiles(parts.first, sfpu::gelu);

    const Values product = multiplied(gate, parts.second);

    expect_close(file, "gelu_and_mul", product);
    expect_bf16_met(file, "gelu_and_mul_one_rounding", product);
    expect_bf16_met(file, "gelu_and_mul_two_roundings", multiplied(rounded(gate), parts.second));
}

/// Computes (up + 1) · gate · sigmoid(1.702·gate), with gate clamped to at most 7 and up to [−7,
/// 7].
Values swiglu_oai(const Gated& parts) {
    const Values gate = over_tiles(
        parts.first, [](float* tile) { unary_with_scalar_tile(BinaryOp::Min, tile, 7.0F); });
    const Values up = over_tiles(parts.second, [](float* tile) {
        unary_with_scalar_tile(BinaryOp::Min, tile, 7.0F);
        unary_with_scalar_tile(BinaryOp::Max, tile, -7.0F);
        unary_with_scalar_tile(BinaryOp::Add, tile, 1.0F);
    });
    const Values share = over_tiles(gate, [](float* tile) {
        unary_with_scalar_tile(BinaryOp::Mul, tile, 1.702F);
        sfpu::sigmoid(tile);
    });
    return multiplied(multiplied(gate, share), up);
}

TEST(GoldenGated, SwigluOaiInterleavedAndSplit) {
    const golden::GoldenFile file("activations");

    const Values interleaved = swiglu_oai(split_gated(file, true));
    const Values split = swiglu_oai(split_gated(file, false));

    expect_close(file, "swigluoai", interleaved);
    expect_bf16_met(file, "swigluoai_one_rounding", interleaved);
    expect_close(file, "swigluoai_split", split);
    expect_bf16_met(file, "swigluoai_split_one_rounding", split);
}

}  // namespace
}  // namespace tessera::tile
