// SPDX-License-Identifier: Apache-2.0
// One mistake of a program's author per test, with the whole message.
#include <gtest/gtest.h>

#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/errors/launch/kernel_error_of.hpp"

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

    EXPECT_EQ(
        message_of({{0, program}}),
        "device 0 core (1,0): circular buffers do not fit: cb 4 ends 177440 B above 0x16e000, "
        "where L1 ends; circular buffers of the core, from 0x19520 on:\n"
        "  cb 0       1048576 B = 1 x 1048576 B, bfloat16\n"
        "  cb 4        524288 B = 1 x 524288 B, bfloat16");
}

TEST_F(LaunchErrors, CircularBuffersThatMeetL1BuffersNameThem) {
    const DeviceTensor tensor = session_.allocate(
        0, "scores", {{4, 65536}, DataFormat::Float32, Layout::ROW_MAJOR}, BufferType::L1);
    Program program;
    CreateCircularBuffer(program, CoreCoord{0, 0}, one_buffer(0, 1310720));

    EXPECT_EQ(
        message_of({{0, program}}),
        "device 0 core (0,0): circular buffers do not fit: cb 0 ends 177440 B above 0x12e000, "
        "where L1 buffers begin: scores 262144 B; circular buffers of the core, from 0x19520 on:\n"
        "  cb 0       1310720 B = 1 x 1310720 B, bfloat16");
    session_.deallocate(tensor);
}

TEST_F(LaunchErrors, AKernelOutsideTheGridIsRefused) {
    Program program;
    CreateKernelFromString(program, "void kernel_main() {}", CoreCoord{2, 0},
                           WriterDataMovementConfig(), "nothing.cpp");

    EXPECT_EQ(message_of({{0, program}}),
              "kernel nothing.cpp: core (2,0) is outside the 2x2 grid of device 0");
}

TEST_F(LaunchErrors, ACircularBufferOutsideTheGridIsRefused) {
    Program program;
    CreateCircularBuffer(program, CoreRange({1, 0}, {1, 2}), one_buffer(3, 2048));

    EXPECT_EQ(message_of({{0, program}}),
              "circular buffer 3: core (1,2) is outside the 2x2 grid of device 0");
}

TEST_F(LaunchErrors, ASemaphoreOutsideTheGridIsRefused) {
    Program program;
    CreateSemaphore(program, CoreCoord{4294967295, 0}, 0);

    EXPECT_EQ(message_of({{0, program}}),
              "semaphore 0: core (4294967295,0) is outside the 2x2 grid of device 0");
}

TEST(SemaphoresOfADevice, AreAsManyAsItsFileSays) {
    ArchSpec arch = testing::small_arch();
    arch.l1.num_semaphores = 1;
    EmulatedSession session(MeshSpec{}, arch, {});
    Program program;
    CreateSemaphore(program, CoreCoord{0, 0}, 0);
    CreateSemaphore(program, CoreCoord{0, 0}, 0);

    EXPECT_EQ(usage_error_message([&] {
                  const std::vector<DeviceProgram> programs{{0, program}};
                  session.launch("two", programs);
              }),
              "semaphore 1: a core of test_arch has 1");
}

/// Returns the message of a KernelError of one kernel on core (1,0) whose second line is `call`.
std::string kernel_error_of(EmulatedSession& session, const std::string& call,
                            std::vector<std::uint32_t> compile_args = {}) {
    Program program;
    CreateKernelFromString(program, "void kernel_main() {\n" + call + "\n}", CoreCoord{1, 0},
                           WriterDataMovementConfig(std::move(compile_args)), "nothing.cpp");
    return kernel_error_of(session, program);
}

TEST_F(LaunchErrors, ACompileTimeArgumentThatIsNotGivenNamesItsLine) {
    EXPECT_EQ(kernel_error_of(session_, "volatile uint32_t x = get_compile_time_arg_val(3);", {7}),
              "OutOfBounds: device 0 core (1,0) writer nothing.cpp:2: reads compile-time argument "
              "3, but the program gives 1 argument");
    EXPECT_EQ(kernel_error_of(session_, "volatile uint32_t x = get_compile_time_arg_val(0);"),
              "OutOfBounds: device 0 core (1,0) writer nothing.cpp:2: reads compile-time argument "
              "0, but the program gives none");
}

TEST_F(LaunchErrors, AnExceptionThatLeavesAKernelIsTheKernels) {
    EXPECT_EQ(
        kernel_error_of(session_,
                        "noc_async_read_barrier(); volatile std::size_t n = 7; "
                        "std::array<volatile int, 3> v{}; v.at(n) = 1;"),
        "UndefinedBehavior: device 0 core (1,0) writer nothing.cpp:2: an exception leaves the "
        "kernel: array::at: __n (which is 7) >= _Nm (which is 3) (the "
        "line is that of its last API call)");
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
