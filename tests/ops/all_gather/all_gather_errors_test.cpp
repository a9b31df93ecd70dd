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
    expect_error("all_gather: tensors are 1; allowed: one for each of 2 devices");
}

TEST_F(AllGatherErrors, OutputIsTooSmall) {
    gather_.outputs[1].spec.shape = {7, 8};
    expect_error("all_gather: output is (7,8) uint32 ROW_MAJOR; allowed: (8,8) uint32 ROW_MAJOR");
}

TEST_F(AllGatherErrors, MoreLinksThanADirectionHas) {
    gather_.schedule.links = 5;
    expect_error("all_gather: links is 5; a direction has 1 to 4");
}

TEST_F(AllGatherErrors, LinksNeedACoreEachWay) {
    gather_.schedule.links = 4;
    expect_error("all_gather: links 4 both ways take 8 cores; test_arch has 4");
}

TEST_F(AllGatherErrors, MoreWorkersThanCores) {
    gather_.schedule.workers = 3;
    expect_error(
        "all_gather: workers 3 for each of 1 links take 6 cores; 1 to 2 are possible on test_arch");
}

TEST_F(AllGatherErrors, MulticastHasOneWorker) {
    gather_.schedule.algorithm = ops::all_gather::Algorithm::Multicast;
    gather_.schedule.workers = 2;
    expect_error(
        "all_gather: workers is 2, but multicast does not use it; allowed: 1, its default");
}

TEST_F(AllGatherErrors, ReadingAheadNeedsAPlaceForTheNextBatch) {
    gather_.schedule.algorithm = ops::all_gather::Algorithm::Multicast;
    gather_.schedule.cb_depth = 1;
    expect_error(
        "all_gather: cb_depth is 1; multicast that reads ahead (read_ahead) needs 2 or more");
}

TEST_F(AllGatherErrors, PagesAreNotReadAhead) {
    gather_.schedule.read_ahead = false;
    expect_error(
        "all_gather: read_ahead is false, but pages does not use it; allowed: true, its default");
}

TEST_F(AllGatherErrors, MulticastDoesNotDivideAFarthestSlice) {
    gather_.schedule.algorithm = ops::all_gather::Algorithm::Multicast;
    gather_.schedule.farthest = ops::all_gather::FarthestSlice::Forward;
    expect_error(
        "all_gather: farthest is forward, but multicast does not use it; allowed: half_each_way, "
        "its default");
}

TEST_F(AllGatherErrors, SyncPagesIsZero) {
    gather_.schedule.sync_pages = 0;
    expect_error("all_gather: sync_pages is 0; allowed: at least 1");
}

TEST_F(AllGatherErrors, DepthIsZero) {
    gather_.schedule.cb_depth = 0;
    expect_error("all_gather: cb_depth is 0; allowed: at least 1");
}

TEST(AllGatherTiles, MustStayWhole) {
    testing::MeshGather gather({{1, 2}, Topology::Line, "test_arch"}, testing::small_arch(),
                               {{33, 40}, DataFormat::UInt32, Layout::TILE});
    try {
        gather.launch();
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "all_gather: input is (33,40) uint32 TILE; allowed for a TILE tensor of rank "
                     "2: a multiple of 32 rows");
    }
}

TEST(AllGatherMesh, MustBeARowOrColumn) {
    testing::MeshGather gather({{2, 2}, Topology::Line, "test_arch"}, testing::small_arch(),
                               {{4, 8}, DataFormat::UInt32, Layout::ROW_MAJOR});
    gather.schedule.algorithm = ops::all_gather::Algorithm::Pages;
    try {
        gather.launch();
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "all_gather: devices are a mesh of 2x2; allowed: a single row or column");
    }
}

}  // namespace
}  // namespace tessera
