// SPDX-License-Identifier: Apache-2.0
// One mistake of a program's author a test, and the whole message.
#include <gtest/gtest.h>

#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

CircularBufferConfig one_buffer(std::uint8_t index, std::uint32_t bytes) {
    CircularBufferConfig config(bytes, {{index, DataFormat::Float16_b}});
    config.set_page_size(index, bytes);
    return config;
}

class LaunchErrors : public ::testing::Test {
protected:
    std::string message_of(std::vector<DeviceProgram> programs) {
        try {
            session_.launch("test", programs);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "no UsageError";
    }

    EmulatedSession session_{MeshSpec{}, testing::small_arch(), SessionOptions{.threads = 1}};
};

TEST_F(LaunchErrors, CircularBuffersLargerThanL1NameTheCoreTheBytesAndTheHolders) {
    Program program;
    CreateCircularBuffer(program, CoreCoord{1, 0}, one_buffer(0, 1048576));
    CreateCircularBuffer(program, CoreCoord{1, 0}, one_buffer(4, 524288));

    EXPECT_EQ(message_of({{0, program}}),
              "device 0 core (1,0): circular buffer 4 of 524288 B at 0x119520 ends 177440 B above "
              "0x16e000, where L1 ends; below it lie: cb 0 1048576 B");
}

TEST_F(LaunchErrors, CircularBuffersThatMeetL1BuffersNameThem) {
    const DeviceTensor tensor = session_.allocate(
        0, "scores", {{4, 65536}, DataFormat::Float32, Layout::ROW_MAJOR}, BufferType::L1);
    Program program;
    CreateCircularBuffer(program, CoreCoord{0, 0}, one_buffer(0, 1310720));

    EXPECT_EQ(message_of({{0, program}}),
              "device 0 core (0,0): circular buffer 0 of 1310720 B at 0x19520 ends 177440 B above "
              "0x12e000, where L1 buffers begin: scores 262144 B; below it lie: no other circular "
              "buffer");
    session_.deallocate(tensor);
}

TEST_F(LaunchErrors, AKernelOutsideTheGridIsRefused) {
    Program program;
    CreateKernelFromString(program, "void kernel_main() {}", CoreCoord{2, 0},
                           WriterDataMovementConfig(), "nothing.cpp");

    EXPECT_EQ(message_of({{0, program}}),
              "kernel nothing.cpp: core (2,0) lies outside the 2x2 grid of device 0");
}

TEST_F(LaunchErrors, ADeviceOutsideTheMeshIsRefused) {
    EXPECT_EQ(message_of({{1, Program{}}}), "a program is for device 1, the mesh has 1");
}

TEST_F(LaunchErrors, TwoProgramsForOneDeviceAreRefused) {
    EXPECT_EQ(message_of({{0, Program{}}, {0, Program{}}}),
              "device 0 has two programs in one launch");
}

}  // namespace
}  // namespace tessera
