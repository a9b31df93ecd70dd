// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/all_reduce/mesh_sum.hpp"

namespace tessera {
namespace {

class AllReduceErrors : public ::testing::Test {
protected:
    AllReduceErrors()
        : sum_({.shape = {1, 2}, .topology = Topology::Line, .device = "test_arch"},
               testing::small_arch()) {
        sum_.prepare(testing::random_inputs(2, {4, 32}));
    }
    void expect_error(const std::string& message) {
        try {
            sum_.launch();
            FAIL() << "no error; expected: " << message;
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(), message);
        }
    }

    testing::MeshSum sum_;
};

TEST_F(AllReduceErrors, ATensorIsMissing) {
    sum_.inputs().pop_back();

    expect_error("all_reduce: tensors are 1; allowed: one for each of 2 devices");
}

TEST_F(AllReduceErrors, DevicesDisagree) {
    sum_.outputs()[1].spec.shape = {4, 33};

    expect_error(
        "all_reduce: output is (4,33) bfloat16 ROW_MAJOR; allowed: (4,32) bfloat16 ROW_MAJOR");
}

TEST_F(AllReduceErrors, TensorsAreSwapped) {
    std::swap(sum_.inputs()[0], sum_.inputs()[1]);

    expect_error(
        "all_reduce: tensors at place 0 are on device 1; allowed: device 0\nall_reduce: tensors at "
        "place 1 are on device 0; allowed: device 1");
}

TEST_F(AllReduceErrors, ADepthThatOnlyTheRingTakes) {
    sum_.schedule.algorithm = ops::AllReduceAlgorithm::Tree;
    sum_.schedule.cb_depth = 4;

    expect_error("all_reduce: cb_depth is 4, but tree does not use it; allowed: 2, its default");
}

TEST_F(AllReduceErrors, LinksThatTheRingDoesNotTake) {
    sum_.schedule.algorithm = ops::AllReduceAlgorithm::Ring;
    sum_.schedule.links = 2;

    expect_error("all_reduce: links is 2, but ring does not use it; allowed: 4, its default");
}

TEST_F(AllReduceErrors, DepthIsZero) {
    sum_.schedule.cb_depth = 0;

    expect_error("all_reduce: cb_depth is 0; allowed: at least 1");
}

}  // namespace
}  // namespace tessera
