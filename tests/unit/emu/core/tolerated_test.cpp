// SPDX-License-Identifier: Apache-2.0
// Behaviour that a chip tolerates: refused by default (messages: tests/errors), executed and noted
// once a line under ChipRules::AsOnChip.
#include "emu/core/tolerated.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "emu/tile/pack.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tests/compute_core.hpp"
#include "tests/kernel_rig.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::KernelRig;
using testing::kScratch;

/// A compute thread under the rules of the chip, with CB 0 of bf16 and CB 16.
class OnChip : public ::testing::Test {
protected:
    OnChip() : core_(ComputeConfig{}) {
        core_.thread().chip_rules = ChipRules::AsOnChip;
        core_.add_buffer(0);
        core_.add_buffer(16);
        unary_op_init_common(0, 16);
    }
    std::string findings() {
        std::string text;
        for (const ThreadFinding& finding : core_.thread().findings) {
            text +=
                std::string(name_of(finding.kind)) + ':' + std::to_string(finding.num_calls) + ' ';
        }
        return text;
    }
    void write(std::uint32_t page, float value) {
        tile::TileValues values;
        values.fill(value);
        tile::pack_tile(DataFormat::Float16_b, values.data(), core_.page(0, page));
    }

    ComputeCore core_;
};

TEST_F(OnChip, ATileThatWasNotAwaitedIsReadAtThePointer) {
    write(2, 5.0F);
    tile_regs_acquire();
    for (std::uint32_t i = 0; i < 3; ++i) {
        copy_tile(0, 2, 0);
    }
    EXPECT_EQ(*core_.thread().compute->dst.update(0, "test", {}), 5.0F);
    EXPECT_EQ(findings(), "tile_not_awaited:3 ");
}

TEST_F(OnChip, ATilePastTheEndOfTheBufferIsWhatLiesThere) {
    tile_regs_acquire();
    copy_tile(0, testing::kDefaultPages, 0);
    EXPECT_EQ(findings(), "tile_not_awaited:1 tile_past_end:1 ");
}

TEST_F(OnChip, PackWithoutReserveWritesAtThePointer) {
    tile_regs_acquire();
    fill_tile(0, 3.0F);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    EXPECT_EQ(core_.tile_at(16)[0], 3.0F);
    EXPECT_EQ(findings(), "pack_not_reserved:1 ");
}

TEST_F(OnChip, PackOfATileThatWasNotWrittenTakesZeros) {
    tile_regs_acquire();
    fill_tile(0, 3.0F);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(16, 1);
    pack_tile(1, 16);
    EXPECT_EQ(core_.tile_at(16)[0], 0.0F);
    EXPECT_EQ(findings(), "dst_not_written:1 ");
    EXPECT_EQ(core_.thread().findings.front().detail,
              "pack_tile reads DST tile 1, to which nothing was written since tile_regs_acquire: "
              "the chip takes zeros");
}

// The width of a block of rows is fixed when a kernel is compiled.
TEST_F(OnChip, RowsOfUnusedTilesAreNoFinding) {
    tile_regs_acquire();
    fill_tile(0, 3.0F);
    tile_regs_commit();
    tile_regs_wait();
    pack_untilize_dest_init<2>(16);
    cb_reserve_back(16, 2);
    pack_untilize_dest<2>(16);
    EXPECT_EQ(findings(), "");
}

TEST_F(OnChip, ATileLargerThanItsPageNamesTheFormat) {
    core_.add_buffer(3, DataFormat::Float32, testing::kDefaultPages, 2048);
    unary_op_init_common(3, 16);
    tile_regs_acquire();
    copy_tile(3, 0, 0);
    EXPECT_EQ(
        core_.thread().findings.front().detail,
        "copy_tile(cb 3) reads tile 0, but cb_wait_front has granted 0 pages of 2048 bytes; a "
        "tile of float32 has 4096 bytes");
}

TEST_F(OnChip, CommitAndReleaseOfAFreeDstHaveNoEffect) {
    tile_regs_commit();
    tile_regs_release();
    tile_regs_acquire();
    EXPECT_EQ(findings(), "dst_order:1 dst_order:1 ");
}

TEST_F(OnChip, IntegersOf32BitsKeepWhatFitsA16BitDst) {
    core_.add_buffer(1, DataFormat::Int32);
    reinterpret_cast<std::int32_t*>(core_.page(1, 0))[0] = -7;
    cb_reserve_back(1, 1);
    cb_push_back(1, 1);
    cb_wait_front(1, 1);
    copy_tile_to_dst_init_short_with_dt(0, 1);
    tile_regs_acquire();
    copy_tile(1, 0, 0);
    const float slot = *core_.thread().compute->dst.update(0, "test", {}, DstContent::Integer);
    EXPECT_EQ(__builtin_bit_cast(std::int32_t, slot), -7);
    EXPECT_EQ(findings(), "integer_in_narrow_dst:1 ");
}

/// Runs a data-movement kernel under the rules of the chip and returns its findings.
std::string findings_of(KernelRig& rig, void (*kernel)()) {
    KernelThread& thread = rig.place({0, 0}, Processor::Riscv0, kernel);
    thread.chip_rules = ChipRules::AsOnChip;
    EXPECT_EQ(rig.fault(), "no error");
    std::string text;
    for (const ThreadFinding& finding : thread.findings) {
        text += std::string(name_of(finding.kind)) + ' ';
    }
    return text;
}

TEST(OnChipTransfers, AWriteInFlightAtTheEndArrives) {
    KernelRig rig;
    rig.set_word({0, 0}, kScratch, 77);
    EXPECT_EQ(
        findings_of(rig, [] { noc_async_write(kScratch, get_noc_addr(19, 18, kScratch), 16); }),
        "in_flight_at_end ");
    EXPECT_EQ(rig.word({1, 0}, kScratch), 77U);
}

TEST(OnChipTransfers, AReadInFlightAtTheEndArrives) {
    KernelRig rig;
    rig.set_word({1, 0}, kScratch, 78);
    EXPECT_EQ(
        findings_of(rig, [] { noc_async_read(get_noc_addr(19, 18, kScratch), kScratch, 16); }),
        "in_flight_at_end ");
    EXPECT_EQ(rig.word({0, 0}, kScratch), 78U);
}

// The reader of the pages sees the data: it was on its way before they were handed over.
TEST(OnChipTransfers, AFlushedWriteToTheOwnCoreArrivesBeforeThePush) {
    static std::uint32_t seen = 0;
    KernelRig rig;
    rig.add_buffer(0, 4, 64);
    rig.set_word({0, 0}, kScratch, 79);
    const std::string findings = findings_of(rig, [] {
        cb_reserve_back(0, 1);
        noc_async_write(kScratch, get_noc_addr(18, 18, get_write_ptr(0)), 32);
        noc_async_writes_flushed();
        cb_push_back(0, 1);
        std::memcpy(&seen, current_thread().core().l1(get_read_ptr(0)), sizeof(seen));
        noc_async_write_barrier();
    });
    EXPECT_EQ(findings, "pushed_before_arrival ");
    EXPECT_EQ(seen, 79U);
}

TEST(OnChipBuffers, PopOfPagesThatNobodyPushedMovesTheCounter) {
    KernelRig rig;
    rig.add_buffer(0, 4, 64);
    EXPECT_EQ(findings_of(rig, [] { cb_pop_front(0, 1); }), "pages_not_awaited ");
    EXPECT_EQ(rig.device.core({0, 0}).circular_buffers[0].pages_acked, 1U);
}

TEST(OnChipBuffers, PushOfPagesThatWereNotReservedHandsThemOver) {
    KernelRig rig;
    rig.add_buffer(0, 4, 64);
    EXPECT_EQ(findings_of(rig, [] { cb_push_back(0, 1); }), "pages_not_reserved ");
    EXPECT_EQ(rig.device.core({0, 0}).circular_buffers[0].pages_received, 1U);
}

TEST(OnChipBuffers, ReserveDoesNotWaitAfterAPushOfMorePagesThanAreFree) {
    KernelRig rig;
    rig.add_buffer(0, 4, 64);
    const std::string findings = findings_of(rig, [] {
        cb_push_back(0, 4);
        cb_push_back(0, 4);
        cb_reserve_back(0, 1);
    });
    EXPECT_EQ(findings, "pages_not_reserved pages_not_reserved ");
    EXPECT_EQ(rig.device.core({0, 0}).circular_buffers[0].pages_received, 8U);
}

// An id in place of the address that get_semaphore(id) returns.
TEST(OnChipSemaphores, OfTheFirmwareAreReadAndNamed) {
    KernelRig rig;
    const std::string findings = findings_of(rig, [] {
        auto* word = reinterpret_cast<volatile std::uint32_t*>(current_thread().core().l1(0));
        noc_semaphore_wait(word, 0);
    });
    EXPECT_EQ(findings, "semaphore_outside ");
}

// An address that was never set: the firmware's words at the start of an L1.
TEST(OnChipWrites, IntoL1OfTheFirmwareAreDoneAndNamed) {
    KernelRig rig;
    EXPECT_EQ(findings_of(rig,
                          [] {
                              noc_async_write(testing::kScratch, get_noc_addr(19, 18, 0), 64);
                              noc_async_write_barrier();
                          }),
              "firmware_written ");
    EXPECT_EQ(findings_of(rig,
                          [] {
                              noc_semaphore_inc(get_noc_addr(19, 18, 16), 1);
                              noc_async_atomic_barrier();
                          }),
              "firmware_written ");
    EXPECT_EQ(findings_of(rig,
                          [] {
                              noc_semaphore_inc(get_noc_addr(19, 18, get_semaphore(0)), 1);
                              noc_async_atomic_barrier();
                          }),
              "");
}

TEST(OnChipArguments, PastTheEndReadTheWordsBehindThem) {
    KernelRig rig;
    EXPECT_EQ(findings_of(rig, [] { (void)get_arg_val<std::uint32_t>(2); }), "argument_past_end ");
}

TEST(Clock, AdvancesFromReadToRead) {
    KernelRig rig;
    rig.place({0, 0}, Processor::Riscv0, [] {
        const std::uint64_t first = get_timestamp();
        ASSERT(get_timestamp() > first);
        const auto word = testing::own_word(RISCV_DEBUG_REG_WALL_CLOCK_L);
        ASSERT(*word > first);
    });
    EXPECT_EQ(rig.fault(), "no error");
}

TEST(Findings, OfOneLineAreOneWithTheCoresOfAll) {
    const Finding finding{.kind = "pack_not_reserved",
                          .text = "pack_tile into a page that was not reserved",
                          .file = "compute.cpp",
                          .line = 31,
                          .detail = "cb_reserve_back has reserved 0 pages",
                          .num_cores = 1,
                          .num_calls = 2};
    std::vector<Finding> all;
    for (int core = 0; core < 64; ++core) {
        merge_findings(all, {finding});
    }
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(text_of(all[0]),
              "tolerated: pack_tile into a page that was not reserved, compute.cpp:31, 64 cores: "
              "cb_reserve_back has reserved 0 pages");
    EXPECT_EQ(all[0].num_calls, 128U);
}

}  // namespace
}  // namespace tessera
