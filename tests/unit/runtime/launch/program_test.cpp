// SPDX-License-Identifier: Apache-2.0
// Whole programs in the form of TT-Metalium's examples, compiled from source.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "runtime/session/emulated_session.hpp"
#include "tessera/work_split.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/launch/kernel_error_of.hpp"

namespace tessera {
namespace {

constexpr const char* kReadTwo = R"(
    void kernel_main() {
        const uint32_t addr_a = get_arg_val<uint32_t>(0);
        const uint32_t addr_b = get_arg_val<uint32_t>(1);
        const uint32_t start = get_arg_val<uint32_t>(2);
        const uint32_t count = get_arg_val<uint32_t>(3);
        constexpr auto args_a = TensorAccessorArgs<0>();
        constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
        const auto a = TensorAccessor(args_a, addr_a, get_tile_size(0));
        const auto b = TensorAccessor(args_b, addr_b, get_tile_size(1));
        for (uint32_t i = start; i < start + count; ++i) {
            cb_reserve_back(0, 1);
            cb_reserve_back(1, 1);
            noc_async_read_tile(i, a, get_write_ptr(0));
            noc_async_read_tile(i, b, get_write_ptr(1));
            noc_async_read_barrier();
            cb_push_back(0, 1);
            cb_push_back(1, 1);
        }
    })";

constexpr const char* kAdd = R"(
    void kernel_main() {
        const uint32_t count = get_arg_val<uint32_t>(0);
        binary_op_init_common(0, 1, 16);
        add_tiles_init(0, 1);
        for (uint32_t i = 0; i < count; ++i) {
            cb_wait_front(0, 1);
            cb_wait_front(1, 1);
            tile_regs_acquire();
            add_tiles(0, 1, 0, 0, 0);
            tile_regs_commit();
            cb_reserve_back(16, 1);
            tile_regs_wait();
            pack_tile(0, 16);
            tile_regs_release();
            cb_push_back(16, 1);
            cb_pop_front(0, 1);
            cb_pop_front(1, 1);
        }
    })";

constexpr const char* kWriteOne = R"(
    void kernel_main() {
        const uint32_t addr = get_arg_val<uint32_t>(0);
        const uint32_t start = get_arg_val<uint32_t>(1);
        const uint32_t count = get_arg_val<uint32_t>(2);
        constexpr auto args = TensorAccessorArgs<0>();
        const auto out = TensorAccessor(args, addr, get_tile_size(16));
        for (uint32_t i = start; i < start + count; ++i) {
            cb_wait_front(16, 1);
            noc_async_write_tile(i, out, get_read_ptr(16));
            noc_async_write_barrier();
            cb_pop_front(16, 1);
        }
    })";

std::uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

CircularBufferConfig tiles(std::uint8_t index, std::uint32_t count) {
    CircularBufferConfig config(count * 2048, {{index, DataFormat::Float16_b}});
    config.set_page_size(index, 2048);
    return config;
}

// Returns out = a + b over `num_tiles` tiles distributed over the whole grid.
Program vector_add(const ArchSpec& arch, const DeviceTensor& a, const DeviceTensor& b,
                   const DeviceTensor& out) {
    Program program;
    const auto [columns, rows] = arch.workers.compute;
    const std::uint32_t num_tiles = a.spec.num_pages();
    const auto [num_cores, all, group_1, group_2, per_1, per_2] =
        split_work_to_cores(CoreCoord{columns, rows}, num_tiles);
    for (const std::uint8_t index : std::initializer_list<std::uint8_t>{0, 1, 16}) {
        CreateCircularBuffer(program, all, tiles(index, 2));
    }
    std::vector<std::uint32_t> reader_args;
    TensorAccessorArgs(a.buffer).append_to(reader_args);
    TensorAccessorArgs(b.buffer).append_to(reader_args);
    std::vector<std::uint32_t> writer_args;
    TensorAccessorArgs(out.buffer).append_to(writer_args);
    const auto reader = CreateKernelFromString(program, kReadTwo, all,
                                               ReaderDataMovementConfig(reader_args), "read.cpp");
    const auto compute = CreateKernelFromString(program, kAdd, all, ComputeConfig{}, "add.cpp");
    const auto writer = CreateKernelFromString(program, kWriteOne, all,
                                               WriterDataMovementConfig(writer_args), "write.cpp");
    std::uint32_t start = 0;
    for (const CoreCoord core : corerange_to_cores(all, num_cores)) {
        const std::uint32_t count = group_1.contains(core) ? per_1 : per_2;
        SetRuntimeArgs(program, reader, core, {a.buffer.address, b.buffer.address, start, count});
        SetRuntimeArgs(program, compute, core, {count});
        SetRuntimeArgs(program, writer, core, {out.buffer.address, start, count});
        start += count;
    }
    return program;
}

HostTensor ramp(const Shape& shape, float step) {
    HostTensor tensor = make_host_tensor(shape, DataFormat::Float16_b);
    auto values = tensor.as<std::uint16_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = to_bf16(step * static_cast<float>(i % 97) - 3.0F);
    }
    return tensor;
}

struct Run {
    NocDelivery delivery;
    std::uint32_t threads;
};

class VectorAdd : public ::testing::TestWithParam<Run> {};

TEST_P(VectorAdd, OfSixHundredFortyTilesOverSixtyFourCoresIsExactlyRounded) {
    EmulatedSession session(
        MeshSpec{}, testing::test_arch(),
        {.threads = GetParam().threads, .delivery = GetParam().delivery, .seed = 5});
    const TensorSpec spec{{32, 640 * 32}, DataFormat::Float16_b, Layout::TILE};
    const DeviceTensor a = session.allocate(0, "a", spec, BufferType::DRAM);
    const DeviceTensor b = session.allocate(0, "b", spec, BufferType::DRAM);
    const DeviceTensor out = session.allocate(0, "out", spec, BufferType::DRAM);
    const HostTensor left = ramp(spec.shape, 0.125F);
    const HostTensor right = ramp(spec.shape, 0.0625F);
    session.write(a, left);
    session.write(b, right);

    const std::vector<DeviceProgram> programs{{0, vector_add(session.arch(), a, b, out)}};
    const LaunchResult result = session.launch("vector_add", programs);

    const HostTensor sum = session.read(out);
    ASSERT_EQ(result.cores.size(), 64U);
    EXPECT_EQ(result.cores.front().tiles_packed, 10U);
    EXPECT_EQ(result.cores.front().bytes_read, 10U * 2 * 2048);
    for (std::size_t i = 0; i < sum.as<std::uint16_t>().size(); ++i) {
        const auto value = [&](const HostTensor& t) {
            return std::bit_cast<float>(static_cast<std::uint32_t>(t.as<std::uint16_t>()[i])
                                        << 16U);
        };
        ASSERT_EQ(sum.as<std::uint16_t>()[i], to_bf16(value(left) + value(right))) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, VectorAdd,
                         ::testing::Values(Run{NocDelivery::AtIssue, 1},
                                           Run{NocDelivery::AtBarrier, 2},
                                           Run{NocDelivery::Random, 5}));

constexpr const char* kShortReader = R"(void kernel_main() {
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
})";
constexpr const char* kPatientWriter = R"(void kernel_main() {
    for (int i = 0; i < 2; ++i) {
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
    }
})";

TEST(DeadlockedPrograms, AReaderThatStopsEarlyIsReportedWithBothSourceLines) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 2});
    const CoreCoord core{0, 0};
    Program program;
    CreateCircularBuffer(program, core, tiles(0, 2));
    CreateKernelFromString(program, kShortReader, core, ReaderDataMovementConfig(),
                           "short_reader.cpp");
    CreateKernelFromString(program, kPatientWriter, core, WriterDataMovementConfig(),
                           "patient_writer.cpp");

    EXPECT_EQ(kernel_error_of(session, program),
              "Deadlock: device 0 core (0,0) writer patient_writer.cpp:3: the producer of "
              "cb 0, reader short_reader.cpp, has finished after 1 pages in all\n"
              "  1 kernel thread is blocked and nothing is in flight:\n"
              "    device 0 core (0,0) writer patient_writer.cpp:3 waits in cb_wait_front(cb 0, "
              "1): 0 of 1 pages are there");
}

}  // namespace
}  // namespace tessera
