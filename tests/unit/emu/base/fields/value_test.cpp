// SPDX-License-Identifier: Apache-2.0
#include "emu/base/fields/value.hpp"

#include <gtest/gtest.h>

#include "runtime/config/read.hpp"

namespace tessera::config {
namespace {

template <class T>
T value_of(const std::string& yaml) {
    const auto parsed = Value<T>::parse(read_text(yaml, "test"));
    if (const auto* mistake = std::get_if<Mistake>(&parsed)) {
        ADD_FAILURE() << mistake->text;
        return T{};
    }
    return std::get<T>(parsed);
}

TEST(BytesValue, CountsBinaryUnits) {
    EXPECT_EQ(value_of<Bytes>("1464 KiB"), Bytes{1499136});
    EXPECT_EQ(value_of<Bytes>("1 GiB"), Bytes{1073741824});
    EXPECT_EQ(value_of<Bytes>("1.5 MiB"), Bytes{1572864});
    EXPECT_EQ(value_of<Bytes>("4278190080 B"), Bytes{4278190080});
}

TEST(BytesValue, IsReadWithAnyNumberOfSpacesBeforeTheUnit) {
    EXPECT_EQ(value_of<Bytes>("16B"), Bytes{16});
    EXPECT_EQ(value_of<Bytes>("16   B"), Bytes{16});
}

TEST(BytesValue, IsShownInTheLargestUnitThatLeavesAWholeNumber) {
    EXPECT_EQ(Value<Bytes>::show(Bytes{1499136}), "1464 KiB");
    EXPECT_EQ(Value<Bytes>::show(Bytes{103712}), "103712 B");
    EXPECT_EQ(Value<Bytes>::show(Bytes{4278190080}), "4080 MiB");
    EXPECT_EQ(Value<Bytes>::show(Bytes{0}), "0 B");
}

TEST(HertzValue, IsShownWithAtMostThreeDecimals) {
    EXPECT_EQ(value_of<Hertz>("1.35 GHz"), Hertz{1.35e9});
    EXPECT_EQ(Value<Hertz>::show(Hertz{1.35e9}), "1.35 GHz");
    EXPECT_EQ(Value<Hertz>::show(Hertz{999999999}), "999999.999 kHz");
}

TEST(RateValue, IsBytesPerCycle) {
    EXPECT_EQ(value_of<BytesPerCycle>("28.1 B/cycle"), BytesPerCycle{28.1});
    EXPECT_EQ(Value<BytesPerCycle>::show(BytesPerCycle{28.1}), "28.1 B/cycle");
}

TEST(SecondsValue, ReadsBackWhatItShows) {
    EXPECT_EQ(Value<Seconds>::show(value_of<Seconds>("705 ns")), "705 ns");
    EXPECT_EQ(Value<Seconds>::show(value_of<Seconds>("2.5 us")), "2.5 us");
    EXPECT_EQ(Value<Seconds>::show(Seconds{5.000000000000001e-6}), "5 us");
}

TEST(MeshShapeValue, IsRowsThenColumns) {
    EXPECT_EQ(value_of<MeshShape>("[4, 8]"), (MeshShape{.rows = 4, .columns = 8}));
    EXPECT_EQ(Value<MeshShape>::show({.rows = 4, .columns = 8}), "[4, 8]");
}

TEST(GridSizeValue, IsColumnsThenRows) {
    EXPECT_EQ(value_of<GridSize>("[13, 10]"), (GridSize{.columns = 13, .rows = 10}));
    EXPECT_EQ(Value<GridSize>::show({.columns = 13, .rows = 10}), "[13, 10]");
}

TEST(ListValue, MayBeEmpty) {
    EXPECT_EQ(value_of<Numbers>("[]"), Numbers{});
    EXPECT_EQ(value_of<Numbers>("[3, 1]"), (Numbers{3, 1}));
    EXPECT_EQ(Value<Numbers>::show({3, 1}), "[3, 1]");
}

TEST(SeedValue, HoldsAll64Bits) {
    EXPECT_EQ(value_of<std::uint64_t>("18446744073709551615"), 18446744073709551615ULL);
}

TEST(EnumValue, ReadsBackEachOfItsNames) {
    for (const char* name : {"LoFi", "HiFi2", "HiFi3", "HiFi4"}) {
        EXPECT_EQ(Value<MathFidelity>::show(value_of<MathFidelity>(name)), name);
    }
}

TEST(EnumValue, TellsCase) {
    const auto parsed = Value<MathFidelity>::parse(read_text("lofi", "test"));

    ASSERT_TRUE(std::holds_alternative<Mistake>(parsed));
    EXPECT_EQ(std::get<Mistake>(parsed).text, "expected LoFi, HiFi2, HiFi3 or HiFi4, found 'lofi'");
}

}  // namespace
}  // namespace tessera::config
