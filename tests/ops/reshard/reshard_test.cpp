// SPDX-License-Identifier: Apache-2.0
#include "ops/reshard/reshard.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/arch_fixture.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera::ops::reshard {
namespace {

using testing::OneDevice;

constexpr MemoryConfig kDram{};
constexpr MemoryConfig kL1{.memory = BufferType::L1};

MemoryConfig shards(TensorMemoryLayout layout, GridSize grid,
                    ShardOrientation orientation = ShardOrientation::ROW_MAJOR) {
    return {BufferType::L1, layout, grid, orientation};
}
MemoryConfig block(GridSize grid, ShardOrientation orientation = ShardOrientation::ROW_MAJOR) {
    return shards(TensorMemoryLayout::BLOCK_SHARDED, grid, orientation);
}
MemoryConfig height(GridSize grid) {
    return shards(TensorMemoryLayout::HEIGHT_SHARDED, grid);
}
MemoryConfig width(GridSize grid) {
    return shards(TensorMemoryLayout::WIDTH_SHARDED, grid);
}

HostTensor counting(const Shape& shape) {
    HostTensor tensor = make_host_tensor(shape, DataFormat::UInt32);
    std::iota(tensor.as<std::uint32_t>().begin(), tensor.as<std::uint32_t>().end(), 1U);
    return tensor;
}

struct Case {
    const char* name;
    MemoryConfig from;
    MemoryConfig to;
    Shape shape{512, 256};  ///< 16 × 8 tiles
    ReshardSpec schedule;
};

struct Result {
    HostTensor output;
    LaunchResult launch;
};

Result run(OneDevice& device, const Case& test) {
    const TensorSpec spec{test.shape, DataFormat::UInt32, Layout::TILE};
    const DeviceTensor input = device.make("input", spec, test.from);
    device.write(input, counting(test.shape));
    const DeviceTensor output = device.make("output", spec, test.to);
    LaunchResult launch =
        device.run("reshard", call_program(op(), device.arch(), &test.schedule, {input}, {output}));
    return {device.get(output), std::move(launch)};
}

class Reshard : public ::testing::TestWithParam<Case> {};

TEST_P(Reshard, MovesEveryElement) {
    OneDevice device(testing::test_arch());

    EXPECT_EQ(run(device, GetParam()).output.bytes, counting(GetParam().shape).bytes);
}

TEST_P(Reshard, MovesEveryElementHoweverTransfersAreDelivered) {
    for (const SessionOptions& options :
         {SessionOptions{.threads = 2, .delivery = NocDelivery::AtIssue},
          SessionOptions{.threads = 5, .delivery = NocDelivery::Random, .seed = 3}}) {
        OneDevice device(testing::test_arch(), options);

        EXPECT_EQ(run(device, GetParam()).output.bytes, counting(GetParam().shape).bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, Reshard,
    ::testing::Values(
        Case{"BlockToBlock", block({4, 1}), block({4, 8})},
        Case{"BlockToHeight", block({4, 2}), height({4, 4})},
        Case{"HeightToBlock", height({8, 2}), block({2, 4})},
        Case{"WidthToHeight", width({8, 1}), height({4, 2})},
        Case{"BlockToWidth", block({2, 2}), width({4, 2})},
        Case{"RowMajorToColumnMajor", block({4, 2}), block({2, 4}, ShardOrientation::COL_MAJOR)},
        Case{"ColumnMajorToBlock", block({2, 8}, ShardOrientation::COL_MAJOR), block({8, 8})},
        Case{"DramToBlock", kDram, block({4, 4})}, Case{"L1ToHeight", kL1, height({8, 2})},
        Case{"BlockToDram", block({4, 4}), kDram}, Case{"WidthToL1", width({8, 1}), kL1},
        Case{"ToPartialShards", block({4, 2}), block({3, 3}), {300, 200}},
        Case{"FromPartialShards", block({3, 3}), kDram, {300, 200}},
        Case{"OneTile", block({1, 1}), height({1, 1}), {32, 32}},
        Case{"OnNoc0", block({4, 1}), block({4, 8}), {512, 256}, {ReshardMovers::Noc0}},
        Case{"OnNoc1", block({4, 1}), kDram, {512, 256}, {ReshardMovers::Noc1}}),
    [](const auto& test) { return test.param.name; });

// 128 tiles of 4096 B from 4 cores to 32, as in published traces.
TEST(ReshardWork, EachCoreReadsItsShard) {
    OneDevice device(testing::test_arch());

    const LaunchResult launch = run(device, {"", block({4, 1}), block({4, 8})}).launch;

    ASSERT_EQ(launch.cores.size(), 32U);
    for (const CoreActivity& core : launch.cores) {
        EXPECT_EQ(core.bytes_read, 4U * 4096) << to_string(core.core);
        EXPECT_EQ(core.bytes_written, 0U) << to_string(core.core);
    }
}

TEST(ReshardWork, EachCoreWritesItsShard) {
    OneDevice device(testing::test_arch());

    const LaunchResult launch = run(device, {"", height({4, 2}), kDram}).launch;

    ASSERT_EQ(launch.cores.size(), 8U);
    for (const CoreActivity& core : launch.cores) {
        EXPECT_EQ(core.bytes_written, 16U * 4096) << to_string(core.core);
    }
}

/// Returns arguments 4 and 5 of each kernel on core (0,0): the pages that it moves.
std::vector<std::vector<std::uint32_t>> portions(ReshardMovers movers) {
    OneDevice device(testing::small_arch());
    const TensorSpec spec{{96, 32}, DataFormat::Float32, Layout::TILE};
    const DeviceTensor input = device.make("input", spec, kDram);
    const DeviceTensor output = device.make("output", spec, height({1, 1}));
    const ReshardSpec schedule{movers};
    const Program program = call_program(op(), device.arch(), &schedule, {input}, {output});
    std::vector<std::vector<std::uint32_t>> found;
    for (const KernelDescription& kernel : program.kernels) {
        const auto& args = kernel.runtime_args.at({0, 0});
        found.push_back({static_cast<std::uint32_t>(kernel.processor()), args[4], args[5]});
    }
    return found;
}

constexpr auto kRiscv0 = static_cast<std::uint32_t>(Processor::Riscv0);
constexpr auto kRiscv1 = static_cast<std::uint32_t>(Processor::Riscv1);
using Portions = std::vector<std::vector<std::uint32_t>>;

// The first half of three pages is one page.
TEST(ReshardWork, IsSplitIntoHalvesBetweenBothMovers) {
    EXPECT_EQ(portions(ReshardMovers::Both), (Portions{{kRiscv1, 0, 1}, {kRiscv0, 1, 3}}));
}

TEST(ReshardWork, IsOneMoversAlone) {
    EXPECT_EQ(portions(ReshardMovers::Noc0), (Portions{{kRiscv1, 0, 3}}));
    EXPECT_EQ(portions(ReshardMovers::Noc1), (Portions{{kRiscv0, 0, 3}}));
}

/// Returns the targets of the reads of each thread of core (0,0), in order: logical x or DRAM bank.
std::vector<std::vector<std::uint32_t>> sources_of_core_0(const Case& test, DataFormat format) {
    LaunchTrace trace;
    OneDevice device(
        testing::test_arch(),
        {.threads = 1, .trace = TraceMode::On, .trace_sink = [&](const auto&, auto&& launch) {
             trace = std::move(launch);
         }});
    const TensorSpec spec{test.shape, format, Layout::TILE};
    const DeviceTensor input = device.make("input", spec, test.from);
    const DeviceTensor output = device.make("output", spec, test.to);
    device.run("reshard", call_program(op(), device.arch(), &test.schedule, {input}, {output}));
    std::vector<std::vector<std::uint32_t>> sources;
    for (const ThreadTrace& thread : trace.cores.at(0).threads) {
        sources.emplace_back();
        for (const TraceEvent& event : thread.events) {
            const NocPlace place = TransferArgument::unpack(event.argument).place;
            const std::uint32_t source = place.is_dram() ? place.bank() : place.core().x;
            const std::uint32_t count = event.kind == EventKind::NocRead ? event.count : 0;
            sources.back().insert(sources.back().end(), count, source);
        }
    }
    return sources;
}

// Source   tt-npe, workload/noc_trace_json/2x4_BLOCK_TO_4x4_HEIGHT.json, core (1,1): NoC 1 on BRISC
//          reads (3,1) and (4,1) twice each, NoC 0 on NCRISC (1,1) and (2,1).
TEST(ReshardOrder, IsThatOfAPublishedTraceBetweenShards) {
    const Case test{"", block({4, 2}), height({4, 4})};

    EXPECT_EQ(sources_of_core_0(test, DataFormat::Float32),
              (std::vector<std::vector<std::uint32_t>>{{2, 2, 3, 3}, {0, 0, 1, 1}}));
}

// Source   tt-npe, workload/noc_trace_json/DRAM_TO_1x4_BLOCK.json, core (1,1): four consecutive
//          banks in a row of tiles, each row four banks further; NoC 0 only.
TEST(ReshardOrder, IsThatOfAPublishedTraceFromDram) {
    const Case test{"", kDram, block({4, 1}), {256, 512}, {ReshardMovers::Noc0}};
    std::vector<std::uint32_t> banks;
    for (std::uint32_t i = 0; i < 32; ++i) {
        banks.push_back(i % 12);
    }

    EXPECT_EQ(sources_of_core_0(test, DataFormat::Float16_b),
              (std::vector<std::vector<std::uint32_t>>{banks}));
}

}  // namespace
}  // namespace tessera::ops::reshard
