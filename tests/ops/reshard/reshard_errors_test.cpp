// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/reshard/reshard.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera::ops::reshard {
namespace {

constexpr MemoryConfig kShards{
    .memory = BufferType::L1, .layout = TensorMemoryLayout::BLOCK_SHARDED, .grid = {2, 2}};

/// From DRAM to four cores. A test spoils one part.
struct Spoilable {
    testing::OneDevice device{testing::small_arch()};
    TensorSpec spec{{64, 64}, DataFormat::Float16_b, Layout::TILE};
    DeviceTensor input = device.make("input", spec, MemoryConfig{});
    DeviceTensor output = device.make("output", spec, kShards);

    [[nodiscard]] std::string message() const {
        const ReshardSpec schedule;
        return usage_error_message(
            [&] { (void)call_program(op(), device.arch(), &schedule, {input}, {output}); });
    }
};

TEST(ReshardErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(ReshardErrors, NamesAnOutputOfAnotherSpec) {
    Spoilable test;
    test.output.spec.shape = {64, 32};
    EXPECT_EQ(test.message(),
              "reshard: output is (64,32) bfloat16 TILE; allowed: (64,64) bfloat16 TILE");
}

TEST(ReshardErrors, NamesTensorsThatAreBothInterleaved) {
    Spoilable test;
    test.output = test.input;
    EXPECT_EQ(test.message(),
              "reshard: output is not in shards in L1, nor is input; the op copy moves interleaved "
              "pages");
}

TEST(ReshardErrors, NamesPagesThatDramWouldPad) {
    Spoilable test;
    test.spec = {{2, 24}, DataFormat::Float16_b, Layout::ROW_MAJOR};
    test.input = test.device.make("rows", test.spec, MemoryConfig{});
    test.output =
        test.device.make("shards", test.spec,
                         MemoryConfig{BufferType::L1, TensorMemoryLayout::HEIGHT_SHARDED, {2, 1}});
    EXPECT_EQ(test.message(),
              "reshard: input has pages of 48 B, which move between DRAM and L1; allowed: "
              "multiples of 32 B");
}

TEST(ReshardErrors, NamesSeveralShardsOnACore) {
    Spoilable test;
    test.output.buffer.shard->cores = CoreRange({0, 0}, {1, 0});
    EXPECT_EQ(test.message(), "reshard: output has 4 shards on 2 cores; allowed: one on each core");
}

}  // namespace
}  // namespace tessera::ops::reshard
