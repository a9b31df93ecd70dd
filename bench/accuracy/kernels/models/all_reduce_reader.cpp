// SPDX-License-Identifier: Apache-2.0
// Reads shards of a tensor from the cores that hold them, one read per shard. Runtime args: address
// of the shards, tiles per shard, number of shards, x << 16 | y of each holder.

void kernel_main() {
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    const uint32_t num_shards = get_arg_val<uint32_t>(2);

    for (uint32_t shard = 0; shard < num_shards; ++shard) {
        const uint32_t core = get_arg_val<uint32_t>(3 + shard);
        cb_reserve_back(cb_tiles, tiles);
        noc_async_read(get_noc_addr(core >> 16, core & 0xFFFF, address), get_write_ptr(cb_tiles),
                       tiles * get_tile_size(cb_tiles));
        noc_async_read_barrier();
        cb_push_back(cb_tiles, tiles);
    }
}
