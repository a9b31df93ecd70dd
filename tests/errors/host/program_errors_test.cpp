// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/buffer.hpp"
#include "tessera/program.hpp"
#include "tessera/work_split.hpp"
#include "tests/errors/host/usage_error_message.hpp"

namespace tessera {
namespace {

const CoreRange kRow{{0, 0}, {3, 0}};

TEST(CoreRangeErrors, EndLeftOfStart) {
    EXPECT_EQ(usage_error_message([] {
                  CoreRange({2, 0}, {1, 5});
              }),
              "CoreRange: end (1,5) is left of or above start (2,0); allowed: start at the upper "
              "left corner");
}

TEST(CoreRangeErrors, MoreCoresThanCanBeListed) {
    EXPECT_EQ(usage_error_message([] {
                  CoreRange({0, 0}, {4294967295, 3});
              }),
              "CoreRange: (0,0)-(4294967295,3) has more than 1024 columns or rows; no grid has as "
              "many");
}

TEST(CoreRangeErrors, OverlappingRanges) {
    EXPECT_EQ(usage_error_message([] {
                  CoreRangeSet({CoreRange({0, 0}, {1, 1}), CoreRange({1, 1}, {2, 2})});
              }),
              "CoreRangeSet: ranges (0,0)-(1,1) and (1,1)-(2,2) overlap; the ranges of a set are "
              "disjoint");
}

TEST(CreateKernelErrors, ProcessorTaken) {
    Program program;
    CreateKernel(program, "a.cpp", kRow, ReaderDataMovementConfig());

    EXPECT_EQ(
        usage_error_message([&] {
            CreateKernel(program, "b.cpp", CoreRange({3, 0}, {4, 0}), ReaderDataMovementConfig());
        }),
        "CreateKernel: b.cpp: core (3,0) already has kernel a.cpp on RISCV_1; a core takes one "
        "kernel per processor");
    EXPECT_EQ(program.kernels.size(), 1U);
}

TEST(CreateKernelErrors, SameNocTwice) {
    Program program;
    CreateKernel(program, "a.cpp", kRow, ReaderDataMovementConfig());

    EXPECT_EQ(usage_error_message([&] {
                  DataMovementConfig config = WriterDataMovementConfig();
                  config.noc = NOC::NOC_0;
                  CreateKernel(program, "b.cpp", kRow, config);
              }),
              "CreateKernel: b.cpp: on core (0,0) kernel a.cpp already uses NOC_0; the two data "
              "movement kernels of a core use different NoCs");
}

TEST(CreateKernelErrors, Float32DoesNotFitInto16BitDst) {
    Program program;
    ComputeConfig config;
    config.unpack_to_dest_mode = {UnpackToDestMode::Default, UnpackToDestMode::UnpackToDestFp32};

    EXPECT_EQ(usage_error_message([&] { CreateKernel(program, "c.cpp", kRow, config); }),
              "CreateKernel: c.cpp: unpack_to_dest_mode of CB 1 is UnpackToDestFp32, which needs "
              "fp32_dest_acc_en");
}

TEST(CreateKernelErrors, ModesOfMoreBuffersThanThereAre) {
    Program program;
    ComputeConfig config;
    config.unpack_to_dest_mode.resize(65);

    EXPECT_EQ(usage_error_message([&] { CreateKernel(program, "c.cpp", kRow, config); }),
              "CreateKernel: c.cpp: unpack_to_dest_mode names 65 circular buffers; at most 64 "
              "exist");
}

TEST(CreateKernelErrors, NothingGiven) {
    Program program;

    EXPECT_EQ(usage_error_message([&] { CreateKernel(program, "", kRow, ComputeConfig{}); }),
              "CreateKernel: source path is empty; give the path of a kernel file");
    EXPECT_EQ(usage_error_message(
                  [&] { CreateKernel(program, "a.cpp", CoreRangeSet(), ComputeConfig{}); }),
              "CreateKernel: a.cpp: no cores given; give at least 1");
    EXPECT_EQ(usage_error_message(
                  [&] { CreateKernelFromString(program, "", kRow, ComputeConfig{}, "inline"); }),
              "CreateKernelFromString: inline: source text is empty");
}

TEST(CircularBufferErrors, ConfigOutOfRange) {
    EXPECT_EQ(usage_error_message([] {
                  CircularBufferConfig(0, {{0, DataFormat::Float32}});
              }),
              "CircularBufferConfig: total_size is 0; give at least one page");
    EXPECT_EQ(usage_error_message([] { CircularBufferConfig(64, {}); }),
              "CircularBufferConfig: no index given; give at least one with its format");
    EXPECT_EQ(usage_error_message([] {
                  CircularBufferConfig(64, {{64, DataFormat::Float32}});
              }),
              "CircularBufferConfig: index: 64, allowed: 0 to 63");
    EXPECT_EQ(usage_error_message([] {
                  CircularBufferConfig(64, {{3, DataFormat::Invalid}});
              }),
              "CircularBufferConfig: index 3 has format invalid");
}

TEST(CircularBufferErrors, PageSize) {
    CircularBufferConfig config(4096, {{0, DataFormat::Float16_b}});

    EXPECT_EQ(usage_error_message([&] { config.set_page_size(1, 2048); }),
              "CircularBufferConfig::set_page_size: index 1 has no format in this config");
    EXPECT_EQ(usage_error_message([&] { config.set_page_size(0, 0); }),
              "CircularBufferConfig::set_page_size: page_size of index 0 is 0");
    EXPECT_EQ(usage_error_message([&] { config.set_page_size(0, 1000); }),
              "CircularBufferConfig::set_page_size: page_size 1000 of index 0 does not divide "
              "total_size 4096");
}

TEST(CircularBufferErrors, GloballyAllocated) {
    const ShardSpec shard{.cores = CoreRange({0, 0}, {1, 0}),
                          .shard_shape = {1, 2},
                          .tensor_shape = {2, 2},
                          .noc_coords = {}};
    Buffer buffer{.page_size = 2048, .aligned_page_size = 2048, .num_pages = 4, .shard = {}};
    CircularBufferConfig config(6144, {{0, DataFormat::Float16_b}});

    EXPECT_EQ(usage_error_message([&] { config.set_globally_allocated_address(buffer); }),
              "CircularBufferConfig::set_globally_allocated_address: buffer: interleaved in DRAM, "
              "allowed: sharded in L1");
    buffer.type = BufferType::L1;
    buffer.layout = TensorMemoryLayout::HEIGHT_SHARDED;
    buffer.shard = shard;
    EXPECT_EQ(usage_error_message([&] { config.set_globally_allocated_address(buffer); }),
              "CircularBufferConfig::set_globally_allocated_address: total_size is 6144 B, but the "
              "buffer has 4096 B on a core");
}

TEST(CircularBufferErrors, CreatedWithoutPageSize) {
    Program program;
    const CircularBufferConfig config(4096, {{2, DataFormat::Float16_b}});

    EXPECT_EQ(
        usage_error_message([&] { CreateCircularBuffer(program, kRow, config); }),
        "CreateCircularBuffer: index 2 (bfloat16) has no page size; call set_page_size first");
}

TEST(CircularBufferErrors, IndexTaken) {
    Program program;
    CircularBufferConfig config(4096, {{2, DataFormat::Float16_b}});
    config.set_page_size(2, 2048);
    CreateCircularBuffer(program, kRow, config);

    EXPECT_EQ(
        usage_error_message([&] {
            CreateCircularBuffer(program, CoreCoord{3, 0}, config);
        }),
        "CreateCircularBuffer: index 2 is already taken on core (3,0); an index belongs to one "
        "circular buffer per core");
    EXPECT_EQ(usage_error_message([&] { CreateCircularBuffer(program, CoreRangeSet(), config); }),
              "CreateCircularBuffer: no cores given; give at least 1");
}

TEST(SemaphoreErrors, TheSeventeenth) {
    Program program;
    for (int i = 0; i < 16; ++i) {
        CreateSemaphore(program, kRow, 0);
    }

    EXPECT_EQ(usage_error_message([&] {
                  CreateSemaphore(program, CoreRange({3, 0}, {5, 0}), 0);
              }),
              "CreateSemaphore: no id is free on all of 3 cores from (3,0) on; a core has 16");
    EXPECT_EQ(usage_error_message([&] { CreateSemaphore(program, CoreRangeSet(), 0); }),
              "CreateSemaphore: no cores given; give at least 1");
}

TEST(RuntimeArgsErrors, CoreWithoutTheKernel) {
    Program program;
    const KernelHandle kernel = CreateKernel(program, "a.cpp", kRow, ComputeConfig{});

    EXPECT_EQ(usage_error_message([&] {
                  SetRuntimeArgs(program, kernel, CoreCoord{0, 1}, {1});
              }),
              "SetRuntimeArgs: a.cpp: the kernel is not on core (0,1)");
    EXPECT_EQ(usage_error_message([&] { SetRuntimeArgs(program, 7, kRow, {1}); }),
              "SetRuntimeArgs: kernel handle 7 is not of this program, which has 1 kernels");
}

TEST(RuntimeArgsErrors, OtherCountThanBefore) {
    Program program;
    const KernelHandle kernel = CreateKernel(program, "a.cpp", kRow, ComputeConfig{});
    SetRuntimeArgs(program, kernel, CoreCoord{1, 0}, {1, 2});

    EXPECT_EQ(usage_error_message([&] { SetRuntimeArgs(program, kernel, kRow, {1}); }),
              "SetRuntimeArgs: a.cpp: core (1,0) got 2 arguments before and 1 now; the number may "
              "not change");
    EXPECT_FALSE(program.kernels[kernel].runtime_args.contains({0, 0}));
}

TEST(RuntimeArgsErrors, TooMany) {
    Program program;
    const KernelHandle kernel = CreateKernel(program, "a.cpp", kRow, ComputeConfig{});
    SetCommonRuntimeArgs(program, kernel, {1, 2});

    EXPECT_EQ(
        usage_error_message(
            [&] { SetRuntimeArgs(program, kernel, kRow, std::vector<std::uint32_t>(340)); }),
        "SetRuntimeArgs: a.cpp: 340 unique and 2 common arguments make 342 words; at most 341 "
        "are allowed");
}

TEST(RuntimeArgsErrors, CommonOnes) {
    Program program;
    const KernelHandle kernel = CreateKernel(program, "a.cpp", kRow, ComputeConfig{});
    SetRuntimeArgs(program, kernel, CoreCoord{0, 0}, std::vector<std::uint32_t>(300));

    EXPECT_EQ(usage_error_message(
                  [&] { SetCommonRuntimeArgs(program, kernel, std::vector<std::uint32_t>(42)); }),
              "SetCommonRuntimeArgs: a.cpp: 300 unique and 42 common arguments make 342 words; at "
              "most 341 are allowed");
    SetCommonRuntimeArgs(program, kernel, {1});
    EXPECT_EQ(
        usage_error_message([&] { SetCommonRuntimeArgs(program, kernel, {2}); }),
        "SetCommonRuntimeArgs: a.cpp: common arguments are already set (1 words); they are set "
        "once per kernel");
}

TEST(WorkSplitErrors, GridsWithoutCores) {
    EXPECT_EQ(usage_error_message([] {
                  (void)split_work_to_cores(CoreCoord{0, 8}, 5);
              }),
              "split_work_to_cores: grid without cores: 0 columns × 8 rows, allowed: 1 × 1 or "
              "more");
    EXPECT_EQ(usage_error_message([] { (void)split_work_to_cores(CoreRangeSet(), 5); }),
              "split_work_to_cores: the set of cores is empty; give at least 1 core");
}

TEST(WorkSplitErrors, MoreCoresThanTheGrid) {
    EXPECT_EQ(usage_error_message([] {
                  (void)num_cores_to_corerangeset(65, {8, 8});
              }),
              "num_cores_to_corerangeset: num_cores 65 exceeds the 64 cores of a 8×8 grid");
    EXPECT_EQ(usage_error_message([] { (void)grid_to_cores(7, 3, 2); }),
              "grid_to_cores: num_cores 7 exceeds the 6 cores of a 3×2 grid");
}

}  // namespace
}  // namespace tessera
