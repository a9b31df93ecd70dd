// SPDX-License-Identifier: Apache-2.0
// The tile engine against the core's FMA peak and against plain copies.
#include <string>

#include "bench/fma_peak.hpp"
#include "bench/tile_rows.hpp"
#include "emu/tile/eltwise.hpp"
#include "emu/tile/matmul.hpp"
#include "emu/tile/pack.hpp"
#include "emu/tile/tilize.hpp"
#include "emu/tile/unpack.hpp"

namespace tessera::bench {
namespace {

constexpr double kFlopPerTileProduct = 2.0 * 32 * 32 * 32;
constexpr std::size_t kBf16 = 2 * kTileElements;
constexpr std::size_t kFp32 = 4 * kTileElements;

/// TileValues pairs in memory one after another, all of them in the host's L1 with one DST tile.
Work tile_products(MathFidelity fidelity) {
    const TileMemory in0(4, kBf16);
    const TileMemory in1(4, kBf16);
    const TileMemory dst(1, kFp32);
    return {[=] {
                for (std::size_t i = 0; i < 4; ++i) {
                    tile::matmul_tile_bf16(in0.at(i), in1.at(i), dst.floats(0), fidelity);
                }
                benchmark::ClobberMemory();
            },
            4 * kFlopPerTileProduct};
}

/// Block products along K: eight steps of different operands.
Work block_products(std::size_t rows, std::size_t columns) {
    constexpr std::size_t kSteps = 8;
    const TileMemory in0(kSteps * rows, kBf16);
    const TileMemory in1(kSteps * columns, kBf16);
    const TileMemory dst(rows * columns, kFp32);
    return {[=] {
                for (std::size_t k = 0; k < kSteps; ++k) {
                    std::vector<const std::byte*> a;
                    std::vector<const std::byte*> b;
                    for (std::size_t r = 0; r < rows; ++r) {
                        a.push_back(in0.at(k * rows + r));
                    }
                    for (std::size_t c = 0; c < columns; ++c) {
                        b.push_back(in1.at(k * columns + c));
                    }
                    tile::matmul_block({a}, {b}, dst.floats(0));
                }
                benchmark::ClobberMemory();
            },
            static_cast<double>(kSteps * rows * columns) * kFlopPerTileProduct};
}

void add_products() {
    add_goal(
        "matmul_tiles/of_fma_peak", [] { return tile_products(MathFidelity::HiFi4); },
        [] { return fma_peak(); }, {.ratio = 0.75});
    for (const auto& [rows, columns] : {std::pair{4, 1}, {2, 2}, {4, 2}, {4, 4}}) {
        const std::string name =
            "matmul_block_" + std::to_string(rows) + "x" + std::to_string(columns) + "/of_fma_peak";
        add_goal(
            name, [=] { return block_products(std::size_t(rows), std::size_t(columns)); },
            [] { return fma_peak(); }, {.ratio = 0.85});
    }
}

void add_fidelities() {
    const auto add = [](const char* name, MathFidelity fidelity, double goal) {
        add_goal(
            name, [=] { return tile_products(fidelity); },
            [] { return tile_products(MathFidelity::HiFi4); }, {.ratio = goal});
    };
    add("matmul_tiles_LoFi/of_HiFi4", MathFidelity::LoFi, 0.95);
    add("matmul_tiles_HiFi2/of_HiFi4", MathFidelity::HiFi2, 0.95);
    add("matmul_tiles_HiFi3/of_HiFi4", MathFidelity::HiFi3, 0.45);
}

void add_conversions() {
    add_copy_goals({"pack_tile_bf16", kFp32, kBf16, [](const std::byte* in, std::byte* out) {
                        tile::pack_tile(DataFormat::Float16_b, reinterpret_cast<const float*>(in),
                                        out);
                    }});
    add_copy_goals({"unpack_tile_bf16", kBf16, kFp32, [](const std::byte* in, std::byte* out) {
                        tile::unpack_tile(DataFormat::Float16_b, in, reinterpret_cast<float*>(out));
                    }});
}

void add_layouts() {
    add_copy_goals({"tilize_tile_bf16", kBf16, kBf16, [](const std::byte* in, std::byte* out) {
                        tile::tilize_tile(in, 64, 2, out);
                    }});
    add_copy_goals({"untilize_tile_bf16", kBf16, kBf16, [](const std::byte* in, std::byte* out) {
                        tile::untilize_tile(in, 2, out, 64);
                    }});
}

/// The input holds the first operand, then the second.
void add_eltwise(const char* name, tile::EltwiseOp op) {
    add_copy_goals({name, 2 * kFp32, kFp32, [=](const std::byte* in, std::byte* out) {
                        const auto* a = reinterpret_cast<const float*>(in);
                        tile::eltwise_tile(op, a, a + kTileElements, reinterpret_cast<float*>(out));
                    }});
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
    using namespace tessera;
    bench::add_products();
    bench::add_fidelities();
    bench::add_layouts();
    bench::add_eltwise("eltwise_add", tile::EltwiseOp::Add);
    bench::add_eltwise("eltwise_mul", tile::EltwiseOp::Mul);
    bench::add_conversions();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
