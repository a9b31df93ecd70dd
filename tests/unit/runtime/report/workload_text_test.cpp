// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/workload_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tessera::report {
namespace {

RunSpec run_of(Pipeline pipeline) {
    RunSpec run;
    run.workload.pipeline = pipeline;
    run.workload.matmul = {.m = 64, .k = 96, .n = 128};
    run.workload.eltwise.function = EltwiseFunction::Exp;
    run.workload.eltwise.shape = {3, 40, 80};
    run.workload.eltwise.output_memory = BufferType::L1;
    run.workload.reshard.shape = {512, 256};
    run.workload.reshard.to = {
        BufferType::L1, TensorMemoryLayout::HEIGHT_SHARDED, {4, 2}, ShardOrientation::COL_MAJOR};
    run.workload.copy.shape = {32, 32};
    run.workload.copy.to = BufferType::L1;
    return run;
}

TEST(WorkloadText, SaysWhatOneOpWorksOn) {
    EXPECT_EQ(workload_text(run_of(Pipeline::Matmul)),
              "64 × 96 bfloat16 by 96 × 128 bfloat16 to bfloat16");
    EXPECT_EQ(workload_text(run_of(Pipeline::Eltwise)),
              "exp of (3,40,80) bfloat16 in dram to bfloat16 in l1");
    EXPECT_EQ(workload_text(run_of(Pipeline::Reshard)),
              "(512,256) bfloat16 from dram to height shards on 4 × 2 cores down columns");
    EXPECT_EQ(workload_text(run_of(Pipeline::Copy)), "(32,32) bfloat16 from dram to l1");
}

TEST(WorkloadJson, HasTheWordsOfTheRunFile) {
    const auto matmul = workload_json(run_of(Pipeline::Matmul));
    EXPECT_EQ(matmul.dump(), R"({"pipeline":"matmul","m":64,"k":96,"n":128,"in0":"bfloat16",)"
                             R"("in1":"bfloat16","out":"bfloat16"})");
    const auto reshard = workload_json(run_of(Pipeline::Reshard));
    EXPECT_EQ(reshard.at("from").dump(),
              R"({"memory":"dram","layout":"interleaved","grid":{"columns":0,"rows":0},)"
              R"("orientation":"row_major"})");
    EXPECT_EQ(reshard.at("to").at("layout"), "height");
}

}  // namespace
}  // namespace tessera::report
