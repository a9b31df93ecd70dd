// SPDX-License-Identifier: Apache-2.0
// A replicated tensor exists once on the host but behaves as a separate tensor of each device.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kNumDevices = 4;

HostTensor counting(std::uint32_t rows, std::uint32_t columns) {
    HostTensor tensor = make_host_tensor({rows, columns}, DataFormat::UInt16);
    auto values = tensor.as<std::uint16_t>();
    std::iota(values.begin(), values.end(), std::uint16_t{1});
    return tensor;
}

EmulatedSession four_devices() {
    MeshSpec mesh;
    mesh.shape = {1, kNumDevices};
    return {mesh, testing::test_arch(), {.threads = 1}};
}

std::vector<DeviceTensor> allocate_everywhere(EmulatedSession& session, const HostTensor& values) {
    std::vector<DeviceTensor> tensors;
    for (std::uint32_t device = 0; device < kNumDevices; ++device) {
        tensors.push_back(session.allocate(
            device, "values", {values.shape, values.format, Layout::ROW_MAJOR}, BufferType::DRAM));
    }
    return tensors;
}

/// Returns the memory of this process in bytes; pages mapped n times count once.
std::uint64_t memory_used() {
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string word; file >> word;) {
        if (word == "Pss:") {
            std::uint64_t kilobytes = 0;
            file >> kilobytes;
            return kilobytes * 1024;
        }
    }
    return 0;
}

class ReplicatedTensor : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ReplicatedTensor, StandsOnEveryDevice) {
    EmulatedSession session = four_devices();
    const HostTensor values = counting(GetParam(), 1000);
    const auto tensors = allocate_everywhere(session, values);

    session.write_replicated(tensors, values);

    for (const DeviceTensor& tensor : tensors) {
        EXPECT_EQ(session.read(tensor).bytes, values.bytes) << tensor.buffer.device;
    }
}

TEST_P(ReplicatedTensor, IsEachDevicesOwnToWrite) {
    EmulatedSession session = four_devices();
    const HostTensor values = counting(GetParam(), 1000);
    const auto tensors = allocate_everywhere(session, values);
    session.write_replicated(tensors, values);

    session.fill(tensors[2], std::byte{7});

    EXPECT_EQ(session.read(tensors[1]).bytes, values.bytes);
    EXPECT_EQ(session.read(tensors[2]).bytes,
              std::vector<std::byte>(values.bytes.size(), std::byte{7}));
    EXPECT_EQ(session.read(tensors[3]).bytes, values.bytes);
}

TEST_P(ReplicatedTensor, LeavesItsNeighboursInDramAlone) {
    EmulatedSession session = four_devices();
    const HostTensor values = counting(GetParam(), 1000);
    const auto before = allocate_everywhere(session, values);
    const auto tensors = allocate_everywhere(session, values);
    const auto behind = allocate_everywhere(session, values);
    session.fill(before[1], std::byte{1});
    session.fill(behind[1], std::byte{2});

    session.write_replicated(tensors, values);
    session.deallocate(tensors[1]);

    EXPECT_EQ(session.read(before[1]).bytes.back(), std::byte{1});
    EXPECT_EQ(session.read(behind[1]).bytes.front(), std::byte{2});
    EXPECT_EQ(session.read(tensors[0]).bytes, values.bytes);
}

// Rows are pages: one row, fewer rows than are shared, and many.
INSTANTIATE_TEST_SUITE_P(Rows, ReplicatedTensor, ::testing::Values(1U, 100U, 3001U));

TEST(ReplicatedTensorMemory, IsHeldOnceForAllDevices) {
    EmulatedSession session = four_devices();
    const HostTensor values = counting(8192, 1024);  // 16 MiB
    const auto tensors = allocate_everywhere(session, values);
    const std::uint64_t before = memory_used();
    if (before == 0) {
        GTEST_SKIP() << "this host does not say what a process uses";
    }

    session.write_replicated(tensors, values);

    EXPECT_LT(memory_used(), before + values.bytes.size() * 5 / 4);
}

}  // namespace
}  // namespace tessera
