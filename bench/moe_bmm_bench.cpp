// SPDX-License-Identifier: Apache-2.0
// A projection of one expert through the whole emulator (NoC copies, circular buffers, fibers,
// pack), against bare tile products on the same host threads.
#include <benchmark/benchmark.h>

#include <vector>

#include "emu/tile/matmul.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

constexpr double kFlopsPerTileProduct = 2.0 * 32 * 32 * 32;

void count_flops(benchmark::State& state, double tile_products) {
    state.counters["FLOP/s"] = benchmark::Counter(
        static_cast<double>(state.iterations()) * tile_products * kFlopsPerTileProduct,
        benchmark::Counter::kIsRate);
}

// One tile product after another on fp32 tiles that stay in the host's L1: the practical peak.
void BM_BareTileProducts(benchmark::State& state) {
    std::vector<float> a(kTileElements, 1.0F);
    std::vector<float> b(kTileElements, 0.5F);
    std::vector<float> sum(kTileElements, 0.0F);
    for (auto _ : state) {
        tile::matmul_tile(a.data(), b.data(), sum.data());
        benchmark::DoNotOptimize(sum.data());
    }
    count_flops(state, 1);
}
BENCHMARK(BM_BareTileProducts)->Threads(1)->Threads(2)->UseRealTime();

// Arguments: tokens of the expert, host threads.
void BM_MoeBmm(benchmark::State& state) {
    const auto tokens = static_cast<std::uint32_t>(state.range(0));
    EmulatedSession session(MeshSpec{}, testing::test_arch(),
                            {.threads = static_cast<std::uint32_t>(state.range(1))});
    const TensorSpec weights_spec{{1, 7168, 2048}, DataFormat::Float16_b, Layout::TILE};
    const TensorSpec input_spec{{1, tokens, 7168}, DataFormat::Float16_b, Layout::TILE};
    const DeviceTensor input = session.allocate(0, "input", input_spec, BufferType::DRAM);
    const DeviceTensor weights = session.allocate(0, "weights", weights_spec, BufferType::DRAM);
    const TensorSpec counts_spec{{1, 1}, DataFormat::UInt32, Layout::ROW_MAJOR};
    const DeviceTensor counts = session.allocate(0, "counts", counts_spec, BufferType::DRAM);
    const DeviceTensor output = session.allocate(
        0, "output", ops::moe_bmm::output_spec(input_spec, weights_spec), BufferType::DRAM);
    session.fill(input, std::byte{0x3C});
    session.fill(weights, std::byte{0x3B});
    HostTensor count = make_host_tensor({1, 1}, DataFormat::UInt32);
    count.as<std::uint32_t>()[0] = tokens;
    session.write(counts, count);
    const std::vector<std::uint32_t> routed{tokens};
    const MoeBmmSpec schedule{.k_block = 8, .subblock = {2, 2}, .cb_depth = 2};
    const std::vector<DeviceProgram> programs{
        {0, ops::moe_bmm::make_program(session.arch(), {input, weights, {counts, routed}}, {output},
                                       schedule)}};
    for (auto _ : state) {
        session.launch("moe_bmm", programs);
    }
    count_flops(state, 224.0 * 64 * (tokens / 32.0));
}
BENCHMARK(BM_MoeBmm)
    ->Args({128, 1})
    ->Args({128, 2})
    ->Args({32, 1})
    ->Args({32, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
