// SPDX-License-Identifier: Apache-2.0
// Circular buffers: queues of pages between a core's kernel threads.
#pragma once

#include "tessera/kernel/circular_buffer_interface.hpp"
#include "tessera/kernel/types.hpp"

/// Blocks until at least `num_pages` pages of CB `cb_id` are free in total (cumulative).
void cb_reserve_back(std::uint32_t cb_id, std::uint32_t num_pages,
                     tessera::CallSite site = tessera::CallSite::here());
/// Hands `num_pages` pages to the consumer and advances this thread's write pointer.
void cb_push_back(std::uint32_t cb_id, std::uint32_t num_pages,
                  tessera::CallSite site = tessera::CallSite::here());
/// Blocks until at least `num_pages` pages are unread in total (cumulative).
void cb_wait_front(std::uint32_t cb_id, std::uint32_t num_pages,
                   tessera::CallSite site = tessera::CallSite::here());
/// Frees `num_pages` pages and advances this thread's read pointer.
void cb_pop_front(std::uint32_t cb_id, std::uint32_t num_pages,
                  tessera::CallSite site = tessera::CallSite::here());

/// Return whether `num_pages` pages can be reserved (read) now without blocking. Let other threads
/// run.
bool cb_pages_reservable_at_back(std::uint32_t cb_id, std::uint32_t num_pages,
                                 tessera::CallSite site = tessera::CallSite::here());
bool cb_pages_available_at_front(std::uint32_t cb_id, std::uint32_t num_pages,
                                 tessera::CallSite site = tessera::CallSite::here());

/// Return the L1 addresses, in bytes, of this thread's own pointers.
std::uint32_t get_write_ptr(std::uint32_t cb_id,
                            tessera::CallSite site = tessera::CallSite::here());
std::uint32_t get_read_ptr(std::uint32_t cb_id, tessera::CallSite site = tessera::CallSite::here());

LocalCBInterface& get_local_cb_interface(std::uint32_t cb_id);
/// Return counters of the pages that were pushed and popped since the launch.
volatile tt_reg_ptr std::uint32_t* get_cb_tiles_received_ptr(
    std::int32_t cb_id, tessera::CallSite site = tessera::CallSite::here());
volatile tt_reg_ptr std::uint32_t* get_cb_tiles_acked_ptr(
    std::int32_t cb_id, tessera::CallSite site = tessera::CallSite::here());

namespace tessera::kernel {
DataFormat cb_data_format(std::uint32_t cb_id, CallSite site);
std::uint32_t cb_tile_bytes(std::uint32_t cb_id, CallSite site);
std::uint32_t cb_tile_elements(std::uint32_t cb_id, CallSite site);
std::uint32_t cb_tile_faces(std::uint32_t cb_id, CallSite site);
}  // namespace tessera::kernel

// Formats and tiles of the CBs that any core of the kernel has. For another CB they are Invalid and
// 0 bytes, as on a chip. A kernel asks the machine for them: on a chip they are constants, so the
// look-up must not count as instructions of the kernel. A kernel that needs constants is compiled
// with TESSERA_CB_FORMATS, the formats of all indices as numbers of DataFormat, and
// TESSERA_CB_TILES, their tiles as codes of Tile.
#ifdef TESSERA_CB_FORMATS
inline constexpr std::uint8_t unpack_src_format[] = {TESSERA_CB_FORMATS};
namespace tessera::kernel {
inline constexpr std::uint8_t kCbTiles[] = {TESSERA_CB_TILES};
constexpr Tile cb_tile(std::int32_t cb_id) {
    return Tile::of_code(kCbTiles[cb_id]);
}

/// Returns a property of the tiles of all CBs, in the form of the tables in a chip's build.
template <class Property>
constexpr std::array<std::uint32_t, sizeof(kCbTiles)> of_each_cb(Property property) {
    std::array<std::uint32_t, sizeof(kCbTiles)> table{};
    for (std::int32_t cb = 0; cb < static_cast<std::int32_t>(table.size()); ++cb) {
        table[static_cast<std::size_t>(cb)] = property(cb_tile(cb));
    }
    return table;
}
}  // namespace tessera::kernel
// The chip's build writes these tables, and kernels read them at compile time.
inline constexpr const auto& unpack_dst_format = unpack_src_format;
inline constexpr const auto& pack_src_format = unpack_src_format;
inline constexpr const auto& pack_dst_format = unpack_src_format;
inline constexpr auto unpack_tile_r_dim =
    tessera::kernel::of_each_cb([](const tessera::Tile& tile) { return tile.get_height(); });
inline constexpr auto unpack_tile_c_dim =
    tessera::kernel::of_each_cb([](const tessera::Tile& tile) { return tile.get_width(); });
inline constexpr auto unpack_tile_num_faces =
    tessera::kernel::of_each_cb([](const tessera::Tile& tile) { return tile.get_num_faces(); });
inline constexpr auto unpack_tile_face_r_dim = tessera::kernel::of_each_cb(
    [](const tessera::Tile& tile) { return std::min(tile.get_height(), tessera::kFaceRows); });
inline constexpr const auto& pack_tile_face_r_dim = unpack_tile_face_r_dim;
inline constexpr const auto& pack_tile_r_dim = unpack_tile_r_dim;
inline constexpr const auto& pack_tile_c_dim = unpack_tile_c_dim;
inline constexpr const auto& pack_tile_num_faces = unpack_tile_num_faces;
constexpr DataFormat get_dataformat(std::int32_t cb_id) {
    return static_cast<DataFormat>(unpack_src_format[cb_id]);
}
constexpr std::int32_t get_tile_size(std::int32_t cb_id) {
    return static_cast<std::int32_t>(
        tessera::kernel::cb_tile(cb_id).get_tile_size(get_dataformat(cb_id)));
}
constexpr std::uint32_t get_tile_hw(std::int32_t cb_id) {
    return tessera::kernel::cb_tile(cb_id).get_tile_hw();
}
constexpr std::uint32_t get_tile_num_faces(std::int32_t cb_id) {
    return tessera::kernel::cb_tile(cb_id).get_num_faces();
}
#else
inline DataFormat get_dataformat(std::int32_t cb_id,
                                 tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::cb_data_format(static_cast<std::uint32_t>(cb_id), site);
}
/// Returns the bytes of one tile in the CB's format (not its page size).
inline std::int32_t get_tile_size(std::int32_t cb_id,
                                  tessera::CallSite site = tessera::CallSite::here()) {
    return static_cast<std::int32_t>(
        tessera::kernel::cb_tile_bytes(static_cast<std::uint32_t>(cb_id), site));
}
/// Returns the number of elements of one tile.
inline std::uint32_t get_tile_hw(std::int32_t cb_id,
                                 tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::cb_tile_elements(static_cast<std::uint32_t>(cb_id), site);
}
inline std::uint32_t get_tile_num_faces(std::int32_t cb_id,
                                        tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::cb_tile_faces(static_cast<std::uint32_t>(cb_id), site);
}
#endif
