// SPDX-License-Identifier: Apache-2.0
// Stores the rows of a group of CTAs that hold tokens, 128 columns at a time, and makes and stores their
// scales where the output is fp8. Reads the weights of some banks for the reader, over the other NoC.
#include "block_reads.hpp"
#include "strips.hpp"

void kernel_main() {
    using namespace tessera::ops;
    using namespace tessera::ops::fp8_grouped_matmul;
    const auto index = fp8::CoreIndex::read();
    const auto args = WriterArgs::read();
    const TensorAccessor batch(WriterTensors::batch(),
                               WriterTensors::batch_address(fp8::CoreIndex::kCount));
    const TensorAccessor limit(WriterTensors::limit(),
                               WriterTensors::limit_address(fp8::CoreIndex::kCount));
    const TensorAccessor num_ctas(WriterTensors::num_ctas(),
                                  WriterTensors::num_ctas_address(fp8::CoreIndex::kCount));
    const TensorAccessor out(WriterTensors::output(),
                             WriterTensors::output_address(fp8::CoreIndex::kCount));
    const TensorAccessor scales(WriterTensors::scales(),
                                WriterTensors::scales_address(fp8::CoreIndex::kCount));
    const TensorAccessor weights(WriterTensors::weights(),
                                 WriterTensors::weights_address(fp8::CoreIndex::kCount));

    const uint32_t batch_l1 = get_write_ptr(index_of(Cb::WriterTable));
    const uint32_t limit_l1 = batch_l1 + args.table_stride;
    const uint32_t live = units::read_table(num_ctas, batch_l1, sizeof(uint32_t));
    units::read_table(batch, batch_l1, args.table_bytes);
    units::read_table(limit, limit_l1, args.table_bytes);
    // Experts are not needed any more.
    const units::Groups groups = units::make_groups(batch_l1, limit_l1, live, args.group, batch_l1);
    // The same share as the reader's, from the same counts.
    const units::Share share =
        units::share_of(groups.count * args.n_blocks, index.core, index.num_cores);
    const asked_reads::Banks banks{
        WriterBanks::read(fp8::CoreIndex::kCount + WriterTensors::Addresses::kCount).mask,
        args.banks, args.bank_step};
    const uint32_t pushes = banks.mask == 0 ? 0 : (args.k_blocks + args.k_push - 1) / args.k_push;
    const uint32_t k_tiles = args.k_blocks * block_reads::kBlockTiles;
    const auto serve = [&] {
        asked_reads::serve(index_of(Cb::Asked), [&](const asked_reads::Push& push) {
            block_reads::read_push(weights, banks, k_tiles, push);
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
        // The first weights of the next unit arrive while this one is stored. The reader asks for
        // them before compute has finished the unit, if they are for the same rows.
        if (pushes != 0 && unit + 1 < end && (unit + 1) / args.n_blocks == group) {
            serve();
            served = 1;
        }
        strips::store_unit(out, scales, unit % args.n_blocks, groups.first_cta(group) * args.tile,
                           groups.end_row(group), args);
    }
    noc_async_write_barrier();
}
