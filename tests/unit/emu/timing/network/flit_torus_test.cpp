// SPDX-License-Identifier: Apache-2.0
// Writes of whole packets take as long as in a simulation of each flit.
#include "tests/unit/emu/timing/network/flit_torus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/unit/emu/timing/network/small_machine.hpp"
#include "tests/unit/emu/timing/network/streams.hpp"

namespace tessera::timing {
namespace {

constexpr std::uint32_t kSide = 8;
constexpr std::uint32_t kWrites = 8;  ///< per core
constexpr std::uint32_t kBytes = 1024;

/// 64 workers on a torus of 10 × 12.
struct LargeMachine : SmallMachine {
    LargeMachine() {
        arch.noc.grid = {10, 12};
        arch.workers.compute = {kSide, kSide};
        arch.workers.noc_columns = {1, 2, 3, 4, 6, 7, 8, 9};
        arch.workers.noc_rows = {1, 2, 3, 4, 7, 8, 9, 10};
    }
    [[nodiscard]] std::uint32_t node_of(CoreCoord core) const {
        return arch.workers.noc_rows[core.y] * arch.noc.grid.columns +
               arch.workers.noc_columns[core.x];
    }
};

CoreCoord core_of(std::uint32_t number) {
    return {number % kSide, number / kSide};
}

/// Senders and receivers: the far end of each core's write.
struct Pattern {
    std::string name;
    std::function<std::uint32_t(std::uint32_t core, std::uint32_t write)> far_end;
};

std::ostream& operator<<(std::ostream& out, const Pattern& pattern) {
    return out << pattern.name;
}

struct Ends {
    double last = 0;
    double median = 0;  ///< of cores
};

Ends ends_of(std::vector<double> by_core) {
    std::ranges::sort(by_core);
    return {by_core.back(), by_core[by_core.size() / 2]};
}

Ends by_packets(const Pattern& pattern) {
    const LargeMachine large;
    std::vector<Stream> streams;
    for (std::uint32_t core = 0; core < kSide * kSide; ++core) {
        Stream stream{.most_queued = 2};
        for (std::uint32_t i = 0; i < kWrites; ++i) {
            stream.requests.push_back(
                write(core_of(core), NocPlace::worker(core_of(pattern.far_end(core, i))), kBytes));
        }
        streams.push_back(stream);
    }
    const StreamRun run(large.machine(), streams);
    std::vector<double> ends;
    for (const std::vector<Times>& writes : run.times) {
        double end = 0;
        for (const Times& times : writes) {
            end = std::max(end, static_cast<double>(times.delivered) / kMillicyclesPerCycle);
        }
        ends.push_back(end);
    }
    return ends_of(ends);
}

Ends by_flits(const Pattern& pattern) {
    const LargeMachine large;
    FlitTorus torus(large.arch.noc.grid.columns, large.arch.noc.grid.rows);
    std::vector<std::uint32_t> last_of_core;
    std::vector<std::vector<std::uint32_t>> packets(kSide * kSide);
    for (std::uint32_t core = 0; core < kSide * kSide; ++core) {
        for (std::uint32_t i = 0; i < kWrites; ++i) {
            packets[core].push_back(torus.send(large.node_of(core_of(core)),
                                               large.node_of(core_of(pattern.far_end(core, i))),
                                               1 + kBytes / 32));
        }
    }
    torus.run();
    std::vector<double> ends;
    for (const std::vector<std::uint32_t>& own : packets) {
        std::int64_t end = 0;
        for (const std::uint32_t packet : own) {
            end = std::max(end, torus.end(packet));
        }
        ends.push_back(static_cast<double>(end));
    }
    return ends_of(ends);
}

class WritesOfAllCores : public testing::TestWithParam<Pattern> {};

TEST_P(WritesOfAllCores, TakeAsLongAsTheirFlits) {
    const Ends packets = by_packets(GetParam());
    const Ends flits = by_flits(GetParam());

    EXPECT_NEAR(packets.last / flits.last, 1, 0.05);
    EXPECT_NEAR(packets.median / flits.median, 1, 0.1);
}

const std::vector<Pattern> kPatterns{
    {"ToTheirMirrors", [](auto core, auto) { return kSide * kSide - 1 - core; }},
    {"Transposed", [](auto core, auto) { return core % kSide * kSide + core / kSide; }},
    {"ToEachOther", [](auto core, auto i) { return (core + 1 + 7 * i) % (kSide * kSide); }},
    {"ToARow", [](auto core, auto i) { return (core + i) % kSide; }},
    {"ToAColumn", [](auto core, auto i) { return (core + i) % kSide * kSide; }},
    {"ToOneCore", [](auto, auto) { return 27U; }},
};

INSTANTIATE_TEST_SUITE_P(Patterns, WritesOfAllCores, testing::ValuesIn(kPatterns),
                         [](const auto& pattern) { return pattern.param.name; });

}  // namespace
}  // namespace tessera::timing
