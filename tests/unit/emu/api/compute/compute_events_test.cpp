// SPDX-License-Identifier: Apache-2.0
// Trace events of compute calls in their thread.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/compute_core.hpp"
#include "tests/trace_events.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::event;
using testing::events_of;
using Events = std::vector<TraceEvent>;

constexpr DataFormat kBf16 = DataFormat::Float16_b;
constexpr DataFormat kBfp8 = DataFormat::Bfp8_b;

std::uint64_t argument(ComputeArgument argument) {
    argument.fidelity = MathFidelity::HiFi2;
    return argument.pack();
}
TraceEvent init(UnitInitKind kind, ComputeArgument formats) {
    return event(EventKind::UnitInit, static_cast<unsigned>(kind), 1, argument(formats));
}
TraceEvent dst(EventKind kind) {
    return event(kind, 0, 1, 0);
}

class ComputeEvents : public ::testing::Test {
protected:
    ComputeEvents() {
        core_.supply(0, {tile::random_bf16_tile(1), tile::random_bf16_tile(2)});
        core_.supply(1, {tile::random_bf16_tile(3), tile::random_bf16_tile(4)}, kBfp8);
        core_.add_buffer(16, kBf16);
        cb_reserve_back(16, 4);
        testing::start_recording(core_.thread());
    }
    Events events() { return events_of(core_.thread()); }
    // Returns events without the handovers of DST.
    Events acts() {
        Events all = events();
        std::erase_if(all, [](const TraceEvent& event) {
            return event.kind >= EventKind::DstAcquire && event.kind <= EventKind::DstRelease;
        });
        return all;
    }
    void pack_one() {
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
    }

    ComputeCore core_{ComputeConfig{.math_fidelity = MathFidelity::HiFi2}};
};

TEST_F(ComputeEvents, OfTinyTilesNameTheShapesOfBothOperandsAndOfWhatIsPacked) {
    const Tile half({16, 32});
    core_.add_buffer(2, kBf16, 1, 0, half);
    core_.core().circular_buffers[2].pages_received = 1;
    cb_wait_front(2, 1);
    core_.add_buffer(17, kBf16, 1, 0, half);
    cb_reserve_back(17, 1);
    testing::start_recording(core_.thread());
    mm_init(2, 1, 17);
    tile_regs_acquire();
    matmul_tiles(2, 1, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 17);
    tile_regs_release();

    const Events all = acts();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[1].argument,
              argument({.srca = kBfp8, .srcb = kBf16, .cb = 1, .srcb_tile = half}));
    EXPECT_EQ(all[2].argument, argument({.out = kBf16, .cb = 17, .out_tile = half}));
    const auto read = ComputeArgument::unpack(all[1].argument);
    EXPECT_EQ(read.srca_tile, Tile());
    EXPECT_EQ(read.srcb_tile, half);
}

// The price depends on the executed operation: an int32 product takes several times that of uint16.
TEST_F(ComputeEvents, OfIntegerArithmeticNameItsFormat) {
    tile_regs_acquire();
    fill_tile_int(0, 1);
    fill_tile_int(1, 2);
    add_int_tile<DataFormat::Int32>(0, 1, 0);
    add_int32_tile(0, 1, 0);
    mul_int_tile<DataFormat::UInt16>(0, 1, 0);
    mul_uint32_tile(0, 1, 0);

    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();

    std::vector<std::string> names;
    for (const TraceEvent& event : acts()) {
        if (event.kind == EventKind::Sfpu) {
            for (std::uint32_t i = 0; i < event.count; ++i) {
                names.emplace_back(reinterpret_cast<const char*>(event.argument));
            }
        }
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"fill_tile_int", "fill_tile_int", "add_int32_tile",
                                        "add_int32_tile", "mul_uint16_tile", "mul_int32_tile"}));
}

// On the chip, exp, gelu, sigmoid and tanh use their template arguments whatever math_approx_mode
// is. Each other function uses math_approx_mode.
TEST_F(ComputeEvents, AFunctionIsApproximateAsItsTemplateArgumentOrElseTheKernelSays) {
    const auto details = [this](bool mode, auto calls) {
        core_.thread().compute->is_approximate = mode;
        testing::start_recording(core_.thread());
        unary_op_init_common(0, 16);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        calls();
        std::vector<unsigned> found;
        for (const TraceEvent& event : acts()) {
            if (event.kind == EventKind::Sfpu) {
                found.push_back(event.detail);
            }
        }
        pack_one();
        return found;
    };
    const auto by_argument = [] {
        exp_tile_init<true>();
        exp_tile<true>(0);
        exp_tile(0);
        gelu_tile_init();
        gelu_tile(0);
        gelu_tile<false>(0);
        sigmoid_tile_init();
        sigmoid_tile(0);
        tanh_tile_init<true>();
        tanh_tile<true>(0);
    };
    const auto by_mode = [] {
        silu_tile_init();
        silu_tile(0);
        sqrt_tile_init();
        sqrt_tile<true>(0);
    };

    for (const bool mode : {false, true}) {
        EXPECT_EQ(details(mode, by_argument), (std::vector<unsigned>{1, 0, 1, 0, 0, 1})) << mode;
    }
    EXPECT_EQ(details(false, by_mode), (std::vector<unsigned>{0, 0}));
    EXPECT_EQ(details(true, by_mode), (std::vector<unsigned>{1, 1}));
}

TEST_F(ComputeEvents, AMatmulNamesItsFormatsAndMergesItsProducts) {
    mm_init(0, 1, 16);
    tile_regs_acquire();
    for (std::uint32_t k = 0; k < 2; ++k) {
        matmul_tiles(0, 1, k, k, 0);
    }
    pack_one();

    const Events expected{
        init(UnitInitKind::Full, {.srca = kBfp8, .srcb = kBf16, .out = kBf16, .cb = 1}),
        dst(EventKind::DstAcquire),
        event(EventKind::MatmulTiles, 0, 2, argument({.srca = kBfp8, .srcb = kBf16, .cb = 1})),
        dst(EventKind::DstCommit),
        dst(EventKind::DstWait),
        event(EventKind::Pack, 0, 1, argument({.out = kBf16, .cb = 16})),
        dst(EventKind::DstRelease)};
    EXPECT_EQ(events(), expected);
}

TEST_F(ComputeEvents, ABlockHoldsItsColumnsAndRows) {
    mm_block_init(0, 1, 16, 0, 2, 1, 1);
    tile_regs_acquire();
    matmul_block(0, 1, 0, 0, 0, 0, 2, 1, 1);
    pack_one();

    EXPECT_EQ(acts()[1],
              event(EventKind::MatmulBlock, 0, 1,
                    argument({.srca = kBfp8, .srcb = kBf16, .ct = 2, .rt = 1, .cb = 1})));
}

TEST_F(ComputeEvents, OnlyTheInitThatConfiguresAllUnitsSwallowsItsOperation) {
    mm_init(0, 1, 16);
    mm_init_short(0, 1);
    mm_init_short_with_dt(0, 0, 1);
    pack_reconfig_data_format(16);

    const ComputeArgument configured{.srca = kBfp8, .srcb = kBf16, .out = kBf16, .cb = 1};
    const ComputeArgument changed{.srca = kBf16, .srcb = kBf16, .out = kBf16, .cb = 0};
    ComputeArgument packs = changed;
    packs.cb = 16;
    const Events expected{
        init(UnitInitKind::Full, configured), init(UnitInitKind::Operation, configured),
        init(UnitInitKind::ReconfigSource, changed), init(UnitInitKind::Operation, changed),
        init(UnitInitKind::ReconfigPack, packs)};
    EXPECT_EQ(events(), expected);
}

TEST_F(ComputeEvents, ElementWiseCallsSayWhatCosts) {
    binary_op_init_common(0, 1, 16);
    tile_regs_acquire();
    mul_tiles_init(0, 1);
    mul_tiles(0, 1, 0, 0, 0);
    add_tiles_init(0, 1);
    add_tiles(0, 1, 0, 0, 0);
    mul_bcast_rows_init_short(0, 1);
    mul_tiles_bcast_rows(0, 1, 0, 0, 0);
    pack_one();

    const std::uint64_t operands = argument({.srca = kBf16, .srcb = kBfp8, .cb = 0});
    const Events all = acts();
    ASSERT_EQ(all.size(), 8U);
    EXPECT_EQ(all[2], event(EventKind::EltwiseBinary, EltwiseDetail::kMultiply, 1, operands));
    EXPECT_EQ(all[4], event(EventKind::EltwiseBinary, 0, 1, operands));
    EXPECT_EQ(all[6], event(EventKind::EltwiseBinary,
                            EltwiseDetail::kMultiply | EltwiseDetail::kBroadcast, 1, operands));
}

TEST_F(ComputeEvents, CopiesAndFunctionsOfTheVectorUnit) {
    unary_op_init_common(0, 16);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    silu_tile_init();
    silu_tile(0);
    pack_reconfig_l1_acc(1);
    pack_one();

    Events all = acts();
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all[0],
              init(UnitInitKind::Full, {.srca = kBf16, .srcb = kBf16, .out = kBf16, .cb = 0}));
    EXPECT_EQ(all[1], event(EventKind::Copy, 0, 1, argument({.srca = kBf16, .cb = 0})));
    EXPECT_EQ(all[2].detail, static_cast<std::uint8_t>(UnitInitKind::Sfpu));
    EXPECT_EQ(all[3].kind, EventKind::Sfpu);
    EXPECT_STREQ(reinterpret_cast<const char*>(all[3].argument), "silu_tile");
    EXPECT_EQ(all[4], event(EventKind::Pack, PackDetail::kAccumulates, 1,
                            argument({.out = kBf16, .cb = 16})));
}

TEST_F(ComputeEvents, BlocksHandDstOverTileByTile) {
    tilize_init(0, 2, 16);
    tilize_block(0, 2, 16);

    const Events tile{dst(EventKind::DstAcquire),
                      event(EventKind::Tilize, 0, 1, argument({.srca = kBf16, .cb = 0})),
                      dst(EventKind::DstCommit),
                      dst(EventKind::DstWait),
                      event(EventKind::Pack, 0, 1, argument({.out = kBf16, .cb = 16})),
                      dst(EventKind::DstRelease)};
    Events expected{
        init(UnitInitKind::Full, {.srca = kBf16, .srcb = kBf16, .out = kBf16, .cb = 0})};
    expected.insert(expected.end(), tile.begin(), tile.end());
    expected.insert(expected.end(), tile.begin(), tile.end());
    EXPECT_EQ(events(), expected);
}

TEST_F(ComputeEvents, PackUntilizeReadsItsTilesThenWritesRows) {
    pack_untilize_init<2>(0, 16);
    pack_untilize_block<2>(0, 1, 16);

    const Events expected{
        init(UnitInitKind::Full, {.srca = kBf16, .srcb = kBf16, .out = kBf16, .cb = 0}),
        event(EventKind::Copy, CopyDetail::kInBlock, 2, argument({.srca = kBf16, .cb = 0})),
        event(EventKind::PackUntilize, 0, 2, argument({.out = kBf16, .cb = 16}))};
    EXPECT_EQ(acts(), expected);
}

TEST_F(ComputeEvents, WithoutMathsEventsAreTheSameAndFloatTilesStay) {
    const auto run = [] {
        mm_init(0, 1, 16);
        tile_regs_acquire();
        matmul_tiles(0, 1, 0, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, 16, 0);
        tile_regs_release();
    };
    run();
    const Events computed = events();
    std::memset(core_.page(16, 0), 0, tile_bytes(kBf16));
    core_.thread().recorder->events().clear();
    core_.thread().compute->maths = Maths::Off;

    run();

    EXPECT_EQ(events(), computed);
    EXPECT_EQ(core_.tile_at(16)[5], 0.0F);
}

TEST(ComputeEventsOfIntegers, AreComputedWithoutMathsToo) {
    ComputeCore core;
    core.thread().compute->maths = Maths::Off;
    tile::TileValues in{};
    in[7] = 1.0F;
    core.supply(0, {in}, DataFormat::Int32);
    core.add_buffer(16, DataFormat::Int32);
    unary_op_init_common(0, 16);

    const tile::TileValues out = core.run_to(16, [] { copy_tile(0, 0, 0); });

    EXPECT_EQ(std::memcmp(out.data(), core.tile_at(0).data(), sizeof(out)), 0);
    EXPECT_NE(std::memcmp(out.data(), tile::TileValues{}.data(), sizeof(out)), 0);
}

}  // namespace
}  // namespace tessera
