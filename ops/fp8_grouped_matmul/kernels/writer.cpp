// SPDX-License-Identifier: Apache-2.0
// Stores the rows of a group of CTAs that hold tokens, 128 columns at a time, and makes and stores
// their scales where the output is fp8. Reads the weights of some banks for the reader, over the
// other NoC.
#include "block_reads.hpp"
#include "strips.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::fp8_grouped_matmul;

constexpr uint32_t kFirst = fp8::CoreIndex::kCount;

// Reads the tables whole and lists the groups of CTAs.
units::Groups read_groups(const PageAccessor& num_ctas, const PageAccessor& batch,
                          const PageAccessor& limit, const WriterArgs& args) {
    const uint32_t batch_l1 = get_write_ptr(index_of(Cb::WriterTable));
    const uint32_t limit_l1 = batch_l1 + args.table_stride;
    const uint32_t live = units::read_table(num_ctas, batch_l1, sizeof(uint32_t));
    units::read_table(batch, batch_l1, args.table_bytes);
    units::read_table(limit, limit_l1, args.table_bytes);
    // Experts are not needed any more.
    return units::make_groups(batch_l1, limit_l1, live, args.group, batch_l1);
}

// Returns the weights with the banks that this kernel reads.
block_reads::Weights own_part(const PageAccessor& weights, const WriterArgs& args) {
    const uint32_t own = WriterBanks::read(kFirst + WriterTensors::Addresses::kCount).mask;
    return {weights,
            {own, args.banks, args.bank_step},
            args.k_blocks * block_reads::kBlockTiles,
            args.has_shards != 0};
}

// Returns the pushes of a unit's weights that this kernel reads a part of.
uint32_t pushes_of_unit(const asked_reads::Banks& banks, const WriterArgs& args) {
    return banks.mask == 0 ? 0 : (args.k_blocks + args.k_push - 1) / args.k_push;
}

// Whether the reader asks for the first weights of the next unit before compute has finished this
// one, which it does if they are for the same rows. They arrive while this unit is stored.
bool asks_ahead(uint32_t unit, uint32_t end, uint32_t n_blocks) {
    return unit + 1 < end && (unit + 1) / n_blocks == unit / n_blocks;
}

}  // namespace

void kernel_main() {
    const auto index = fp8::CoreIndex::read();
    const auto args = WriterArgs::read();
    const TensorAccessor batch(WriterTensors::batch(), WriterTensors::batch_address(kFirst));
    const TensorAccessor limit(WriterTensors::limit(), WriterTensors::limit_address(kFirst));
    const TensorAccessor num_ctas(WriterTensors::num_ctas(),
                                  WriterTensors::num_ctas_address(kFirst));
    const TensorAccessor out(WriterTensors::output(), WriterTensors::output_address(kFirst));
    const TensorAccessor scales(WriterTensors::scales(), WriterTensors::scales_address(kFirst));
    const TensorAccessor weights(WriterTensors::weights(), WriterTensors::weights_address(kFirst));

    const units::Groups groups = read_groups(num_ctas, batch, limit, args);
    // The same share as the reader's, from the same counts.
    const units::Share share =
        units::share_of(groups.count * args.n_blocks, index.core, index.num_cores);
    const block_reads::Weights read_weights = own_part(weights, args);
    const uint32_t pushes = pushes_of_unit(read_weights.banks, args);
    const auto serve = [&] {
        asked_reads::serve(index_of(Cb::Asked), [&](const asked_reads::Push& push) {
            block_reads::read_push(read_weights, push);
        });
    };
    uint32_t served = 0;  // of the unit's pushes
    const uint32_t end = share.first + share.count;
    for (uint32_t unit = share.first; unit < end; ++unit) {
        for (; served < pushes; ++served) {
            serve();
        }
        served = 0;
        const uint32_t group = unit / args.n_blocks;
        if (pushes != 0 && asks_ahead(unit, end, args.n_blocks)) {
            serve();
            served = 1;
        }
        strips::store_unit(out, scales, unit % args.n_blocks, groups.first_cta(group) * args.tile,
                           groups.end_row(group), args);
    }
    noc_async_write_barrier();
}
