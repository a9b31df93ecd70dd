// SPDX-License-Identifier: Apache-2.0
// Cost of recording a trace: a projection of one expert, launched in turn without and with it.
#include <benchmark/benchmark.h>

#include <ctime>
#include <vector>

#include "bench/kept_memory.hpp"
#include "bench/pairs.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

/// A projection of 128 tokens, 7168 → 2048, on 64 cores.
class Projection {
public:
    explicit Projection(const SessionOptions& options)
        : session_(MeshSpec{}, testing::test_arch(), options) {
        constexpr std::uint32_t kTokens = 128;
        const TensorSpec input_spec{{1, kTokens, 7168}, DataFormat::Float16_b, Layout::TILE};
        const TensorSpec weights_spec{{1, 7168, 2048}, DataFormat::Float16_b, Layout::TILE};
        const auto place = [this](const char* name, const TensorSpec& spec) {
            const DeviceTensor tensor = session_.allocate(0, name, spec, BufferType::DRAM);
            session_.fill(tensor, std::byte{0x3C});
            return tensor;
        };
        const DeviceTensor input = place("input", input_spec);
        const DeviceTensor weights = place("weights", weights_spec);
        const DeviceTensor counts =
            place("counts", {{1, 1}, DataFormat::UInt32, Layout::ROW_MAJOR});
        const DeviceTensor output =
            place("output", {{1, kTokens, 2048}, DataFormat::Float16_b, Layout::TILE});
        HostTensor count = make_host_tensor({1, 1}, DataFormat::UInt32);
        count.as<std::uint32_t>()[0] = kTokens;
        session_.write(counts, count);
        routed_ = {kTokens};
        const ops::MoeBmmSpec schedule{.k_block = 8, .subblock = {2, 2}, .cb_depth = 2};
        programs_ = {{0, ops::call_program(ops::moe_bmm::op(), session_.arch(), &schedule,
                                           {input, weights, counts}, {output}, routed_)}};
    }
    /// Processor seconds of one launch with the collection of its trace: less at the mercy of what
    /// else the host does than the wall's.
    double launch() {
        const std::clock_t start = std::clock();
        session_.launch("moe_bmm", programs_);
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }

private:
    EmulatedSession session_;
    std::vector<std::uint32_t> routed_;
    std::vector<DeviceProgram> programs_;
};

// The median of pairs of launches in turn, without and with recording.
double recording_ratio(benchmark::State& state, Maths maths) {
    bench::keep_freed_memory();
    SessionOptions options{.threads = 1, .maths = maths};
    Projection plain(options);
    std::uint64_t events = 0;
    options.trace = TraceMode::On;
    options.trace_sink = [&events](const Trace& /*so_far*/, LaunchTrace&& launch) {
        events = num_events(launch);
    };
    Projection recorded(options);
    std::vector<double> ratios;
    for (auto _ : state) {
        const double without = plain.launch();
        ratios.push_back(recorded.launch() / without);
    }
    state.counters["events"] = static_cast<double>(events);
    return bench::median_of(std::move(ratios));
}

void record_with_maths(benchmark::State& state) {
    bench::set_goal_at_most(state, recording_ratio(state, Maths::On), 1.05);
}
BENCHMARK(record_with_maths)
    ->Name("run with its trace recorded, of one without")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(4);

void record_without_maths(benchmark::State& state) {
    state.counters["recorded_of_plain"] = recording_ratio(state, Maths::Off);
}
BENCHMARK(record_without_maths)->UseRealTime()->Unit(benchmark::kMillisecond)->MinTime(2);

}  // namespace
}  // namespace tessera
