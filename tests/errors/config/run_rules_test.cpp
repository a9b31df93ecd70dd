// SPDX-License-Identifier: Apache-2.0
// Run files whose values are each allowed, but not together.
#include <gtest/gtest.h>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

std::string refusal_with(const std::string& from, const std::string& to) {
    return refusal_of_run(replaced(kRun, from, to));
}

/// The refusal of the good run with further lines behind it.
std::string refusal_with_more(const std::string& lines) {
    return refusal_of_run(std::string(kRun) + lines);
}

TEST(RunRules, RefuseExpertsThatDoNotDivideOverTheDevices) {
    EXPECT_EQ(refusal_with("shape: [1, 2]", "shape: [1, 3]"),
              "run.yaml:8:12: workload.experts: 4 experts do not divide over the 3 devices of "
              "mesh.shape [1, 3]");
}

TEST(RunRules, RefuseMoreDevicesThanExperts) {
    EXPECT_EQ(refusal_with("shape: [1, 2]", "shape: [2, 4]"),
              "run.yaml:8:12: workload.experts: 4 experts do not divide over the 8 devices of "
              "mesh.shape [2, 4]");
}

TEST(RunRules, RefuseTopKAboveExperts) {
    EXPECT_EQ(refusal_with("top_k: 2", "top_k: 5"),
              "run.yaml:9:10: workload.top_k: 5 experts a token, but workload.experts is 4");
}

TEST(RunRules, AcceptTopKEqualToExperts) {
    EXPECT_EQ(refusal_with("top_k: 2", "top_k: 4"), "");
}

TEST(RunRules, RefuseARingOfTwoDimensions) {
    EXPECT_EQ(refusal_with("shape: [1, 2]", "shape: [2, 2]\n  topology: ring"),
              "run.yaml:4:13: mesh.topology: ring needs one row or one column, but mesh.shape is "
              "[2, 2]; allowed: line or torus");
}

TEST(RunRules, RefuseAGridLargerThanTheDevice) {
    EXPECT_EQ(refusal_with_more("ops: {local_reduce: {grid: [9, 1]}}\n"),
              "run.yaml:10:28: ops.local_reduce.grid: [9, 1] is no part of the device's [8, 8], "
              "allowed: [0, 0] or [1, 1] to [8, 8]");
}

TEST(RunRules, RefuseAGridWithoutRows) {
    EXPECT_EQ(refusal_with_more("ops: {moe_bmm: {grid: [8, 0]}}\n"),
              "run.yaml:10:23: ops.moe_bmm.grid: [8, 0] is no part of the device's [8, 8], "
              "allowed: [0, 0] or [1, 1] to [8, 8]");
}

// DST holds 8 tiles of 32 bits and 16 of 16 bits, half of them for math at a time.
TEST(RunRules, RefuseASubblockThatExceedsHalfOfDst) {
    EXPECT_EQ(refusal_with_more("ops: {moe_bmm: {subblock: [1, 5]}}\n"),
              "run.yaml:10:27: ops.moe_bmm.subblock: 5 tiles, but half of DST holds 4 with "
              "fp32_dest_acc true");
}

TEST(RunRules, AcceptASubblockOfHalfOfDst) {
    EXPECT_EQ(refusal_with_more("ops: {moe_bmm: {subblock: [2, 2]}}\n"), "");
    EXPECT_EQ(refusal_with_more("ops: {moe_bmm: {subblock: [2, 4], fp32_dest_acc: false}}\n"), "");
}

// 170 K tiles × depth 2 × (1 + 1) tiles × 2048 B; 3 tiles of results and zeros × 2048 B; counts of
// 2 experts and blocks, 2 × (64 + 32) B: 1398976 B; a core has 1499136 − 103712 B.
TEST(RunRules, RefuseBuffersThatL1DoesNotHold) {
    EXPECT_EQ(refusal_with_more("ops: {moe_bmm: {k_block: 170}}\n"),
              "run.yaml:10:26: ops.moe_bmm.k_block: CBs for 170 K tiles × cb_depth 2 × "
              "subblock [1, 1] and their results take 1398976 B, but a core has 1395424 B of L1 "
              "for buffers");
}

TEST(RunRules, AcceptBuffersThatL1JustHolds) {
    EXPECT_EQ(refusal_with_more("ops: {moe_bmm: {k_block: 169}}\n"), "");
}

// 3 projections × 128 experts × 16384 × 4096 × 2 B = 48 GiB; a device has 12 × (1 GiB − 32 B).
TEST(RunRules, RefuseWeightsThatDramDoesNotHold) {
    const std::string large = replaced(replaced(replaced(kRun, "hidden: 64", "hidden: 16384"),
                                                "intermediate: 64", "intermediate: 4096"),
                                       "experts: 4", "experts: 256");

    EXPECT_EQ(refusal_of_run(large),
              "run.yaml:8:12: workload.experts: 128 experts a device take 51539607552 B of "
              "weights, but a wormhole_n150 has 12884901504 B of DRAM");
}

TEST(RunRules, ReportAllThatIsBroken) {
    const std::string text =
        replaced(replaced(kRun, "top_k: 2", "top_k: 7"), "shape: [1, 2]", "shape: [3, 1]");

    EXPECT_EQ(refusal_of_run(text),
              "run.yaml:8:12: workload.experts: 4 experts do not divide over the 3 devices of "
              "mesh.shape [3, 1]\n"
              "run.yaml:9:10: workload.top_k: 7 experts a token, but workload.experts is 4");
}

}  // namespace
}  // namespace tessera::test
