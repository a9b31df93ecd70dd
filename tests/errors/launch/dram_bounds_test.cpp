// SPDX-License-Identifier: Apache-2.0
// Page indices beyond the end of a tensor; a card would access any address that results.
#include <gtest/gtest.h>

#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/launch/kernel_error_of.hpp"

namespace tessera {
namespace {

// With 13 pages, one of the 12 banks has two.
class DramBounds : public ::testing::Test {
protected:
    /// Moves `bytes` to or from page `page` of "x".
    std::string message_of(const char* call, std::uint32_t page, std::uint32_t bytes = 2048,
                           std::uint32_t page_size = 2048) {
        Program program;
        std::vector<std::uint32_t> args;
        TensorAccessorArgs(x_.buffer).append_to(args);
        const std::string source = std::string(R"(void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(3));
    const uint32_t bytes = get_arg_val<uint32_t>(2);
    const uint64_t far = x.get_noc_addr(get_arg_val<uint32_t>(1));
    )") + call + "\n    noc_async_full_barrier();\n}";
        const auto kernel = CreateKernelFromString(program, source, CoreCoord{0, 0},
                                                   ReaderDataMovementConfig(args), "loop.cpp");
        SetRuntimeArgs(program, kernel, CoreCoord{0, 0},
                       {x_.buffer.address, page, bytes, page_size});
        return kernel_error_of(session_, program);
    }
    static constexpr const char* kRead = "noc_async_read(far, 0x40000, bytes);";
    static constexpr const char* kWrite = "noc_async_write(0x40000, far, bytes);";

    EmulatedSession session_{MeshSpec{}, testing::small_arch(), SessionOptions{.threads = 1}};
    DeviceTensor x_ = session_.allocate(
        0, "x", {{32, 13 * 32}, DataFormat::Float16_b, Layout::TILE}, BufferType::DRAM);
    DeviceTensor y_ = session_.allocate(
        0, "y", {{32, 13 * 32}, DataFormat::Float16_b, Layout::TILE}, BufferType::DRAM);
};

TEST_F(DramBounds, TheLastPageMayBeReadAndWritten) {
    EXPECT_EQ(message_of(kRead, 12), "no KernelError");
    EXPECT_EQ(message_of(kWrite, 12), "no KernelError");
}

TEST_F(DramBounds, APageBehindTheLastIsNamed) {
    EXPECT_EQ(message_of(kRead, 13),
              "OutOfBounds: device 0 core (0,0) reader loop.cpp:6: noc_async_read: 2048 bytes at "
              "0xc00 of DRAM bank 1 lie in no tensor: "
              "they reach page 13 of x, which has 13");
    EXPECT_EQ(message_of(kWrite, 13),
              "OutOfBounds: device 0 core (0,0) reader loop.cpp:6: noc_async_write: 2048 bytes at "
              "0xc00 of DRAM bank 1 lie in no tensor: "
              "they reach page 13 of x, which has 13");
}

TEST_F(DramBounds, APageBehindAllRowsDoesNotLieInTheNextTensor) {
    EXPECT_EQ(message_of(kRead, 24),
              "OutOfBounds: device 0 core (0,0) reader loop.cpp:6: noc_async_read: 2048 bytes at "
              "0x1400 of DRAM bank 0 lie in no tensor: "
              "they reach page 24 of x, which has 13");
}

TEST_F(DramBounds, BytesThatRunOnBehindTheLastPageAreNamed) {
    EXPECT_EQ(
        message_of(kRead, 12, 2050),
        "OutOfBounds: device 0 core (0,0) reader loop.cpp:6: noc_async_read: 2050 bytes at "
        "0xc00 of DRAM bank 0 lie in no tensor: "
        "they reach page 24 of x, which has 13; a page of x has 2048 bytes: does the circular "
        "buffer have another format or page_size?");
}

// The first page of each bank has the same address at any size.
TEST_F(DramBounds, AnAddressOfAPageOfAnotherSizeIsNamed) {
    EXPECT_EQ(message_of(kRead, 11, 2048, 1024), "no KernelError");
    EXPECT_EQ(message_of(kRead, 12, 1024, 1024),
              "UndefinedBehavior: device 0 core (0,0) reader loop.cpp:5: page 12 is addressed with "
              "1024 bytes a page, but x has 2048: does the circular buffer have another format or "
              "page_size?");
}

TEST_F(DramBounds, ATensorThatHasBeenFreedIsNobodys) {
    session_.deallocate(x_);

    EXPECT_EQ(message_of(kRead, 0),
              "OutOfBounds: device 0 core (0,0) reader loop.cpp:6: noc_async_read: 2048 bytes at "
              "0x400 of DRAM bank 0 lie in no tensor: "
              "the first, y, begins at 0x5400");
}

}  // namespace
}  // namespace tessera
