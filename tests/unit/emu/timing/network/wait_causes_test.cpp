// SPDX-License-Identifier: Apache-2.0
// Causes to which waits of queued packets are attributed.
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/emu/timing/network/even_streams.hpp"

namespace tessera::timing {
namespace {

/// Returns the cycles of the first stream's last transfer that are attributed to a kind.
double last_of(const StreamRun& run, ResourceKind kind) {
    return static_cast<double>(run.times[0].back().transit[static_cast<std::size_t>(kind)]) /
           kMillicyclesPerCycle;
}

/// Reads that leave their port at the rate of a link.
class ReadsInLine : public testing::Test {
protected:
    ReadsInLine() { small_.timing.noc.read_rate = BytesPerCycle{32}; }

    SmallMachine small_;
    Stream reads_ = stream(read({2, 0}, NocPlace::worker({0, 0}), kBytes));
};

TEST_F(ReadsInLine, WaitForThePortThatAnswersThemIfTheyAreAlone) {
    const StreamRun alone(small_.machine(), {reads_});

    // Each earlier read occupies the port for 33 cycles and was issued one cycle earlier.
    EXPECT_NEAR(last_of(alone, ResourceKind::NocInjection), kTransfers * 32, 2 * 33);
    EXPECT_EQ(last_of(alone, ResourceKind::NocLink), 0);
}

TEST_F(ReadsInLine, WaitForTheLinkThatHoldsUpTheFirstOfThem) {
    // The neighbour's read data shares a link, two hops after the port: each earlier packet takes
    // 66 cycles there and was issued one cycle earlier.
    const Stream others = stream(read({3, 0}, NocPlace::worker({1, 0}), kBytes));

    const StreamRun shared(small_.machine(), {reads_, others});

    EXPECT_NEAR(last_of(shared, ResourceKind::NocLink), kTransfers * 65, 5 * 66);
    EXPECT_LE(last_of(shared, ResourceKind::NocInjection), 33);
}

/// Writes to a worker over links that a neighbour's writes to a bank also use.
class WritesInLine : public testing::Test {
protected:
    [[nodiscard]] StreamRun run() const {
        return {small_.machine(),
                {stream(write({0, 0}, NocPlace::worker({3, 3}), kBytes)),
                 stream(write({1, 0}, NocPlace::dram(2), kBytes))}};
    }

    SmallMachine small_;
};

TEST_F(WritesInLine, WaitForTheBankThatHoldsUpTheFirstOfThem) {
    small_.timing.dram.bank_write_rate = BytesPerCycle{1};

    const StreamRun run = this->run();

    // The bank takes 1026 cycles per page. One write waits for it in front of the link, and the
    // next one in the interface behind it.
    EXPECT_NEAR(last_of(run, ResourceKind::Dram), 2 * 1026, 40);
    EXPECT_LE(last_of(run, ResourceKind::NocInjection), 33);
}

TEST_F(WritesInLine, WaitForThePortOfABankThatSlowsTheFirstOfThem) {
    // The bank's write buffer is unlimited and accepts a page in 512 cycles in place of 33.
    small_.timing.dram.write_buffer = Bytes{1 << 30};
    small_.timing.dram.write_port_rate = BytesPerCycle{2};

    const StreamRun run = this->run();

    EXPECT_NEAR(last_of(run, ResourceKind::Dram), 2 * 512, 50);
    EXPECT_LE(last_of(run, ResourceKind::NocInjection), 33);
}

}  // namespace
}  // namespace tessera::timing
