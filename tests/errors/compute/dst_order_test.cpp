// SPDX-License-Identifier: Apache-2.0
// One mistake in the handover of DST per test, with the whole message.
#include <gtest/gtest.h>

#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;
using testing::fault_of;

struct Case {
    const char* name;
    void (*kernel)();
    const char* message;
};

void acquire_twice() {
    tile_regs_acquire();
    tile_regs_acquire();
}
void acquire_a_third_section() {
    for (int i = 0; i < 3; ++i) {
        tile_regs_acquire();
        tile_regs_commit();
    }
}
void commit_what_is_free() {
    tile_regs_commit();
}
void release_without_wait() {
    tile_regs_acquire();
    tile_regs_commit();
    tile_regs_release();
}
void release_what_is_free() {
    tile_regs_wait();
    tile_regs_release();
}
void release_before_commit() {
    tile_regs_acquire();
    tile_regs_wait();
    tile_regs_release();
}
void math_without_acquire() {
    fill_tile(0, 1.0F);
}
void math_after_commit() {
    tile_regs_acquire();
    tile_regs_commit();
    tile_regs_wait();
    fill_tile(0, 1.0F);
}
void math_on_a_packed_tile() {
    cb_reserve_back(16, 2);
    acquire_dst();
    fill_tile(0, 1.0F);
    pack_tile(0, 16);
    fill_tile(0, 2.0F);
}
void pack_without_wait() {
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    tile_regs_commit();
    pack_tile(0, 16);
}
void pack_after_release() {
    cb_reserve_back(16, 1);
    acquire_dst();
    release_dst();
    pack_tile(0, 16);
}
void pack_beyond_capacity() {
    cb_reserve_back(16, 1);
    acquire_dst();
    pack_tile(4, 16);
}
void tilize_inside_a_section() {
    tilize_init(0, 1, 16);
    tile_regs_acquire();
    tilize_block(0, 1, 16);
}
void matmul_block_wider_than_dst() {
    mm_block_init(0, 0, 16);
    tile_regs_acquire();
    matmul_block(0, 0, 0, 0, 0, 0, 5, 1, 1);
}
void math_on_floats_as_integers() {
    tile_regs_acquire();
    fill_tile(1, 2.0F);
    bitwise_not_tile(1);
}
void transpose_dest_without_init() {
    tile_regs_acquire();
    transpose_wh_dest(0);
}

class DstOrder : public ::testing::TestWithParam<Case> {};

TEST_P(DstOrder, IsRefused) {
    ComputeCore core;
    core.supply(0, {tile::random_bf16_tile(1)});
    core.add_buffer(16);

    EXPECT_EQ(fault_of(GetParam().kernel), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, DstOrder,
    ::testing::Values(
        Case{"AcquireTwice", acquire_twice,
             "UndefinedBehavior: tile_regs_acquire: DST is acquired already, tile_regs_commit is "
             "missing"},
        Case{"ThirdSection", acquire_a_third_section,
             "UndefinedBehavior: tile_regs_acquire: both halves of DST committed and not released: "
             "tile_regs_release is missing before it (a later one cannot be waited for: unpack, "
             "math and pack run in program order)"},
        Case{"CommitFree", commit_what_is_free,
             "UndefinedBehavior: tile_regs_commit: DST is free, tile_regs_acquire is missing"},
        Case{"ReleaseWithoutWait", release_without_wait,
             "UndefinedBehavior: tile_regs_release: DST is committed, tile_regs_wait is missing"},
        Case{"ReleaseFree", release_what_is_free,
             "UndefinedBehavior: tile_regs_release: DST is free, tile_regs_acquire is missing"},
        Case{"ReleaseBeforeCommit", release_before_commit,
             "UndefinedBehavior: tile_regs_release: DST is acquired, not committed: "
             "tile_regs_commit is missing before it (a later one cannot be waited for: unpack, "
             "math and pack run in program order)"},
        Case{"MathWithoutAcquire", math_without_acquire,
             "UndefinedBehavior: fill_tile writes DST, which math may do between "
             "tile_regs_acquire and tile_regs_commit only (DST is free)"},
        Case{"MathAfterCommit", math_after_commit,
             "UndefinedBehavior: fill_tile writes DST, which math may do between "
             "tile_regs_acquire and tile_regs_commit only (DST is free)"},
        Case{"MathOnPacked", math_on_a_packed_tile,
             "UndefinedBehavior: fill_tile changes DST tile 0 after it was packed: on the chip "
             "packing begins after tile_regs_commit and would take the later value"},
        Case{"PackWithoutWait", pack_without_wait,
             "UndefinedBehavior: pack_tile reads DST, which the packer may do between "
             "tile_regs_wait and tile_regs_release only (DST is committed, not waited for)"},
        Case{"PackAfterRelease", pack_after_release,
             "UndefinedBehavior: pack_tile reads DST, which the packer may do between "
             "tile_regs_wait and tile_regs_release only (DST is free, not waited for)"},
        Case{"PackBeyondCapacity", pack_beyond_capacity, "OutOfBounds: pack_tile: DST tile 4 of 4"},
        Case{"TilizeInside", tilize_inside_a_section,
             "UndefinedBehavior: tilize_block acquires and releases DST itself, but DST is "
             "acquired; allowed: calls outside of tile_regs_acquire and tile_regs_release"},
        Case{"BlockTooWide", matmul_block_wider_than_dst,
             "OutOfBounds: matmul_block of 5 columns and 1 rows of tiles: 1 to 4 fit in DST"},
        Case{"FloatsAsIntegers", math_on_floats_as_integers,
             "UndefinedBehavior: bitwise_not_tile: DST tile 1 holds floats, not integers; "
             "typecast_tile converts"},
        Case{"TransposeDestWithoutInit", transpose_dest_without_init,
             "UndefinedBehavior: transpose_wh_dest: transpose_wh_dest_init_short has not run in "
             "this launch"}),
    [](const auto& suite) { return suite.param.name; });

TEST(FullSync, HasOneSection) {
    ComputeCore core({.dst_full_sync_en = true});
    tile_regs_acquire();
    tile_regs_commit();

    EXPECT_EQ(fault_of([] { tile_regs_acquire(); }),
              "UndefinedBehavior: tile_regs_acquire: all (full sync) of DST committed and not "
              "released: tile_regs_release is missing before it (a later one cannot be waited "
              "for: unpack, math and pack run in program order)");
}

TEST(DataMovementThread, HasNoDst) {
    Device device(testing::make_arch(1, 1), 0);
    KernelThread thread(device.core({0, 0}), Processor::Riscv1);
    set_current_thread(&thread);

    EXPECT_EQ(fault_of([] { tile_regs_acquire(); }),
              "UndefinedBehavior: tile_regs_acquire is a call of compute kernels; this is a reader "
              "kernel");
    set_current_thread(nullptr);
}

}  // namespace
}  // namespace tessera
