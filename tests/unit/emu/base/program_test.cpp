// SPDX-License-Identifier: Apache-2.0
#include "tessera/program.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

const CoreRange kRow{{0, 0}, {3, 0}};

TEST(CreateKernel, NumbersKernelsInOrder) {
    Program program = CreateProgram();

    EXPECT_EQ(CreateKernel(program, "reader.cpp", kRow, ReaderDataMovementConfig()), 0U);
    EXPECT_EQ(CreateKernel(program, "writer.cpp", kRow, WriterDataMovementConfig()), 1U);
    EXPECT_EQ(CreateKernel(program, "compute.cpp", kRow, ComputeConfig{}), 2U);
}

TEST(CreateKernel, TakesOneProcessorOnDisjointCores) {
    Program program;
    CreateKernel(program, "a.cpp", CoreCoord{0, 0}, ComputeConfig{});

    EXPECT_EQ(CreateKernel(program, "b.cpp", CoreCoord{1, 0}, ComputeConfig{}), 1U);
}

TEST(CreateKernelFromString, KeepsTextAndName) {
    Program program;
    CreateKernelFromString(program, "void kernel_main() {}", kRow, ComputeConfig{}, "inline");

    EXPECT_EQ(program.kernels[0].source, "inline");
    EXPECT_EQ(program.kernels[0].text, "void kernel_main() {}");
}

TEST(KernelDescription, ReaderIsRiscv1OnNoc0AndWriterRiscv0OnNoc1) {
    Program program;
    CreateKernel(program, "r.cpp", kRow, ReaderDataMovementConfig({7, 8}, {{"A", "1"}}));
    CreateKernel(program, "w.cpp", kRow, WriterDataMovementConfig({9}));

    EXPECT_EQ(program.kernels[0].processor(), Processor::Riscv1);
    EXPECT_EQ(program.kernels[1].processor(), Processor::Riscv0);
    EXPECT_EQ(std::get<DataMovementConfig>(program.kernels[0].config).noc, NOC::NOC_0);
    EXPECT_EQ(std::get<DataMovementConfig>(program.kernels[1].config).noc, NOC::NOC_1);
    EXPECT_EQ(program.kernels[0].compile_args(), (std::vector<std::uint32_t>{7, 8}));
    EXPECT_EQ(program.kernels[0].defines(), (Defines{{"A", "1"}}));
}

TEST(KernelDescription, ComputeKernelShowsItsOwnConfig) {
    Program program;
    CreateKernel(
        program, "c.cpp", kRow,
        ComputeConfig{.compile_args = {1}, .defines = {}, .named_compile_args = {{"n", 2}}});

    EXPECT_EQ(program.kernels[0].processor(), Processor::Compute);
    EXPECT_EQ(program.kernels[0].compile_args(), (std::vector<std::uint32_t>{1}));
    EXPECT_EQ(program.kernels[0].named_compile_args(), (NamedCompileArgs{{"n", 2}}));
}

TEST(CreateCircularBuffer, SharesOneConfigAmongIndices) {
    Program program;
    CircularBufferConfig config(4096, {{16, DataFormat::Float16_b}, {24, DataFormat::Float32}});
    config.set_page_size(16, 2048).set_page_size(24, 4096);

    EXPECT_EQ(CreateCircularBuffer(program, kRow, config), 0U);
    EXPECT_EQ(program.circular_buffers[0].config.page_sizes.at(16), 2048U);
    EXPECT_EQ(program.circular_buffers[0].cores, CoreRangeSet(kRow));
}

TEST(CreateCircularBuffer, TakesAnIndexAgainOnOtherCores) {
    Program program;
    CircularBufferConfig config(2048, {{0, DataFormat::Float16_b}});
    config.set_page_size(0, 2048);
    CreateCircularBuffer(program, CoreCoord{0, 0}, config);

    EXPECT_EQ(CreateCircularBuffer(program, CoreCoord{1, 0}, config), 1U);
}

TEST(CreateSemaphore, TakesTheLowestIdFreeOnAllCores) {
    Program program;
    EXPECT_EQ(CreateSemaphore(program, CoreRange({0, 0}, {0, 0}), 5), 0U);
    EXPECT_EQ(CreateSemaphore(program, CoreRange({1, 0}, {1, 0}), 0), 0U);
    EXPECT_EQ(CreateSemaphore(program, CoreRange({1, 0}, {2, 0}), 0), 1U);
    EXPECT_EQ(CreateSemaphore(program, CoreRange({0, 0}, {2, 0}), 0), 2U);
    EXPECT_EQ(CreateSemaphore(program, CoreRange({0, 0}, {0, 0}), 0), 1U);

    EXPECT_EQ(program.semaphores[0].initial_value, 5U);
}

TEST(CreateSemaphore, NeverSharesAnIdBetweenRectangles) {
    Program program;
    CreateSemaphore(program, CoreCoord{0, 0}, 0);  // (0,0): id 0
    CreateSemaphore(program, CoreCoord{1, 0}, 0);  // (1,0): id 0
    CreateSemaphore(program, CoreCoord{1, 0}, 0);  // (1,0): id 1

    const CoreRangeSet both({CoreRange(CoreCoord{0, 0}), CoreRange(CoreCoord{1, 0})});
    EXPECT_EQ(CreateSemaphore(program, both, 0), 2U);
}

TEST(CreateSemaphore, GivesSixteenPerCore) {
    Program program;
    for (std::uint32_t id = 0; id < 16; ++id) {
        EXPECT_EQ(CreateSemaphore(program, CoreCoord{0, 0}, 0), id);
    }
}

TEST(SetRuntimeArgs, SetsEachCoreOfTheSpec) {
    Program program;
    const KernelHandle kernel = CreateKernel(program, "k.cpp", kRow, ComputeConfig{});

    SetRuntimeArgs(program, kernel, CoreRange({0, 0}, {1, 0}), {1, 2});
    SetRuntimeArgs(program, kernel, CoreCoord{1, 0}, {3, 4});
    SetRuntimeArgs(program, kernel, CoreCoord{2, 0}, {5});

    const auto& args = program.kernels[kernel].runtime_args;
    EXPECT_EQ(args.at({0, 0}), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(args.at({1, 0}), (std::vector<std::uint32_t>{3, 4}));
    EXPECT_EQ(args.at({2, 0}), (std::vector<std::uint32_t>{5}));
    EXPECT_FALSE(args.contains({3, 0}));
}

TEST(SetRuntimeArgs, Takes341WordsWithTheCommonOnes) {
    Program program;
    const KernelHandle kernel = CreateKernel(program, "k.cpp", kRow, ComputeConfig{});

    SetRuntimeArgs(program, kernel, kRow, std::vector<std::uint32_t>(340));
    SetCommonRuntimeArgs(program, kernel, {1});

    EXPECT_EQ(program.kernels[kernel].common_args.size(), 1U);
}

}  // namespace
}  // namespace tessera
