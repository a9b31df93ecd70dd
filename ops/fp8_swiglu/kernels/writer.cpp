// SPDX-License-Identifier: Apache-2.0
// Stores the rows that hold tokens, 128 columns at a time, and makes and stores their scales where
// the output is fp8.
#include "strips_of_ctas.hpp"

void kernel_main() {
    using namespace tessera::ops;
    using namespace tessera::ops::fp8_swiglu;
    constexpr uint32_t kFirst = fp8::CoreIndex::kCount;
    const auto index = fp8::CoreIndex::read();
    const auto strip_args = StripArgs::read();
    const auto args = WriterArgs::read();
    const TensorAccessor limit(WriterTensors::limit(), WriterTensors::limit_address(kFirst));
    const TensorAccessor num_ctas(WriterTensors::num_ctas(),
                                  WriterTensors::num_ctas_address(kFirst));
    const TensorAccessor out(WriterTensors::output(), WriterTensors::output_address(kFirst));
    const TensorAccessor scales(WriterTensors::scales(), WriterTensors::scales_address(kFirst));

    const CtaStrips ctas =
        read_strips(strip_args, num_ctas, limit, get_write_ptr(index_of(Cb::WriterTable)));
    // The same share as the reader's, from the same counts.
    const units::Share share = units::share_of(ctas.num_units(), index.core, index.num_cores);
    for (uint32_t unit = share.first; unit < share.first + share.count; ++unit) {
        const auto for_each_piece = [&](const auto& visit) {
            ctas.for_each_piece(unit / strip_args.n_blocks, visit);
        };
        strips::store_strip(out, scales, unit % strip_args.n_blocks, for_each_piece,
                            args.quantises != 0, args.element_bytes);
    }
    noc_async_write_barrier();
}
