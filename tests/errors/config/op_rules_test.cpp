// SPDX-License-Identifier: Apache-2.0
// Run files of one op whose values are each allowed, but not together, and keys of another
// pipeline.
#include <gtest/gtest.h>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

constexpr std::string_view kMesh = "mesh: {device: wormhole_n150, shape: [1, 1]}\n";

/// The refusal of a run whose lines 2 to 4 are `pipeline`, `workload` and `ops`.
std::string refusal(const std::string& pipeline, const std::string& workload,
                    const std::string& ops = "{}") {
    return refusal_of_run(std::string(kMesh) + "workload: {pipeline: " + pipeline + ",\n  " +
                          pipeline + ": " + workload + "}\nops: {" + pipeline + ": " + ops + "}\n");
}

constexpr const char* kMatmul = "{m: 64, k: 96, n: 64}";

TEST(PipelineKeys, RefuseThoseOfAnotherPipeline) {
    EXPECT_EQ(
        refusal_of_run(std::string(kMesh) +
                       "workload: {pipeline: copy, tokens: 4, copy: {shape: [32, 32]}}\n"
                       "ops: {moe_bmm: {k_block: 2}}\n"),
        "run.yaml:2:36: workload.tokens: key of the pipeline moe_v2, but workload.pipeline is "
        "copy\n"
        "run.yaml:3:16: ops.moe_bmm: key of the pipeline moe_v2, but workload.pipeline is "
        "copy");
}

TEST(PipelineKeys, AreRequiredOfTheirPipeline) {
    EXPECT_EQ(refusal_of_run(std::string(kMesh) + "workload: {pipeline: copy}\n"),
              "run.yaml:2:11: workload.copy.shape: required key is missing");
}

TEST(PipelineKeys, AreNotLookedAtUnderAWordThatIsNoPipeline) {
    EXPECT_EQ(refusal_of_run(std::string(kMesh) + "workload: {pipeline: matmull, tokens: 4}\n"),
              "run.yaml:2:22: workload.pipeline: expected moe_v2, matmul, eltwise, reshard or "
              "copy, found 'matmull'");
}

TEST(MatmulRules, AcceptWhatTheOthersSpoil) {
    EXPECT_EQ(refusal("matmul", kMatmul), "");
}

TEST(MatmulRules, RefuseAGridLargerThanTheDevice) {
    EXPECT_EQ(refusal("matmul", kMatmul, "{grid: [9, 8]}"),
              "run.yaml:4:22: ops.matmul.grid: [9, 8] is no part of the device's [8, 8], allowed: "
              "[0, 0] or [1, 1] to [8, 8]");
}

TEST(MatmulRules, RefuseASubblockBeyondHalfOfDst) {
    EXPECT_EQ(refusal("matmul", kMatmul, "{out_subblock: [2, 4]}"), "");
    EXPECT_EQ(refusal("matmul", kMatmul, "{out_subblock: [2, 4], fp32_dest_acc: true}"),
              "run.yaml:4:30: ops.matmul.out_subblock: 8 tiles, but half of DST holds 4 with "
              "fp32_dest_acc true");
}

TEST(MatmulRules, RefuseBlocksThatDoNotDivideK) {
    EXPECT_EQ(refusal("matmul", kMatmul, "{in0_block_w: 2}"),
              "run.yaml:4:29: ops.matmul.in0_block_w: blocks of 2 tiles do not divide the 3 K "
              "tiles of workload.matmul.k");
}

TEST(MatmulRules, RefuseAFormatThatIsNotMultiplied) {
    EXPECT_EQ(refusal("matmul", kMatmul, "{in1: {format: int32}}"),
              "run.yaml:4:30: ops.matmul.in1.format: int32 is no format of the op, allowed: "
              "bfloat16, bfp8_b, bfp4_b, float32");
}

TEST(EltwiseRules, AcceptWhatTheOthersSpoil) {
    EXPECT_EQ(refusal("eltwise", "{function: add, shape: [40, 80]}"), "");
}

TEST(EltwiseRules, RefuseAFunctionThatIsNone) {
    EXPECT_EQ(refusal("eltwise", "{function: expp, shape: [40, 80]}"),
              "run.yaml:3:23: workload.eltwise.function: expected add, sub, mul, div, max, min, "
              "abs, exp, gelu, identity, log, negative, recip, relu, rsqrt, sigmoid, sign, silu, "
              "sqrt, square or tanh, found 'expp'");
}

TEST(EltwiseRules, RefuseAShapeWithoutExtentsOrTooLarge) {
    EXPECT_EQ(refusal("eltwise", "{function: add, shape: []}"),
              "run.yaml:3:35: workload.eltwise.shape: [] has 0 elements, allowed: 1 to 4294967295");
    EXPECT_EQ(refusal("eltwise", "{function: add, shape: [65536, 65536]}"),
              "run.yaml:3:35: workload.eltwise.shape: [65536, 65536] has too many elements, "
              "allowed: 1 to 4294967295");
}

TEST(EltwiseRules, RefuseAnExtentOfZero) {
    EXPECT_EQ(refusal("eltwise", "{function: add, shape: [32, 0]}"),
              "run.yaml:3:35: workload.eltwise.shape: [32, 0] is out of range, allowed: 1 to "
              "1048576");
}

TEST(EltwiseRules, RefuseAFormatItDoesNotCompute) {
    EXPECT_EQ(refusal("eltwise", "{function: add, shape: [32, 32], output_format: uint8}"),
              "run.yaml:3:60: workload.eltwise.output_format: uint8 is no format of the op, "
              "allowed: bfloat16, bfp8_b, float32");
}

TEST(EltwiseRules, RefuseFloat32WithA16BitDst) {
    const std::string float32 = "{function: add, shape: [32, 32], input_format: float32}";
    EXPECT_EQ(refusal("eltwise", float32, "{fp32_dest_acc: true}"), "");
    EXPECT_EQ(refusal("eltwise", float32, "{fp32_dest_acc: false}"),
              "run.yaml:4:32: ops.eltwise.fp32_dest_acc: false, but workload.eltwise.input_format "
              "is float32; allowed: true");
}

// 3 buffers of 2048 B tiles: 64 × 3 is in, 64 × 4 is above the 1395424 B that L1 has.
TEST(EltwiseRules, RefuseBuffersThatL1DoesNotHold) {
    const std::string add = "{function: add, shape: [32, 32]}";
    EXPECT_EQ(refusal("eltwise", add, "{tiles_per_push: 64, cb_depth: 3}"), "");
    EXPECT_EQ(refusal("eltwise", add, "{tiles_per_push: 64, cb_depth: 4}"),
              "run.yaml:4:33: ops.eltwise.tiles_per_push: CBs for 64 tiles × cb_depth 4 take "
              "1572864 B, but a core has 1395424 B of L1 for buffers");
}

const std::string kFour = "{memory: l1, layout: block, grid: [4, 1]}";

std::string refusal_of_reshard(const std::string& from, const std::string& to,
                               const std::string& more = "") {
    return refusal("reshard", "{shape: [256, 128], from: " + from + ", to: " + to + more + "}");
}

TEST(ReshardRules, AcceptWhatTheOthersSpoil) {
    EXPECT_EQ(refusal_of_reshard(kFour, "{memory: l1, layout: height, grid: [4, 2]}"), "");
    EXPECT_EQ(refusal_of_reshard("{}", kFour), "");
    EXPECT_EQ(refusal_of_reshard(kFour, "{memory: dram}"), "");
}

TEST(ReshardRules, RefuseTwoInterleavedEnds) {
    EXPECT_EQ(refusal_of_reshard("{}", "{memory: l1, layout: interleaved}"),
              "run.yaml:3:67: workload.reshard.to.layout: interleaved at both ends, which is what "
              "the pipeline copy does; allowed: block, height or width at one of them");
}

TEST(ReshardRules, RefuseShardsInDram) {
    EXPECT_EQ(refusal_of_reshard(kFour, "{memory: dram, layout: height, grid: [4, 2]}"),
              "run.yaml:3:94: workload.reshard.to.memory: dram, but layout is height; allowed: l1");
}

TEST(ReshardRules, RefuseAGridOfNoCoresOrOfMoreThanThereAre) {
    EXPECT_EQ(refusal_of_reshard("{}", "{memory: l1, layout: block, grid: [9, 1]}"),
              "run.yaml:3:80: workload.reshard.to.grid: [9, 1] is no part of the device's [8, 8], "
              "allowed: [1, 1] to [8, 8]");
    EXPECT_EQ(refusal_of_reshard("{}", "{memory: l1, layout: block, grid: [0, 0]}"),
              "run.yaml:3:80: workload.reshard.to.grid: [0, 0] is no part of the device's [8, 8], "
              "allowed: [1, 1] to [8, 8]");
}

TEST(ReshardRules, RefuseAGridOfAnInterleavedTensor) {
    EXPECT_EQ(refusal_of_reshard("{grid: [4, 1]}", kFour),
              "run.yaml:3:45: workload.reshard.from.grid: [4, 1], but layout is interleaved; "
              "allowed: [0, 0]");
}

TEST(ReshardRules, RefuseCoresWithoutAShard) {
    EXPECT_EQ(refusal_of_reshard("{}", "{memory: l1, layout: width, grid: [8, 1]}"),
              "run.yaml:3:80: workload.reshard.to.grid: sharding (256,128): 4 columns of pages do "
              "not reach 8 shards of 1");
}

TEST(ReshardRules, RefuseBlockFormatsInRows) {
    EXPECT_EQ(refusal_of_reshard("{}", "{memory: l1, layout: height, grid: [4, 1]}",
                                 ", format: bfp8_b, layout: row_major"),
              "run.yaml:3:114: workload.reshard.layout: row_major, but elements of bfp8_b share "
              "exponents in tiles; allowed: tile");
}

TEST(CopyRules, RefuseBlockFormatsInRows) {
    EXPECT_EQ(refusal("copy", "{shape: [32, 32], format: bfp4_b, layout: row_major}"),
              "run.yaml:3:51: workload.copy.layout: row_major, but elements of bfp4_b share "
              "exponents in tiles; allowed: tile");
}

// Rows of 2^18 float32 are 1 MiB.
TEST(CopyRules, RefuseBuffersThatL1DoesNotHold) {
    const std::string rows = "{shape: [2, 262144], format: float32, layout: row_major}";
    EXPECT_EQ(refusal("copy", rows, "{cb_depth: 1}"), "");
    EXPECT_EQ(refusal("copy", rows, "{cb_depth: 2}"),
              "run.yaml:4:24: ops.copy.cb_depth: a CB of 2 pages of 1048576 B takes 2097152 B, but "
              "a core has 1395424 B of L1 for buffers");
}

TEST(CopyRules, RefuseAGridLargerThanTheDevice) {
    EXPECT_EQ(refusal("copy", "{shape: [32, 32]}", "{grid: [1, 9]}"),
              "run.yaml:4:20: ops.copy.grid: [1, 9] is no part of the device's [8, 8], allowed: "
              "[0, 0] or [1, 1] to [8, 8]");
}

}  // namespace
}  // namespace tessera::test
