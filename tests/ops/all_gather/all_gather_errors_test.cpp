// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/all_gather/mesh_gather.hpp"

namespace tessera {
namespace {

class AllGatherErrors : public ::testing::Test {
protected:
    AllGatherErrors()
        : gather_({{1, 2}, Topology::Line, "test_arch"}, testing::small_arch(),
                  {{4, 8}, DataFormat::UInt32, Layout::ROW_MAJOR}) {}
    void expect_error(const std::string& message) {
        try {
            gather_.launch();
            FAIL() << "no error; expected: " << message;
        } catch (const UsageError& error) {
            EXPECT_EQ(error.what(), message);
        }
    }

    testing::MeshGather gather_;
};

TEST_F(AllGatherErrors, ATensorIsMissing) {
    gather_.inputs.pop_back();
    expect_error("all_gather: 1 tensors input; the mesh has 2 devices, each with one of them");
}

TEST_F(AllGatherErrors, OutputIsTooSmall) {
    gather_.outputs[1].spec.shape = {7, 8};
    expect_error(
        "all_gather: output of device 1 is (7,8) uint32 ROW_MAJOR; it must be (8,8) uint32 "
        "ROW_MAJOR");
}

TEST_F(AllGatherErrors, MoreLinksThanADirectionHas) {
    gather_.schedule.lanes.links = 5;
    expect_error("all_gather: the schedule uses 5 links of a direction; 1 to 4 are possible");
}

TEST_F(AllGatherErrors, MoreWorkersThanCores) {
    gather_.schedule.lanes.workers = 3;
    expect_error(
        "all_gather: the schedule has 3 workers for each of 1 links, which take 6 cores; 1 to 2 "
        "workers are possible on test_arch");
}

TEST_F(AllGatherErrors, SyncPagesIsZero) {
    gather_.schedule.sync_pages = 0;
    expect_error("all_gather: the schedule's sync_pages is 0; it must be at least 1");
}

TEST_F(AllGatherErrors, DepthIsZero) {
    gather_.schedule.cb_depth = 0;
    expect_error("all_gather: the schedule's cb_depth is 0; it must be at least 1");
}

TEST(AllGatherSpec, TilesMustStayWhole) {
    try {
        (void)ops::all_gather::output_spec({{33, 40}, DataFormat::Float16_b, Layout::TILE}, 2);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "all_gather: input is (33,40) bfloat16 TILE; the rows of a TILE tensor of "
                     "rank 2 must be a multiple of 32");
    }
}

TEST(AllGatherMesh, MustBeARowOrColumn) {
    testing::MeshGather gather({{2, 2}, Topology::Line, "test_arch"}, testing::small_arch(),
                               {{4, 8}, DataFormat::UInt32, Layout::ROW_MAJOR});
    try {
        gather.launch();
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "all_gather: a mesh of 2x2 devices; it must be a single row or column");
    }
}

}  // namespace
}  // namespace tessera
