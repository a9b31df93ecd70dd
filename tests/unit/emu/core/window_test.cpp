// SPDX-License-Identifier: Apache-2.0
#include "emu/core/window.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tessera/window_layout.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kL1 = 1499136;

std::uint64_t number_of(const std::byte* address) {
    return reinterpret_cast<std::uint64_t>(address);
}

TEST(Window, TheLowHalfOfAPointerIsTheAddressInTheWindow) {
    const Window window(kL1);

    EXPECT_EQ(number_of(window.base()) % kWindowSize, 0U);
    EXPECT_EQ(static_cast<std::uint32_t>(number_of(window.at(0x1234))), 0x1234U);
}

TEST(Window, AllOfL1CanBeWrittenAndStartsAsZero) {
    const Window window(kL1);

    EXPECT_EQ(window.at(kL1 - 1)[0], std::byte{0});
    std::memset(window.base(), 0xAB, kL1);
    EXPECT_EQ(window.at(kL1 - 1)[0], std::byte{0xAB});
}

TEST(Window, TwoWindowsShareNoByte) {
    const Window a(kL1);
    const Window b(kL1);
    *a.at(64) = std::byte{1};

    EXPECT_EQ(*b.at(64), std::byte{0});
    EXPECT_TRUE(a.contains(a.at(64)));
    EXPECT_FALSE(a.contains(b.at(64)));
}

TEST(Window, StacksOfTheProcessorsLieApartAndInsideTheWindow) {
    const Window window(kL1);
    for (const Processor processor : {Processor::Riscv0, Processor::Riscv1, Processor::Compute}) {
        std::byte* top = window.stack_top(processor);

        std::memset(top - Window::stack_size(), 0x5A, Window::stack_size());

        EXPECT_TRUE(window.contains(top - 1));
        EXPECT_EQ(kernel_globals_of_stack(number_of(top - 1)),
                  number_of(window.base()) + kernel_globals_offset(processor));
    }
}

// At one offset they would: windows are aligned to 4 GiB, a cache's sets repeat every 4 KiB.
TEST(Window, StacksOfNeighboursBeginInOtherSetsOfTheHostsCaches) {
    const Window a(kL1);
    const Window b(kL1);
    const std::uint64_t top_a = number_of(a.stack_top(Processor::Compute));
    const std::uint64_t top_b = number_of(b.stack_top(Processor::Compute));

    EXPECT_EQ(top_a % 64, 0U);
    EXPECT_NE(top_a % 4096, top_b % 4096);
    EXPECT_NE(top_a % kWindowSize / 4096, top_b % kWindowSize / 4096);
}

TEST(WindowDeathTest, BehindL1NothingIsMapped) {
    const Window window(kL1);

    EXPECT_DEATH(*static_cast<volatile std::byte*>(window.at(kL1)) = std::byte{1}, "");
}

}  // namespace
}  // namespace tessera
