// SPDX-License-Identifier: Apache-2.0
// Reads the row of in0 and the column of in1 of each output tile of this core, a tile at a time.

namespace {

template <class Accessor>
void read_tile(const Accessor& tensor, uint32_t cb, uint32_t tile) {
    cb_reserve_back(cb, 1);
    noc_async_read_page(tile, tensor, get_write_ptr(cb));
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
    constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
    const uint32_t in0_addr = get_arg_val<uint32_t>(0);
    const uint32_t in1_addr = get_arg_val<uint32_t>(1);
    const uint32_t first_tile = get_arg_val<uint32_t>(2);
    const uint32_t num_tiles = get_arg_val<uint32_t>(3);
    const uint32_t k_tiles = get_compile_time_arg_val(0);
    const uint32_t n_tiles = get_compile_time_arg_val(1);
    constexpr auto in0_args = TensorAccessorArgs<2>();
    constexpr auto in1_args = TensorAccessorArgs<in0_args.next_compile_time_args_offset()>();
    const auto in0 = TensorAccessor(in0_args, in0_addr, get_tile_size(cb_in0));
    const auto in1 = TensorAccessor(in1_args, in1_addr, get_tile_size(cb_in1));

    for (uint32_t tile = first_tile; tile < first_tile + num_tiles; ++tile) {
        const uint32_t row = tile / n_tiles;
        const uint32_t column = tile % n_tiles;
        for (uint32_t k = 0; k < k_tiles; ++k) {
            read_tile(in0, cb_in0, row * k_tiles + k);
            read_tile(in1, cb_in1, k * n_tiles + column);
        }
    }
}
