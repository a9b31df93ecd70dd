// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/calendar.hpp"

#include <gtest/gtest.h>

namespace tessera::timing {
namespace {

constexpr Millicycles kSlice = 32'768;

TEST(Calendar, PacketsOneBehindTheOtherLoseNothing) {
    Calendar calendar;
    for (Millicycles i = 0; i < 1000; ++i) {
        EXPECT_EQ(calendar.book_within(i * 3500, 3500, i * 3500), i * 3500);
    }
    EXPECT_EQ(calendar.free(), 1000 * 3500);
}

TEST(Calendar, APacketFromNearFindsRoomInFrontOfManyFromFar) {
    Calendar calendar;
    for (Millicycles i = 0; i < 20; ++i) {
        calendar.book(100'000 + i * 10'000, 2000);
    }

    EXPECT_EQ(calendar.book_within(50'000, 2000, 50'000), 50'000);
    EXPECT_EQ(calendar.book_within(105'000, 2000, 105'000), 105'000);
}

TEST(Calendar, AFullResourceIsFreeAtItsEnd) {
    Calendar calendar;
    calendar.book(0, 10 * kSlice);

    EXPECT_EQ(calendar.earliest(kSlice, kSlice), 10 * kSlice);
    EXPECT_EQ(calendar.book_within(kSlice, kSlice, 10 * kSlice - 1), Calendar::kNever);
    EXPECT_EQ(calendar.book_within(kSlice, kSlice, 10 * kSlice), 10 * kSlice);
}

TEST(Calendar, WhatAnotherTakesOfItsTimeDelaysAPacketByThat) {
    Calendar calendar;
    calendar.book(4 * kSlice, 5000);
    calendar.book(8 * kSlice, 1000);

    EXPECT_EQ(calendar.earliest(4 * kSlice, 2 * kSlice), 4 * kSlice + 5000);
}

TEST(Calendar, ABookingLongerThanWhatIsKeptIsNotOverlapped) {
    Calendar calendar;
    calendar.book(0, 100 * kSlice);

    EXPECT_EQ(calendar.earliest(kSlice, 10), 100 * kSlice);
}

}  // namespace
}  // namespace tessera::timing
