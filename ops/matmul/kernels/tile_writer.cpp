// SPDX-License-Identifier: Apache-2.0
// Writes this core's output tiles, which follow one another.

void kernel_main() {
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const uint32_t out_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_tile = get_arg_val<uint32_t>(1);
    const uint32_t num_tiles = get_arg_val<uint32_t>(2);
    constexpr auto out_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(out_args, out_addr, get_tile_size(cb_out));

    for (uint32_t tile = first_tile; tile < first_tile + num_tiles; ++tile) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page(tile, out, get_read_ptr(cb_out));
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
