// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/dataflow/circular_buffer.hpp"

#include <algorithm>

#include "emu/core/circular_buffer_calls.hpp"
#include "emu/core/trace_recorder.hpp"

using tessera::CallSite;
using tessera::configured_buffer;
using tessera::current_thread;
using tessera::EventKind;
using tessera::KernelThread;

namespace {

// The number of failed polls depends on the host, so a trace records the loop as one wait.
void record(KernelThread& thread, EventKind kind, std::uint32_t cb_id, std::uint32_t pages,
            CallSite site) {
    record_run(thread, kind, static_cast<std::uint8_t>(cb_id), pages, site);
}

// A CB of other cores is no mistake: its tile is a constant of the kernel, which need not use it.
tessera::CbTile cb_tile(std::uint32_t cb_id, const char* call, CallSite site) {
    KernelThread& thread = current_thread();
    if (cb_id >= tessera::kMaxCircularBuffers) [[unlikely]] {
        (void)configured_buffer(thread, cb_id, call, site);  // has the error
    }
    return thread.cb_tiles[cb_id];
}

}  // namespace

volatile std::uint32_t* get_cb_tiles_received_ptr(std::int32_t cb_id, CallSite site) {
    return &configured_buffer(current_thread(), static_cast<std::uint32_t>(cb_id),
                              "get_cb_tiles_received_ptr", site)
                .pages_received;
}

volatile std::uint32_t* get_cb_tiles_acked_ptr(std::int32_t cb_id, CallSite site) {
    return &configured_buffer(current_thread(), static_cast<std::uint32_t>(cb_id),
                              "get_cb_tiles_acked_ptr", site)
                .pages_acked;
}

void cb_reserve_back(std::uint32_t cb_id, std::uint32_t num_pages, CallSite site) {
    tessera::reserve_back(current_thread(), cb_id, num_pages, site);
}

void cb_push_back(std::uint32_t cb_id, std::uint32_t num_pages, CallSite site) {
    tessera::push_back(current_thread(), cb_id, num_pages, site);
}

void cb_wait_front(std::uint32_t cb_id, std::uint32_t num_pages, CallSite site) {
    tessera::wait_front(current_thread(), cb_id, num_pages, site);
}

void cb_pop_front(std::uint32_t cb_id, std::uint32_t num_pages, CallSite site) {
    tessera::pop_front(current_thread(), cb_id, num_pages, site);
}

bool cb_pages_reservable_at_back(std::uint32_t cb_id, std::uint32_t num_pages, CallSite site) {
    KernelThread& thread = current_thread();
    const auto& buffer = configured_buffer(thread, cb_id, "cb_pages_reservable_at_back", site);
    const bool was_free = buffer.num_free() >= num_pages;
    thread.yield();
    const bool is_free = buffer.num_free() >= num_pages;
    thread.has_polled_with_success |= is_free && !was_free;
    std::uint32_t& reserved = thread.cb[cb_id].pages_reserved;
    if (is_free) {
        record(thread, EventKind::CbReserve, cb_id, num_pages, site);
        reserved = std::max(reserved, num_pages);
    }
    return is_free;
}

bool cb_pages_available_at_front(std::uint32_t cb_id, std::uint32_t num_pages, CallSite site) {
    KernelThread& thread = current_thread();
    const auto& buffer = configured_buffer(thread, cb_id, "cb_pages_available_at_front", site);
    const bool was_there = buffer.num_full() >= num_pages;
    thread.yield();
    const bool is_there = buffer.num_full() >= num_pages;
    thread.has_polled_with_success |= is_there && !was_there;
    std::uint32_t& granted = thread.cb[cb_id].pages_granted;
    if (is_there) {
        record(thread, EventKind::CbWait, cb_id, num_pages, site);
        granted = std::max(granted, num_pages);
    }
    return is_there;
}

std::uint32_t get_write_ptr(std::uint32_t cb_id, CallSite site) {
    KernelThread& thread = current_thread();
    (void)configured_buffer(thread, cb_id, "get_write_ptr", site);
    return thread.cb[cb_id].fifo_wr_ptr;
}

std::uint32_t get_read_ptr(std::uint32_t cb_id, CallSite site) {
    KernelThread& thread = current_thread();
    (void)configured_buffer(thread, cb_id, "get_read_ptr", site);
    return thread.cb[cb_id].fifo_rd_ptr;
}

LocalCBInterface& get_local_cb_interface(std::uint32_t cb_id) {
    return current_thread().cb.at(cb_id);
}

namespace tessera::kernel {

DataFormat cb_data_format(std::uint32_t cb_id, CallSite site) {
    return cb_tile(cb_id, "get_dataformat", site).format;
}

std::uint32_t cb_tile_bytes(std::uint32_t cb_id, CallSite site) {
    const auto [format, tile] = cb_tile(cb_id, "get_tile_size", site);
    return tile.get_tile_size(format);
}

std::uint32_t cb_tile_elements(std::uint32_t cb_id, CallSite site) {
    return cb_tile(cb_id, "get_tile_hw", site).tile.get_tile_hw();
}

std::uint32_t cb_tile_faces(std::uint32_t cb_id, CallSite site) {
    return cb_tile(cb_id, "get_tile_num_faces", site).tile.get_num_faces();
}

}  // namespace tessera::kernel
