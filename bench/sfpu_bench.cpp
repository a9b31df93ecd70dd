// SPDX-License-Identifier: Apache-2.0
// Functions of the vector unit against plain copies and against the C library, element by element.
#include <algorithm>
#include <cmath>

#include "bench/tile_rows.hpp"
#include "emu/tile/dst_binary.hpp"
#include "emu/tile/sfpu.hpp"
#include "tessera/data_format.hpp"

namespace tessera::bench {
namespace {

constexpr std::size_t kFp32 = 4 * kTileElements;
constexpr std::size_t kTiles = 2;  // inputs and results stay in the host's L1

using Function = void (*)(float*);
using ScalarFunction = float (*)(float);

/// Fresh inputs for each tile, as results would soon run off to infinity.
Work function_work(Function function) {
    const TileMemory in(kTiles, kFp32);
    const TileMemory out(kTiles, kFp32);
    return {[=] {
                for (std::size_t i = 0; i < kTiles; ++i) {
                    std::copy_n(in.floats(i), kTileElements, out.floats(i));
                    function(out.floats(i));
                }
                benchmark::ClobberMemory();
            },
            static_cast<double>(kTiles * kTileElements)};
}

Work scalar_work(ScalarFunction function) {
    const TileMemory in(kTiles, kFp32);
    const TileMemory out(kTiles, kFp32);
    return {[=] {
                for (std::size_t i = 0; i < kTiles * kTileElements; ++i) {
                    out.floats(0)[i] = function(in.floats(0)[i]);
                }
                benchmark::ClobberMemory();
            },
            static_cast<double>(kTiles * kTileElements)};
}

float scalar_sigmoid(float x) {
    return 1.0F / (1.0F + std::exp(-x));
}
float scalar_silu(float x) {
    return x / (1.0F + std::exp(-x));
}
float scalar_gelu(float x) {
    return 0.5F * x * (1.0F + std::erf(x * 0.70710678F));
}

void add_against_libm(const char* name, Function ours, ScalarFunction theirs) {
    add_goal(
        name, [=] { return function_work(ours); }, [=] { return scalar_work(theirs); },
        {.ratio = 4.0});
}

/// The copy has the same bytes: a tile read, a tile written, in place.
void add_against_copy(const char* name, Function function) {
    add_copy_goals({name, kFp32, kFp32, [=](const std::byte* in, std::byte* /*out*/) {
                        // Repeated on its own results: as many operations, whatever the values.
                        function(reinterpret_cast<float*>(const_cast<std::byte*>(in)));
                    }});
}

void add_libm_rows() {
    add_against_libm("exp/of_libm", tile::sfpu::exp, [](float x) { return std::exp(x); });
    add_against_libm("silu/of_libm", tile::sfpu::silu, scalar_silu);
    add_against_libm("sigmoid/of_libm", tile::sfpu::sigmoid, scalar_sigmoid);
    add_against_libm("tanh/of_libm", tile::sfpu::tanh, [](float x) { return std::tanh(x); });
    add_against_libm("gelu/of_libm", tile::sfpu::gelu, scalar_gelu);
    add_against_libm("log/of_libm", tile::sfpu::log, [](float x) { return std::log(x); });
}

void add_copy_rows() {
    add_against_copy("relu", tile::sfpu::relu);
    add_against_copy("abs", tile::sfpu::abs);
    add_against_copy("negative", tile::sfpu::negative);
    add_against_copy("square", tile::sfpu::square);
    add_against_copy("gtz", tile::sfpu::gtz);
    add_against_copy("recip", tile::sfpu::recip);
    add_against_copy("sqrt", tile::sfpu::sqrt);
    add_against_copy("add_unary", [](float* tile) {
        tile::unary_with_scalar_tile(tile::BinaryOp::Add, tile, 0.5F);
    });
    add_copy_goals({"mul_binary_tile", 2 * kFp32, kFp32, [](const std::byte* in, std::byte* out) {
                        const auto* a = reinterpret_cast<const float*>(in);
                        tile::binary_tile(tile::BinaryOp::Mul, a, a + kTileElements,
                                          reinterpret_cast<float*>(out));
                    }});
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
    tessera::bench::add_libm_rows();
    tessera::bench::add_copy_rows();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
