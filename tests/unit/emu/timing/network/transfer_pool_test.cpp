// SPDX-License-Identifier: Apache-2.0
// Pool of transfers in flight.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "emu/timing/network/transfer.hpp"
#include "emu/timing/network/virtual_channels.hpp"

namespace tessera::timing {
namespace {

constexpr std::uint32_t kMany = 1000;  // spans several blocks

TEST(TransferPool, KeepsReferencesValidWhileItGrows) {
    TransferPool pool;
    std::vector<Transfer*> taken;
    for (std::uint32_t i = 0; i < kMany; ++i) {
        taken.push_back(&pool.take<Unicast>());
        taken.back()->unsent = i;
    }
    for (std::uint32_t i = 0; i < kMany; ++i) {
        EXPECT_EQ(taken[i], &pool[taken[i]->id]);
        EXPECT_EQ(taken[i]->unsent, i);
    }
}

TEST(TransferPool, NumbersTransfersInFlightApart) {
    TransferPool pool;
    std::set<TransferId> ids;
    for (std::uint32_t i = 0; i < kMany; ++i) {
        ids.insert(pool.take<Read>().id);
    }
    EXPECT_EQ(ids.size(), kMany);
}

TEST(TransferPool, ClearsAReleasedTransferForTheNext) {
    TransferPool pool;
    Transfer& read = pool.take<Read>();
    const TransferId id = read.id;
    read.unsent = 7;
    read.as<Read>().head = 3;
    pool.release(read);
    const Transfer& next = pool.take<Unicast>();
    EXPECT_EQ(next.id, id);
    EXPECT_EQ(next.unsent, 0U);
    EXPECT_FALSE(next.is_read());
    EXPECT_EQ(next.noc_packet().head, 0U);
}

TEST(TransferPool, CopiesAllButTheNumber) {
    TransferPool pool;
    Transfer& whole = pool.take<Read>();
    whole.as<Read>().parts = 5;
    const Transfer& part = pool.copy(whole);
    EXPECT_NE(part.id, whole.id);
    EXPECT_EQ(part.as<Read>().parts, 5U);
}

TEST(VcAvailability, NamesTheHolderOfAHeldChannel) {
    const auto held = VcAvailability::held_by(TransferId{12});
    EXPECT_TRUE(held.is_held());
    EXPECT_EQ(held.holder(), TransferId{12});
    EXPECT_FALSE(VcAvailability::from(5).is_held());
}

TEST(VcAvailability, OrdersTimesBeforeHoldersAndThoseBeforeNever) {
    EXPECT_LT(VcAvailability::from(1'000'000'000'000), VcAvailability::held_by(TransferId{0}));
    EXPECT_LT(VcAvailability::held_by(TransferId{7}), VcAvailability::never());
    EXPECT_TRUE(VcAvailability::never().is_held());
    EXPECT_EQ(VcAvailability::never().holder(), kNoTransfer);
}

}  // namespace
}  // namespace tessera::timing
