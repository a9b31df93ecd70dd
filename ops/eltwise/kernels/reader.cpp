// SPDX-License-Identifier: Apache-2.0
// Reads this core's range of tiles from one input or two, a push and a barrier at a time.

namespace {

constexpr uint32_t cb_a = tt::CBIndex::c_0;
constexpr uint32_t cb_b = tt::CBIndex::c_1;

template <class Accessor>
void read_tiles(const Accessor& input, uint32_t cb, uint32_t first, uint32_t count) {
    const uint32_t tile_size = get_tile_size(cb);
    uint32_t l1_addr = get_write_ptr(cb);
    for (uint32_t tile = first; tile < first + count; ++tile) {
        noc_async_read_page(tile, input, l1_addr);
        l1_addr += tile_size;
    }
}

}  // namespace

void kernel_main() {
    const uint32_t a_addr = get_arg_val<uint32_t>(0);
    const uint32_t b_addr = get_arg_val<uint32_t>(1);
    const uint32_t first_tile = get_arg_val<uint32_t>(2);
    const uint32_t num_tiles = get_arg_val<uint32_t>(3);
    const uint32_t num_inputs = get_compile_time_arg_val(0);
    const uint32_t tiles_per_push = get_compile_time_arg_val(1);
    constexpr auto a_args = TensorAccessorArgs<2>();
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(a_args, a_addr, get_tile_size(cb_a));
    const auto b = TensorAccessor(b_args, b_addr, get_tile_size(cb_a));

    const uint32_t end = first_tile + num_tiles;
    for (uint32_t tile = first_tile; tile < end;) {
        const uint32_t count = end - tile < tiles_per_push ? 1 : tiles_per_push;
        cb_reserve_back(cb_a, count);
        if (num_inputs == 2) {
            cb_reserve_back(cb_b, count);
        }
        read_tiles(a, cb_a, tile, count);
        if (num_inputs == 2) {
            read_tiles(b, cb_b, tile, count);
        }
        noc_async_read_barrier();
        cb_push_back(cb_a, count);
        if (num_inputs == 2) {
            cb_push_back(cb_b, count);
        }
        tile += count;
    }
}
