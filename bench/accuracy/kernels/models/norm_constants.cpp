// SPDX-License-Identifier: Apache-2.0
// Makes the constant tiles of a norm and reads this core's part of gamma. Writes the result to
// another core if the output has other shards.
//
// Compile-time args: address and bytes of zeros; whether epsilon is used; gamma: none, in tiles, or
// in rows of a tile's width. Runtime args: role; tiles of the shard, first tile of gamma, address
// of gamma; NoC coordinates of the core that receives the result, or 0 and 0.

#include "norm_cbs.hpp"

namespace {

constexpr uint32_t kFace = 512;    // bytes
constexpr uint32_t kFaceRow = 32;  // bytes
enum class Gamma : uint32_t { None, Tiles, Rows };

// Writes zeros, then 16 words of `value`: a row of each face, or an element of each row.
void make_tile(uint32_t cb, uint32_t value) {
    const uint32_t zeros = get_compile_time_arg_val(0);
    const uint32_t bytes = get_compile_time_arg_val(1);
    const uint32_t tile_bytes = get_tile_size(cb);
    cb_reserve_back(cb, 1);
    const uint32_t tile = get_write_ptr(cb);
    noc_async_read_one_packet_set_state(get_noc_addr(zeros), bytes);
    for (uint32_t offset = 0; offset < tile_bytes; offset += bytes) {
        noc_async_read_one_packet_with_state(zeros, tile + offset);
    }
    noc_async_read_barrier();
    for (uint32_t face = 0; face < tile_bytes; face += kFace) {
        auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(tile + face);
        for (uint32_t i = 0; i < kFaceRow / sizeof(uint32_t); ++i) {
            words[i] = value;
        }
    }
    cb_push_back(cb, 1);
}

template <class Accessor>
void read_gamma_tiles(const Accessor& gamma, uint32_t first, uint32_t tiles) {
    uint32_t to = get_write_ptr(cb_gamma);
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        noc_async_read_page(tile, gamma, to);
        to += get_tile_size(cb_gamma);
    }
    noc_async_read_barrier();
}

// Reads a row of 32 elements into the first face, and copies its second half to the next face.
template <class Accessor>
void read_gamma_rows(const Accessor& gamma, uint32_t first, uint32_t tiles) {
    uint32_t to = get_write_ptr(cb_gamma);
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        noc_async_read_page(tile, gamma, to);
        noc_async_read_barrier();
        noc_async_read(get_noc_addr(to + kFaceRow), to + kFace, kFaceRow);
        to += get_tile_size(cb_gamma);
    }
    noc_async_read_barrier();
}

// Writes tile by tile, in the order in which the compute kernel pushes them.
void write_shard(uint32_t tiles, uint32_t x, uint32_t y) {
    const uint32_t bytes = get_tile_size(cb_out);
    uint32_t from = get_read_ptr(cb_out);
    uint32_t to = get_write_ptr(cb_resharded);
    for (uint32_t tile = 1; tile <= tiles; ++tile) {
        cb_wait_front(cb_out, tile);
        noc_async_write(from, get_noc_addr(x, y, to), bytes);
        from += bytes;
        to += bytes;
    }
    noc_async_write_barrier();
}

}  // namespace

void kernel_main() {
    constexpr uint32_t kOnes = 0x3F803F80;  // two of bfloat16
    const auto role = static_cast<Role>(get_arg_val<uint32_t>(0));
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);
    const auto gamma_kind = static_cast<Gamma>(get_compile_time_arg_val(3));

    make_tile(cb_scaler, kOnes);
    if (get_compile_time_arg_val(2) != 0) {
        make_tile(cb_epsilon, kOnes);
    }
    if (role != Role::Other) {
        make_tile(cb_global_scaler, kOnes);
    }
    if (gamma_kind != Gamma::None) {
        constexpr auto gamma_args = TensorAccessorArgs<4>();
        const auto gamma = TensorAccessor(gamma_args, get_arg_val<uint32_t>(3));
        cb_reserve_back(cb_gamma, tiles);
        if (gamma_kind == Gamma::Tiles) {
            read_gamma_tiles(gamma, first, tiles);
        } else {
            read_gamma_rows(gamma, first, tiles);
        }
        cb_push_back(cb_gamma, tiles);
    }
    if (get_arg_val<uint32_t>(4) != 0) {
        write_shard(tiles, get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5));
    }
}
