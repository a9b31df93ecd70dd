// SPDX-License-Identifier: Apache-2.0
// A matmul whose operands are read once and multicast: in0 along the rows of cores on NoC 0, in1
// down the columns on NoC 1. It uses the semaphore handshake of TT-Metalium's reuse-and-multicast
// matmul and depends on every ordering guarantee of the NoC.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kGrid = 4;     // cores per side
constexpr std::uint32_t kPerCore = 2;  // output tiles per side on each core
constexpr std::uint32_t kTilesK = 6;   // in blocks of one
constexpr std::uint32_t kTiles = kGrid * kPerCore;

// Arguments: address, index of the first tile, tile stride inside a block, block stride,
// semaphores; for the sender also the corners of its receivers in its NoC's order.
constexpr const char* kFeed = R"(
    constexpr uint32_t kReady = 1;

    void kernel_main() {
        const uint32_t cb = get_compile_time_arg_val(0);
        const uint32_t num_blocks = get_compile_time_arg_val(1);
        const uint32_t block_tiles = get_compile_time_arg_val(2);
        const uint32_t num_receivers = get_compile_time_arg_val(3);
        constexpr auto args = TensorAccessorArgs<4>();
        const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(cb));
        const uint32_t first_tile = get_arg_val<uint32_t>(1);
        const uint32_t tile_stride = get_arg_val<uint32_t>(2);
        const uint32_t block_stride = get_arg_val<uint32_t>(3);
        const uint32_t wanted_addr = get_semaphore(get_arg_val<uint32_t>(4));
        const uint32_t ready_addr = get_semaphore(get_arg_val<uint32_t>(5));
        const bool is_sender = get_arg_val<uint32_t>(6) != 0;
        const uint32_t x0 = get_arg_val<uint32_t>(7);
        const uint32_t y0 = get_arg_val<uint32_t>(8);
        const uint32_t x1 = get_arg_val<uint32_t>(9);
        const uint32_t y1 = get_arg_val<uint32_t>(10);
        auto* wanted = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(wanted_addr);
        auto* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready_addr);

        for (uint32_t block = 0; block < num_blocks; ++block) {
            cb_reserve_back(cb, block_tiles);
            const uint32_t l1_addr = get_write_ptr(cb);
            if (is_sender) {
                for (uint32_t i = 0; i < block_tiles; ++i) {
                    noc_async_read_page(first_tile + block * block_stride + i * tile_stride, in,
                                        l1_addr + i * get_tile_size(cb));
                }
                noc_async_read_barrier();
                noc_semaphore_wait(wanted, num_receivers);
                noc_semaphore_set(wanted, 0);
                noc_async_write_multicast(l1_addr, get_noc_multicast_addr(x0, y0, x1, y1, l1_addr),
                                          block_tiles * get_tile_size(cb), num_receivers, true);
                noc_semaphore_set(ready, kReady);
                noc_semaphore_set_multicast(
                    ready_addr, get_noc_multicast_addr(x0, y0, x1, y1, ready_addr), num_receivers);
                noc_async_writes_flushed();
            } else {
                noc_semaphore_set(ready, 0);
                noc_semaphore_inc(get_noc_addr(x0, y0, wanted_addr), 1);
                noc_semaphore_wait(ready, kReady);
            }
            cb_push_back(cb, block_tiles);
        }
#ifdef WRITE_OUTPUT
        constexpr auto out_args = TensorAccessorArgs<args.next_compile_time_args_offset()>();
        const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(11), get_tile_size(16));
        const uint32_t first_out = get_arg_val<uint32_t>(12);
        const uint32_t out_stride = get_arg_val<uint32_t>(13);
        for (uint32_t row = 0; row < block_tiles; ++row) {
            cb_wait_front(16, block_tiles);
            for (uint32_t column = 0; column < block_tiles; ++column) {
                noc_async_write_page(first_out + row * out_stride + column, out,
                                     get_read_ptr(16) + column * get_tile_size(16));
            }
            noc_async_write_barrier();
            cb_pop_front(16, block_tiles);
        }
#endif
        noc_async_atomic_barrier();
    })";

constexpr const char* kMultiply = R"(
    void kernel_main() {
        const uint32_t num_blocks = get_compile_time_arg_val(0);
        const uint32_t side = get_compile_time_arg_val(1);
        mm_block_init(0, 1, 16, 0, side, side, 1);
        tile_regs_acquire();
        for (uint32_t block = 0; block < num_blocks; ++block) {
            cb_wait_front(0, side);
            cb_wait_front(1, side);
            matmul_block(0, 1, 0, 0, 0, 0, side, side, 1);
            cb_pop_front(0, side);
            cb_pop_front(1, side);
        }
        tile_regs_commit();
        cb_reserve_back(16, side * side);
        tile_regs_wait();
        for (uint32_t i = 0; i < side * side; ++i) {
            pack_tile(i, 16);
        }
        tile_regs_release();
        cb_push_back(16, side * side);
    })";

CircularBufferConfig tiles(std::uint8_t index, std::uint32_t count) {
    CircularBufferConfig config(count * 2048, {{index, DataFormat::Float16_b}});
    config.set_page_size(index, 2048);
    return config;
}

struct Tensors {
    DeviceTensor in0;
    DeviceTensor in1;
    DeviceTensor out;
};

// The two feeding kernels of one core set. Senders are column 0 (in0) and row 0 (in1).
struct Feeders {
    KernelHandle in0;
    KernelHandle in1;
};

Feeders add_feeders(Program& program, const Tensors& t, const CoreRangeSet& cores) {
    std::vector<std::uint32_t> args0{0, kTilesK, kPerCore, kGrid - 1};
    TensorAccessorArgs(t.in0.buffer).append_to(args0);
    std::vector<std::uint32_t> args1{1, kTilesK, kPerCore, kGrid - 1};
    TensorAccessorArgs(t.in1.buffer).append_to(args1);
    TensorAccessorArgs(t.out.buffer).append_to(args1);
    DataMovementConfig writer = WriterDataMovementConfig(args1, {{"WRITE_OUTPUT", "1"}});
    writer.noc = NOC::NOC_1;
    return {CreateKernelFromString(program, kFeed, cores, ReaderDataMovementConfig(args0),
                                   "feed_in0.cpp"),
            CreateKernelFromString(program, kFeed, cores, writer, "feed_in1.cpp")};
}

Program multicast_matmul(const Tensors& t) {
    Program program;
    const CoreRangeSet cores(CoreRange({0, 0}, {kGrid - 1, kGrid - 1}));
    CreateCircularBuffer(program, cores, tiles(0, 2 * kPerCore));
    CreateCircularBuffer(program, cores, tiles(1, 2 * kPerCore));
    CreateCircularBuffer(program, cores, tiles(16, kPerCore * kPerCore));
    std::uint32_t semaphores[4] = {};
    for (std::uint32_t& id : semaphores) {
        id = CreateSemaphore(program, cores, 0);
    }
    const Feeders feeders = add_feeders(program, t, cores);
    CreateKernelFromString(
        program, kMultiply, cores,
        ComputeConfig{.fp32_dest_acc_en = true, .compile_args = {kTilesK, kPerCore}},
        "multiply.cpp");
    for (const CoreCoord core : cores.cores()) {
        const std::uint32_t x = 18 + core.x;
        const std::uint32_t y = 18 + core.y;
        const std::uint32_t last = 18 + kGrid - 1;
        const bool sends_in0 = core.x == 0;
        SetRuntimeArgs(
            program, feeders.in0, core,
            {t.in0.buffer.address, core.y * kPerCore * kTilesK, kTilesK, 1, semaphores[0],
             semaphores[1], sends_in0 ? 1U : 0U, sends_in0 ? 19U : 18U, y, last, y});
        const bool sends_in1 = core.y == 0;
        // NoC 1 specifies the rectangle from its far corner.
        SetRuntimeArgs(
            program, feeders.in1, core,
            {t.in1.buffer.address, core.x * kPerCore, 1, kTiles, semaphores[2], semaphores[3],
             sends_in1 ? 1U : 0U, x, sends_in1 ? last : 18U, x, 19, t.out.buffer.address,
             core.y * kPerCore * kTiles + core.x * kPerCore, kTiles});
    }
    return program;
}

// Small integers, so that every product and sum is exact in any order.
HostTensor small_integers(const Shape& shape, std::uint32_t factor) {
    HostTensor tensor = make_host_tensor(shape, DataFormat::Float16_b);
    auto values = tensor.as<std::uint16_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<float>((i * factor + i / 31) % 3) - 1.0F;
        values[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
    }
    return tensor;
}

float value_at(const HostTensor& tensor, std::size_t index) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(tensor.as<std::uint16_t>()[index])
                                << 16U);
}

struct Run {
    NocDelivery delivery;
    std::uint64_t seed;
    std::uint32_t threads;
};

class MulticastMatmul : public ::testing::TestWithParam<Run> {};

TEST_P(MulticastMatmul, IsExactUnderEveryLegalDeliveryAtAnyNumberOfThreads) {
    const auto [delivery, seed, threads] = GetParam();
    EmulatedSession session(MeshSpec{}, testing::make_arch(kGrid, kGrid),
                            {.threads = threads, .delivery = delivery, .seed = seed});
    const std::uint32_t m = kTiles * 32;
    const std::uint32_t k = kTilesK * 32;
    const auto allocate = [&](const char* name, Shape shape) {
        return session.allocate(0, name, {shape, DataFormat::Float16_b, Layout::TILE},
                                BufferType::DRAM);
    };
    const Tensors t{allocate("in0", {m, k}), allocate("in1", {k, m}), allocate("out", {m, m})};
    const HostTensor left = small_integers({m, k}, 7);
    const HostTensor right = small_integers({k, m}, 5);
    session.write(t.in0, left);
    session.write(t.in1, right);

    const std::vector<DeviceProgram> programs{{0, multicast_matmul(t)}};
    session.launch("multicast_matmul", programs);

    const HostTensor out = session.read(t.out);
    for (std::uint32_t row = 0; row < m; row += 13) {
        for (std::uint32_t column = 0; column < m; column += 7) {
            float sum = 0;
            for (std::uint32_t i = 0; i < k; ++i) {
                sum += value_at(left, row * k + i) * value_at(right, i * m + column);
            }
            ASSERT_EQ(value_at(out, row * m + column), sum) << row << "," << column;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, MulticastMatmul,
    ::testing::Values(Run{NocDelivery::AtIssue, 0, 1}, Run{NocDelivery::AtBarrier, 0, 1},
                      Run{NocDelivery::AtBarrier, 0, 2}, Run{NocDelivery::AtBarrier, 0, 5},
                      Run{NocDelivery::Random, 1, 2}, Run{NocDelivery::Random, 2, 2},
                      Run{NocDelivery::Random, 3, 5}));

}  // namespace
}  // namespace tessera
