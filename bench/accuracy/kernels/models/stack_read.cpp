// SPDX-License-Identifier: Apache-2.0
// Reads stacks of tiles for summation: `height` tiles, `distance` pages apart, with one barrier per
// stack. First copies a tile of zeros from the core's zero area. Runtime args: address of the
// buffer, first tile of the first stack, number of stacks.

void kernel_main() {
    const uint32_t height = get_compile_time_arg_val(0);
    const uint32_t distance = get_compile_time_arg_val(1);
    const uint32_t step = get_compile_time_arg_val(2);  // distance between stacks
    const uint32_t zero_area = get_compile_time_arg_val(3);
    const uint32_t zero_area_bytes = get_compile_time_arg_val(4);
    constexpr auto args = TensorAccessorArgs<5>();
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    constexpr uint32_t cb_zeros = tt::CBIndex::c_1;
    const auto pages = TensorAccessor(args, get_arg_val<uint32_t>(0));
    uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t num_stacks = get_arg_val<uint32_t>(2);

    cb_reserve_back(cb_zeros, 1);
    const uint32_t zeros = get_write_ptr(cb_zeros);
    noc_async_read_one_packet_set_state(get_noc_addr(zero_area), zero_area_bytes);
    for (uint32_t done = 0; done < get_tile_size(cb_zeros); done += zero_area_bytes) {
        noc_async_read_one_packet_with_state(zero_area, zeros + done);
    }
    noc_async_read_barrier();
    cb_push_back(cb_zeros, 1);

    for (uint32_t stack = 0; stack < num_stacks; ++stack) {
        cb_reserve_back(cb_tiles, height);
        uint32_t landing = get_write_ptr(cb_tiles);
        uint32_t page = first;
        for (uint32_t i = 0; i < height; ++i) {
            noc_async_read_page(page, pages, landing);
            landing += get_tile_size(cb_tiles);
            page += distance;
        }
        noc_async_read_barrier();
        cb_push_back(cb_tiles, height);
        first += step;
    }
}
