// SPDX-License-Identifier: Apache-2.0
#include "emu/core/window.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tessera/window_layout.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kL1 = 1499136;

std::uint64_t number_of(const std::byte* address) {
    return reinterpret_cast<std::uint64_t>(address);
}

TEST(Window, TheLowHalfOfAPointerIsTheAddressInTheWindow) {
    const WindowSpace space(1);
    const Window window(space.window(0), kL1);

    EXPECT_EQ(number_of(window.base()) % kWindowSize, 0U);
    EXPECT_EQ(static_cast<std::uint32_t>(number_of(window.at(0x1234))), 0x1234U);
}

TEST(Window, AllOfL1CanBeWrittenAndStartsAsZero) {
    const WindowSpace space(1);
    const Window window(space.window(0), kL1);

    EXPECT_EQ(window.at(kL1 - 1)[0], std::byte{0});
    std::memset(window.base(), 0xAB, kL1);
    EXPECT_EQ(window.at(kL1 - 1)[0], std::byte{0xAB});
}

TEST(Window, TwoWindowsShareNoByte) {
    const WindowSpace space(2);
    const Window a(space.window(0), kL1);
    const Window b(space.window(1), kL1);
    *a.at(64) = std::byte{1};

    EXPECT_EQ(*b.at(64), std::byte{0});
    EXPECT_TRUE(a.contains(a.at(64)));
    EXPECT_FALSE(a.contains(b.at(64)));
}

TEST(Window, StacksOfTheProcessorsLieApartAndInsideTheWindow) {
    const WindowSpace space(1);
    Window window(space.window(0), kL1);
    for (const Processor processor : {Processor::Riscv0, Processor::Riscv1, Processor::Compute}) {
        window.open_stack(processor);
        std::byte* top = window.stack_top(processor);

        std::memset(top - Window::stack_size(), 0x5A, Window::stack_size());

        EXPECT_TRUE(window.contains(top - 1));
        EXPECT_EQ(kernel_globals_of_stack(number_of(top - 1)),
                  number_of(window.base()) + kernel_globals_offset(processor));
    }
}

// Equal offsets would use the same sets: windows are aligned to 4 GiB, and a cache's sets repeat
// every 4 KiB.
TEST(Window, StacksOfNeighboursBeginInOtherSetsOfTheHostsCaches) {
    const WindowSpace space(2);
    const Window a(space.window(0), kL1);
    const Window b(space.window(1), kL1);
    const std::uint64_t top_a = number_of(a.stack_top(Processor::Compute));
    const std::uint64_t top_b = number_of(b.stack_top(Processor::Compute));

    EXPECT_EQ(top_a % 64, 0U);
    EXPECT_NE(top_a % 4096, top_b % 4096);
    EXPECT_NE(top_a % kWindowSize / 4096, top_b % kWindowSize / 4096);
}

TEST(WindowDeathTest, BehindL1NothingIsMapped) {
    const WindowSpace space(1);
    const Window window(space.window(0), kL1);

    EXPECT_DEATH(*static_cast<volatile std::byte*>(window.at(kL1)) = std::byte{1}, "");
}

std::size_t num_mappings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t count = 0;
    for (std::string line; std::getline(maps, line);) {
        ++count;
    }
    return count;
}

using Windows = std::vector<std::unique_ptr<Window>>;

Windows make_windows(const WindowSpace& space, std::size_t count,
                     WindowMapping preferred = WindowMapping::Apart) {
    Windows windows;
    for (std::size_t i = 0; i < count; ++i) {
        windows.push_back(std::make_unique<Window>(space.window(i), kL1, preferred));
    }
    return windows;
}

void place_kernels(const Windows& windows) {
    for (const auto& window : windows) {
        for (const Processor processor :
             {Processor::Riscv0, Processor::Riscv1, Processor::Compute}) {
            window->open_stack(processor);
            (void)window->commit_kernel_globals(processor, 1);
        }
    }
}

// L1 and the hole after it.
TEST(WindowMapping, AWindowWithoutKernelsTakesTwo) {
    constexpr std::size_t kWindows = 64;
    const std::size_t before = num_mappings();
    const WindowSpace space(kWindows);
    const Windows windows = make_windows(space, kWindows);

    EXPECT_LE(num_mappings() - before, 2 * kWindows + 2);
}

// L1, stacks and globals of three processors, and the holes below them.
TEST(WindowMapping, AWindowWithKernelsOnAllProcessorsTakesFourteen) {
    constexpr std::size_t kWindows = 64;
    const std::size_t before = num_mappings();
    const WindowSpace space(kWindows);
    const Windows windows = make_windows(space, kWindows);
    place_kernels(windows);

    EXPECT_EQ((num_mappings() - before) / kWindows, 14);
}

TEST(WindowMapping, MergedTakesTwoMappingsAWindow) {
    constexpr std::size_t kWindows = 64;
    const std::size_t before = num_mappings();
    const WindowSpace space(kWindows);
    const Windows windows = make_windows(space, kWindows, WindowMapping::Merged);
    place_kernels(windows);

    EXPECT_LE(num_mappings() - before, 2 * kWindows + 2);
}

// Two meshes of 32 devices with 130 cores each. At 14 mappings per window they would need 116 480;
// the default limit of hosts is 65 530.
TEST(WindowMapping, KernelsRunOnAllCoresOfTwoLargeMeshes) {
    constexpr std::size_t kWindows = std::size_t{32} * 130;
    const WindowSpace space_a(kWindows);
    const WindowSpace space_b(kWindows);
    const Windows a = make_windows(space_a, kWindows);
    const Windows b = make_windows(space_b, kWindows);

    EXPECT_NO_THROW(place_kernels(a));
    EXPECT_NO_THROW(place_kernels(b));
}

TEST(WindowMapping, MergedStacksCanBeWritten) {
    const WindowSpace space(1);
    Window window(space.window(0), kL1, WindowMapping::Merged);
    for (const Processor processor : {Processor::Riscv0, Processor::Riscv1, Processor::Compute}) {
        window.open_stack(processor);
        std::byte* top = window.stack_top(processor);

        std::memset(top - Window::stack_size(), 0x5A, Window::stack_size());

        EXPECT_EQ(top[-1], std::byte{0x5A});
    }
}

bool host_guards_without_mappings() {
    constexpr int kInstallGuard = 102;
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool does = madvise(page, 4096, kInstallGuard) == 0;
    munmap(page, 4096);
    return does;
}

TEST(WindowDeathTest, BelowAMergedStackAndBehindAMergedL1NothingCanBeTouched) {
    const WindowSpace space(1);
    Window window(space.window(0), kL1, WindowMapping::Merged);
    window.open_stack(Processor::Compute);

    EXPECT_DEATH(*static_cast<volatile std::byte*>(window.at(kL1)) = std::byte{1}, "");
    if (!host_guards_without_mappings()) {
        GTEST_SKIP() << "this host's kernel is older than Linux 6.13";
    }
    std::byte* bottom = window.stack_top(Processor::Compute) - Window::stack_size();
    EXPECT_DEATH(*static_cast<volatile std::byte*>(bottom - 4097) = std::byte{1}, "");
}

}  // namespace
}  // namespace tessera
