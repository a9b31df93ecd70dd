// SPDX-License-Identifier: Apache-2.0
// Properties of launches in a session's trace, besides events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emu/mesh/mesh.hpp"
#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

using ::testing::ElementsAre;

constexpr const char* kNamedKernel = R"(
    void kernel_main() {
        DeviceZoneScopedN("whole");
        cb_reserve_back(3, 1);
        cb_push_back(3, 1);
    })";

// Returns one kernel on two cores and another on one of them, two CBs in one allocation and one
// alone, two semaphores, and arguments.
Program small_program() {
    const CoreRange both({0, 0}, {1, 0});
    Program program;
    const KernelHandle writer = CreateKernelFromString(program, kNamedKernel, both,
                                                       WriterDataMovementConfig(), "writer.cpp");
    CreateKernelFromString(program, "void kernel_main() {}", CoreCoord{1, 0},
                           ComputeConfig{.math_fidelity = MathFidelity::HiFi2,
                                         .fp32_dest_acc_en = true,
                                         .dst_full_sync_en = true},
                           "compute.cpp");
    CreateCircularBuffer(
        program, both,
        CircularBufferConfig(4096, {{3, DataFormat::Float16_b}, {4, DataFormat::Float32}})
            .set_page_size(3, 2048)
            .set_page_size(4, 4096));
    CreateCircularBuffer(
        program, CoreCoord{1, 0},
        CircularBufferConfig(1088, {{0, DataFormat::Bfp8_b}}).set_page_size(0, 1088));
    CreateSemaphore(program, both, 0);
    CreateSemaphore(program, CoreCoord{1, 0}, 6);
    SetRuntimeArgs(program, writer, CoreCoord{0, 0}, {1, 2, 3});
    SetRuntimeArgs(program, writer, CoreCoord{1, 0}, {1, 2, 3});
    SetCommonRuntimeArgs(program, writer, {4, 5});
    return program;
}

class SessionTrace : public ::testing::Test {
protected:
    static Trace trace_of(std::uint32_t num_launches) {
        EmulatedSession session(
            {.shape = {1, 2}, .topology = Topology::Line, .device = "test_arch"},
            testing::small_arch(), {.threads = 1, .trace = TraceMode::On});
        for (std::uint32_t i = 0; i < num_launches; ++i) {
            session.launch("step", std::vector<DeviceProgram>{{1, small_program()}});
        }
        return session.trace();
    }
};

TEST_F(SessionTrace, NamesTheMachineAndTheLaunch) {
    const Trace trace = trace_of(1);

    EXPECT_EQ(trace.arch, "test_arch");
    EXPECT_EQ(trace.mesh.shape, (MeshShape{1, 2}));
    ASSERT_EQ(trace.launches.size(), 1U);
    EXPECT_EQ(trace.launches[0].name, "step");
    EXPECT_THAT(trace.names, ElementsAre("", "writer.cpp", "whole", "compute.cpp"));
}

TEST_F(SessionTrace, NamesAreGivenOnce) {
    EXPECT_EQ(trace_of(2).names, trace_of(1).names);
}

TEST_F(SessionTrace, CoresHaveTheirBuffersAndThreads) {
    const Trace trace = trace_of(1);
    const auto& cores = trace.launches[0].cores;

    ASSERT_EQ(cores.size(), 2U);
    EXPECT_EQ(cores[0].core, (CoreCoord{0, 0}));
    EXPECT_EQ(cores[1].device, 1U);
    const CbTrace cb0{.index = 0, .format = DataFormat::Bfp8_b, .pages = 1, .page_bytes = 1088};
    const CbTrace cb3{.index = 3, .format = DataFormat::Float16_b, .pages = 2, .page_bytes = 2048};
    const CbTrace cb4{.index = 4, .format = DataFormat::Float32, .pages = 1, .page_bytes = 4096};
    EXPECT_THAT(cores[0].cbs, ElementsAre(cb3, cb4));
    EXPECT_THAT(cores[1].cbs, ElementsAre(cb0, cb3, cb4));
    EXPECT_EQ(cores[0].l1_bytes, 4096U);
    EXPECT_EQ(cores[1].l1_bytes, 4096U + 1088U);
    ASSERT_EQ(cores[1].threads.size(), 2U);
    EXPECT_EQ(trace.names[cores[1].threads[0].kernel], "writer.cpp");
    EXPECT_EQ(cores[1].threads[0].default_noc, 1U);
    EXPECT_EQ(cores[1].threads[1].processor, Processor::Compute);
    EXPECT_EQ(cores[1].threads[1].compute, (ComputeModes{MathFidelity::HiFi2, true, true, false}));
}

TEST_F(SessionTrace, ZonesAndLinesReferToNames) {
    const Trace trace = trace_of(1);
    const ThreadTrace& writer = trace.launches[0].cores[0].threads[0];

    const std::vector<TraceEvent> expected{{EventKind::ZoneBegin, 0, 1, 1, 2},
                                           {EventKind::CbReserve, 3, 2, 1, 1},
                                           {EventKind::CbPush, 3, 3, 1, 1},
                                           {EventKind::ZoneEnd, 0, 1, 1, 2}};
    EXPECT_EQ(writer.events, expected);
    const std::vector<TraceSite> sites{{0, 0}, {1, 3}, {1, 4}, {1, 5}};
    EXPECT_EQ(writer.sites, sites);
}

TEST_F(SessionTrace, CountsWhatDispatchSends) {
    const DispatchTrace expected{.device = 1,
                                 .kernels = 2,
                                 .cores = 2,
                                 .threads = 3,
                                 .cbs = 3,
                                 .semaphores = 2,
                                 .unique_args = 6,
                                 .common_args = 2};

    EXPECT_THAT(trace_of(1).launches[0].dispatch, ElementsAre(expected));
}

TEST_F(SessionTrace, KeepsTheWordsThatAreNotZeroAtFirst) {
    const InitialWord expected{
        .device = 1, .core = {1, 0}, .address = 40960 + 16, .value = 6};  // second id on the core

    EXPECT_THAT(trace_of(1).launches[0].initial_words, ElementsAre(expected));
}

TEST_F(SessionTrace, ASinkTakesTheLaunches) {
    std::vector<std::string> seen;
    EmulatedSession session(MeshSpec{}, testing::small_arch(),
                            {.threads = 1,
                             .trace = TraceMode::On,
                             .trace_sink = [&seen](const Trace& so_far, LaunchTrace&& launch) {
                                 EXPECT_TRUE(so_far.launches.empty());
                                 EXPECT_EQ(so_far.names.size(), 4U);
                                 seen.push_back(launch.name);
                             }});
    session.launch("one", std::vector<DeviceProgram>{{0, small_program()}});
    session.launch("two", std::vector<DeviceProgram>{{0, small_program()}});

    EXPECT_THAT(seen, ElementsAre("one", "two"));
    EXPECT_TRUE(session.trace().launches.empty());
}

TEST_F(SessionTrace, NothingIsRecordedUnlessAskedFor) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    session.launch("step", std::vector<DeviceProgram>{{0, small_program()}});

    EXPECT_TRUE(session.trace().launches.empty());
}

// Both copies arrive at their addresses; the kernel reads 64 and 128 bytes of the other core.
std::pair<std::uint8_t, std::uint8_t> bytes_read(BulkData bulk_data) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(),
                            {.threads = 1, .bulk_data = bulk_data});
    Program program;
    CreateKernelFromString(program, R"(
        void kernel_main() {
            noc_async_read(get_noc_addr(19, 18, 0x40000), 0x40000, 64);
            noc_async_read(get_noc_addr(19, 18, 0x40000), 0x50000, 128);
            noc_async_read_barrier();
            noc_async_write(0x40000, get_noc_addr(19, 18, 0x60000), 128);
            noc_async_writes_flushed();
            noc_async_write_barrier();
        })",
                           CoreCoord{0, 0}, ReaderDataMovementConfig(), "reader.cpp");
    Device& device = session.emulated_mesh().device(0);
    *device.core({1, 0}).l1(0x40000) = std::byte{7};
    session.launch("step", std::vector<DeviceProgram>{{0, program}});
    return {static_cast<std::uint8_t>(*device.core({0, 0}).l1(0x40000)),
            static_cast<std::uint8_t>(*device.core({0, 0}).l1(0x50000))};
}

TEST_F(SessionTrace, WithoutBulkDataOnlySmallTransfersMoveBytes) {
    EXPECT_EQ(bytes_read(BulkData::On), std::pair(std::uint8_t{7}, std::uint8_t{7}));
    EXPECT_EQ(bytes_read(BulkData::Off), std::pair(std::uint8_t{7}, std::uint8_t{0}));
}

/// Returns two bytes: the first byte of an L1 after reading 128 bytes of a tensor of sevens, and
/// the first byte of another tensor of that format after writing 128 bytes of 5 to it.
std::pair<std::uint8_t, std::uint8_t> bytes_moved(DataFormat format) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(),
                            {.threads = 1, .bulk_data = BulkData::Integers});
    const TensorSpec spec{{1, 64}, format, Layout::ROW_MAJOR};
    const DeviceTensor from = session.allocate(0, "from", spec, BufferType::DRAM);
    const DeviceTensor to = session.allocate(0, "to", spec, BufferType::DRAM);
    session.fill(from, std::byte{7});
    session.fill(to, std::byte{1});
    Program program;
    const auto kernel =
        CreateKernelFromString(program, R"(
        void kernel_main() {
            const uint32_t from = get_arg_val<uint32_t>(0), to = get_arg_val<uint32_t>(1);
            noc_async_read(get_noc_addr_from_bank_id<true>(0, from), 0x40000, 128);
            noc_async_read_barrier();
            noc_async_write(0x50000, get_noc_addr_from_bank_id<true>(0, to), 128);
            noc_async_write_barrier();
        })",
                               CoreCoord{0, 0}, ReaderDataMovementConfig(), "reader.cpp");
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, {from.buffer.address, to.buffer.address});
    Device& device = session.emulated_mesh().device(0);
    *device.core({0, 0}).l1(0x50000) = std::byte{5};
    session.launch("step", std::vector<DeviceProgram>{{0, program}});
    return {static_cast<std::uint8_t>(*device.core({0, 0}).l1(0x40000)),
            static_cast<std::uint8_t>(*(device.dram.bank(0) + to.buffer.address))};
}

TEST_F(SessionTrace, WithBulkDataOfIntegersOnlyTensorsOfIntegersMoveBytes) {
    EXPECT_EQ(bytes_moved(DataFormat::UInt32), std::pair(std::uint8_t{7}, std::uint8_t{5}));
    EXPECT_EQ(bytes_moved(DataFormat::Float32), std::pair(std::uint8_t{0}, std::uint8_t{1}));
}

// A sender may reuse its source after a flush, also if that held zeros.
TEST_F(SessionTrace, WithBulkDataOfIntegersFlushedWritesBetweenCoresBringTheirBytes) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(),
                            {.threads = 1, .bulk_data = BulkData::Integers});
    Program program;
    CreateKernelFromString(program, R"(
        void kernel_main() {
            for (uint32_t from = 0x40000; from <= 0x41000; from += 0x1000) {
                noc_async_write(from, get_noc_addr(19, 18, from), 4096);
                noc_async_writes_flushed();
                *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(from) = 0x09090909;
                noc_async_write_barrier();
            }
        })",
                           CoreCoord{0, 0}, ReaderDataMovementConfig(), "reader.cpp");
    Device& device = session.emulated_mesh().device(0);
    *device.core({0, 0}).l1(0x41000) = std::byte{7};
    *device.core({1, 0}).l1(0x40000) = std::byte{5};
    *device.core({1, 0}).l1(0x41000) = std::byte{5};
    session.launch("step", std::vector<DeviceProgram>{{0, program}});

    EXPECT_EQ(*device.core({1, 0}).l1(0x40000), std::byte{0});
    EXPECT_EQ(*device.core({1, 0}).l1(0x41000), std::byte{7});
}

}  // namespace
}  // namespace tessera
