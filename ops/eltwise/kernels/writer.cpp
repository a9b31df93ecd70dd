// SPDX-License-Identifier: Apache-2.0
// Writes this core's range of tiles, a push at a time.

void kernel_main() {
    const uint32_t output_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_tile = get_arg_val<uint32_t>(1);
    const uint32_t num_tiles = get_arg_val<uint32_t>(2);
    const uint32_t tiles_per_push = get_compile_time_arg_val(0);
    constexpr auto output_args = TensorAccessorArgs<1>();
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const uint32_t tile_size = get_tile_size(cb_out);
    const auto output = TensorAccessor(output_args, output_addr, tile_size);

    const uint32_t end = first_tile + num_tiles;
    for (uint32_t tile = first_tile; tile < end;) {
        const uint32_t count = end - tile < tiles_per_push ? 1 : tiles_per_push;
        cb_wait_front(cb_out, count);
        const uint32_t l1_addr = get_read_ptr(cb_out);
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_write_page(tile + i, output, l1_addr + i * tile_size);
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_out, count);
        tile += count;
    }
    noc_async_write_barrier();
}
