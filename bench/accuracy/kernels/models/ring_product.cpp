// SPDX-License-Identifier: Apache-2.0
// Multiplies each shard of in0 that arrives around the ring by the matching rows of in1. This core
// holds its part of in1 completely. One row of output tiles is one subblock, so sums stay in DST
// from the first shard to the last.
#include "args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t cb_own = tt::CBIndex::c_0;
constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
constexpr uint32_t cb_arrived = tt::CBIndex::c_2;
constexpr uint32_t cb_out = tt::CBIndex::c_16;

struct Product {
    uint32_t ring_size;
    uint32_t position;
    uint32_t width;
    uint32_t k_tiles;
    uint32_t columns;

    uint32_t shard_at(uint32_t step) const { return (position + step) % ring_size; }
    uint32_t width_of(uint32_t shard) const {
        const uint32_t rest = k_tiles > shard * width ? k_tiles - shard * width : 0;
        return rest < width ? rest : width;
    }
};

void multiply_shard(uint32_t cb_in0, const Product& product, uint32_t shard) {
    cb_wait_front(cb_in0, product.width);
    for (uint32_t k = 0; k < product.width_of(shard); ++k) {
        matmul_block(cb_in0, cb_in1, k, (shard * product.width + k) * product.columns, 0, 0,
                     product.columns, 1, product.width);
    }
    cb_pop_front(cb_in0, product.width);
}

// Packs rows of elements, `kColumns` tiles wide.
template <uint32_t kColumns>
void pack_rows() {
    pack_untilize_dest_init<kColumns>(cb_out);
    pack_untilize_dest<kColumns>(cb_out);
    pack_untilize_uninit(cb_out);
}

void pack_output(uint32_t columns, bool untilizes) {
    tile_regs_commit();
    cb_reserve_back(cb_out, columns);
    tile_regs_wait();
    pack_reconfig_data_format(cb_out);
    if (!untilizes) {
        pack_tile_block(0, cb_out, columns);
    } else if (columns == 1) {
        pack_rows<1>();
    } else {
        pack_rows<2>();
    }
    tile_regs_release();
    cb_push_back(cb_out, columns);
}

}  // namespace

void kernel_main() {
    const auto args = RingProductArgs::read();
    const Product product{.ring_size = args.ring_size,
                          .position = RingPosition::read().position,
                          .width = args.width,
                          .k_tiles = args.k_tiles,
                          .columns = args.columns};
    mm_block_init(cb_own, cb_in1, cb_out, 0, product.columns, 1, product.width);
    cb_wait_front(cb_in1, product.ring_size * product.width * product.columns);
    cb_reserve_back(cb_own, product.width);
    cb_push_back(cb_own, product.width);
    tile_regs_acquire();
    for (uint32_t step = 0; step < product.ring_size; ++step) {
        multiply_shard(step == 0 ? cb_own : cb_arrived, product, product.shard_at(step));
    }
    pack_output(product.columns, args.untilizes != 0);
}
