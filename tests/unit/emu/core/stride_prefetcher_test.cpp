// SPDX-License-Identifier: Apache-2.0
#include "emu/core/stride_prefetcher.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tessera {
namespace {

using Offsets = std::vector<std::uint32_t>;

/// Memory of the reads; a read is identified by its offset.
class StridePrefetcherTest : public ::testing::Test {
protected:
    void complete(const Offsets& reads, std::uint32_t size = StridePrefetcher::kPageBytes) {
        complete_on(port_, reads, size);
    }
    void complete_on(NocPort& port, const Offsets& reads, std::uint32_t size) {
        port.in_flight.clear();
        for (const std::uint32_t offset : reads) {
            port.in_flight.push_back({.kind = TransferKind::Read,
                                      .size = size,
                                      .source = memory_.data() + offset,
                                      .flushed_copy = nullptr});
        }
        prefetcher_.note(port);
    }
    /// Returns all predicted offsets.
    Offsets taken() {
        Offsets offsets;
        while (const std::byte* page = prefetcher_.take()) {
            offsets.push_back(static_cast<std::uint32_t>(page - memory_.data()));
        }
        return offsets;
    }

    NocPort port_;
    NocPort other_port_;

private:
    std::vector<std::byte> memory_ = std::vector<std::byte>(1 << 20);
    StridePrefetcher prefetcher_;
};

TEST_F(StridePrefetcherTest, PredictsTwoBarriersAfterTwoEqualSteps) {
    complete({0, 65536});
    complete({2048, 69632});
    EXPECT_EQ(taken(), Offsets{}) << "one step is not a rule yet";

    complete({4096, 73728});

    EXPECT_EQ(taken(), (Offsets{6144, 77824, 8192, 81920}));
}

TEST_F(StridePrefetcherTest, PredictsStepsThatReturnEveryThreeBarriers) {
    const Offsets begins{0, 300000, 150000};
    for (std::uint32_t barrier = 0; barrier < 7; ++barrier) {
        complete({begins[barrier % 3] + barrier / 3 * 4096});
    }

    EXPECT_EQ(taken(), (Offsets{300000 + 2 * 4096, 150000 + 2 * 4096}));
}

TEST_F(StridePrefetcherTest, KeepsStepsForTheNextPort) {
    complete({0});
    complete({2048});
    complete({4096});

    complete_on(other_port_, {500000}, StridePrefetcher::kPageBytes);

    EXPECT_EQ(taken(), (Offsets{502048, 504096}));
}

TEST_F(StridePrefetcherTest, PredictsNothingForReadsWithoutARule) {
    complete({0});
    complete({8192});
    complete({2048});
    complete({65536});

    EXPECT_EQ(taken(), Offsets{});
}

TEST_F(StridePrefetcherTest, DoesNotFollowReadsOfOtherSizes) {
    complete({0}, 64);
    complete({2048}, 64);
    complete({4096}, 64);

    EXPECT_EQ(taken(), Offsets{});
}

}  // namespace
}  // namespace tessera
