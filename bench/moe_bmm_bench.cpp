// SPDX-License-Identifier: Apache-2.0
// A projection of one expert through the whole emulator (NoC copies, circular buffers, fibers,
// pack) against the FMA peak of the same host threads and against OpenBLAS on fp32 weights.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/fma_peak.hpp"
#include "bench/openblas.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::bench {
namespace {

constexpr std::uint32_t kInner = 7168;
constexpr std::uint32_t kOuter = 2048;

/// One launch after another on the same operands.
class Projection {
public:
    Projection(std::uint32_t tokens, std::uint32_t threads)
        : session_(MeshSpec{}, testing::test_arch(), {.threads = threads}) {
        const auto tensor = [this](const char* name, TensorSpec spec) {
            return session_.allocate(0, name, std::move(spec), BufferType::DRAM);
        };
        const TensorSpec weights_spec{{1, kInner, kOuter}, DataFormat::Float16_b, Layout::TILE};
        const TensorSpec input_spec{{1, tokens, kInner}, DataFormat::Float16_b, Layout::TILE};
        const DeviceTensor input = tensor("input", input_spec);
        const DeviceTensor weights = tensor("weights", weights_spec);
        const DeviceTensor counts =
            tensor("counts", {{1, 1}, DataFormat::UInt32, Layout::ROW_MAJOR});
        const DeviceTensor output =
            tensor("output", {{1, tokens, kOuter}, DataFormat::Float16_b, Layout::TILE});
        session_.fill(input, std::byte{0x3C});
        session_.fill(weights, std::byte{0x3B});
        HostTensor count = make_host_tensor({1, 1}, DataFormat::UInt32);
        count.as<std::uint32_t>()[0] = tokens;
        session_.write(counts, count);
        const std::vector<std::uint32_t> routed{tokens};
        // Four tiles fill half of an fp32 DST; a single row of tiles leaves no other shape.
        const Subblock subblock = tokens > 32 ? Subblock{2, 2} : Subblock{1, 4};
        const ops::MoeBmmSpec schedule{.k_block = 8, .subblock = subblock, .cb_depth = 2};
        programs_.push_back({0, ops::call_program(ops::moe_bmm::op(), session_.arch(), &schedule,
                                                  {input, weights, counts}, {output}, routed)});
    }

    void launch() { session_.launch("moe_bmm", programs_); }

private:
    EmulatedSession session_;
    std::vector<DeviceProgram> programs_;
};

Work projection(std::uint32_t tokens, std::uint32_t threads) {
    const auto made = std::make_shared<Projection>(tokens, threads);
    return {[made] { made->launch(); }, 2.0 * tokens * kInner * kOuter};
}

std::string name_of(std::uint32_t tokens, std::uint32_t threads, const char* peer) {
    return "moe_bmm_M" + std::to_string(tokens) + "_" + std::to_string(threads) + "_thread" +
           (threads == 1 ? "" : "s") + "/of_" + peer;
}

void add_of_peak(std::uint32_t tokens, std::uint32_t threads, Claim claim) {
    add_goal(
        name_of(tokens, threads, "fma_peak"), [=] { return projection(tokens, threads); },
        [=] { return fma_peak(threads); }, claim);
}

void add_of_openblas(std::uint32_t tokens, std::uint32_t threads, Claim claim) {
    const auto size = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
    add_goal(
        name_of(tokens, threads, "openblas"), [=] { return projection(tokens, threads); },
        [=] { return sgemm(size(tokens), size(kInner), size(kOuter), size(threads)); }, claim);
}

void add_goals(std::uint32_t threads) {
    const Clock clock = threads == 1 ? Clock::ProcessCpu : Clock::Wall;
    add_of_peak(128, threads, {0.75, clock});
    add_of_peak(32, threads, {0.60, clock});
    if (has_openblas()) {
        add_of_openblas(128, threads, {0.95, clock});
        add_of_openblas(32, threads, {1.0, clock});
    }
}

}  // namespace
}  // namespace tessera::bench

int main(int argc, char** argv) {
    for (const std::uint32_t threads : {1U, 2U}) {
        tessera::bench::add_goals(threads);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
