// SPDX-License-Identifier: Apache-2.0
// Host and kernels see the same contents of sharded tensors.
#include <gtest/gtest.h>

#include <numeric>

#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

// Copies every page of a sharded tensor into an interleaved one.
constexpr const char* kGather = R"(
    void kernel_main() {
        const uint32_t from_addr = get_arg_val<uint32_t>(0);
        const uint32_t to_addr = get_arg_val<uint32_t>(1);
        const uint32_t pages = get_arg_val<uint32_t>(2);
        constexpr auto from_args = TensorAccessorArgs<0>();
        constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
        const auto from = TensorAccessor(from_args, from_addr);
        const auto to = TensorAccessor(to_args, to_addr);
        const uint32_t buffer = get_write_ptr(0);
        for (uint32_t i = 0; i < pages; ++i) {
            noc_async_read_page(i, from, buffer);
            noc_async_read_barrier();
            noc_async_write_page(i, to, buffer);
            noc_async_write_barrier();
        }
    })";

struct Case {
    const char* name;
    BufferType type;
    TensorMemoryLayout layout;
    std::vector<std::uint32_t> shard_shape;
    ShardOrientation orientation;
};

class ShardedTensor : public ::testing::TestWithParam<Case> {};

TEST_P(ShardedTensor, IsReadByAKernelInPageOrder) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    const TensorSpec spec{{5 * 32, 3 * 32}, DataFormat::UInt16, Layout::TILE};
    const CoreCoord last = GetParam().type == BufferType::DRAM ? CoreCoord{3, 0} : CoreCoord{1, 1};
    const ShardSpec shard{.cores = CoreRangeSet(CoreRange({0, 0}, last)),
                          .shard_shape = GetParam().shard_shape,
                          .tensor_shape = {5, 3},
                          .orientation = GetParam().orientation};
    const DeviceTensor from =
        session.allocate_sharded(0, "from", spec, GetParam().type, GetParam().layout, shard);
    const DeviceTensor to = session.allocate(0, "to", spec, BufferType::DRAM);
    HostTensor values = make_host_tensor(spec.shape, spec.format);
    std::iota(values.as<std::uint16_t>().begin(), values.as<std::uint16_t>().end(),
              std::uint16_t{0});
    session.write(from, values);

    Program program;
    CircularBufferConfig config(2048, {{std::uint8_t{0}, DataFormat::UInt16}});
    config.set_page_size(0, 2048);
    CreateCircularBuffer(program, CoreCoord{0, 0}, config);
    std::vector<std::uint32_t> args;
    TensorAccessorArgs(from.buffer).append_to(args);
    TensorAccessorArgs(to.buffer).append_to(args);
    const KernelHandle kernel = CreateKernelFromString(
        program, kGather, CoreCoord{0, 0}, ReaderDataMovementConfig(args), "gather.cpp");
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0},
                   {from.buffer.address, to.buffer.address, spec.num_pages()});
    const std::vector<DeviceProgram> programs{{0, program}};
    session.launch("gather", programs);

    EXPECT_EQ(session.read(to).bytes, values.bytes);
}

INSTANTIATE_TEST_SUITE_P(Layouts, ShardedTensor,
                         ::testing::Values(Case{"HeightInL1",
                                                BufferType::L1,
                                                TensorMemoryLayout::HEIGHT_SHARDED,
                                                {2, 3},
                                                ShardOrientation::ROW_MAJOR},
                                           Case{"WidthInL1",
                                                BufferType::L1,
                                                TensorMemoryLayout::WIDTH_SHARDED,
                                                {5, 1},
                                                ShardOrientation::COL_MAJOR},
                                           Case{"BlockInL1",
                                                BufferType::L1,
                                                TensorMemoryLayout::BLOCK_SHARDED,
                                                {3, 2},
                                                ShardOrientation::ROW_MAJOR},
                                           Case{"HeightInDram",
                                                BufferType::DRAM,
                                                TensorMemoryLayout::HEIGHT_SHARDED,
                                                {2, 3},
                                                ShardOrientation::ROW_MAJOR}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tessera
