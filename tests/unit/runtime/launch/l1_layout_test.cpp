// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/l1_layout.hpp"

#include <gtest/gtest.h>

#include "emu/dram/tensor_buffer.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

// 103712 rounded up to the DRAM alignment of 32.
constexpr std::uint32_t kFirst = 103712;

CircularBufferConfig one_buffer(std::uint8_t index, std::uint32_t bytes) {
    CircularBufferConfig config(bytes, {{index, DataFormat::Float16_b}});
    config.set_page_size(index, bytes);
    return config;
}

L1Layout layout_of(const Program& program) {
    const ArchSpec arch = testing::small_arch();
    const BankAllocator buffers = make_allocator(arch, BufferType::L1, 0);
    return lay_out_circular_buffers(program, {arch, 0, buffers});
}

TEST(L1Layout, BuffersFollowEachOtherFromTheFirstFreeAddress) {
    Program program;
    CreateCircularBuffer(program, CoreCoord{0, 0}, one_buffer(0, 2048));
    CreateCircularBuffer(program, CoreCoord{0, 0}, one_buffer(1, 48));
    CreateCircularBuffer(program, CoreCoord{0, 0}, one_buffer(2, 64));

    const L1Layout layout = layout_of(program);

    EXPECT_EQ(layout, (L1Layout{kFirst, kFirst + 2048, kFirst + 2048 + 64}));
}

TEST(L1Layout, ABufferHasOneAddressOnAllItsCores) {
    Program program;
    CreateCircularBuffer(program, CoreCoord{1, 1}, one_buffer(0, 4096));
    CreateCircularBuffer(program, CoreRange({0, 0}, {1, 1}), one_buffer(1, 2048));

    const L1Layout layout = layout_of(program);

    EXPECT_EQ(layout, (L1Layout{kFirst, kFirst + 4096}));
}

TEST(L1Layout, BuffersOnDifferentCoresShareAddresses) {
    Program program;
    CreateCircularBuffer(program, CoreCoord{0, 0}, one_buffer(0, 4096));
    CreateCircularBuffer(program, CoreCoord{1, 0}, one_buffer(0, 2048));

    const L1Layout layout = layout_of(program);

    EXPECT_EQ(layout, (L1Layout{kFirst, kFirst}));
}

TEST(L1Layout, ABufferOverATensorLiesWhereTheTensorDoesAndTakesNoOtherL1) {
    const Buffer tensor{.type = BufferType::L1,
                        .layout = TensorMemoryLayout::HEIGHT_SHARDED,
                        .address = 1000000,
                        .page_size = 2048,
                        .aligned_page_size = 2048,
                        .num_pages = 4,
                        .shard = ShardSpec{.cores = CoreRange({0, 0}, {1, 0}),
                                           .shard_shape = {2, 1},
                                           .tensor_shape = {4, 1},
                                           .noc_coords = {}}};
    Program program;
    CreateCircularBuffer(program, CoreCoord{0, 0},
                         one_buffer(0, 4096).set_globally_allocated_address(tensor));
    CreateCircularBuffer(program, CoreCoord{0, 0}, one_buffer(1, 2048));

    const L1Layout layout = layout_of(program);

    EXPECT_EQ(layout, (L1Layout{1000000, kFirst}));
}

TEST(L1Layout, AllOfL1CanBeTaken) {
    Program program;
    CreateCircularBuffer(program, CoreCoord{0, 0}, one_buffer(0, 1499136 - kFirst));

    EXPECT_NO_THROW((void)layout_of(program));
}

}  // namespace
}  // namespace tessera
