// SPDX-License-Identifier: Apache-2.0
// One core with a compute kernel thread and no scheduler. A test calls the kernel API on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "emu/core/compute_state.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "emu/tile/pack.hpp"
#include "emu/tile/unpack.hpp"
#include "tessera/errors.hpp"
#include "tessera/kernel/compute/compute.hpp"
#include "tessera/kernel/dataflow/circular_buffer.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::testing {

inline const ComputeConfig kFp32Dst{.fp32_dest_acc_en = true};
inline constexpr std::uint32_t kDefaultPages = 8;

class ComputeCore {
public:
    explicit ComputeCore(const ComputeConfig& config = kFp32Dst)
        : device_(make_arch(1, 1), 0), thread_(device_.core({0, 0}), Processor::Compute) {
        thread_.compute = std::make_unique<ComputeState>(config, device_.arch().dst);
        set_current_thread(&thread_);
    }
    ~ComputeCore() { set_current_thread(nullptr); }
    ComputeCore(const ComputeCore&) = delete;
    ComputeCore& operator=(const ComputeCore&) = delete;

    /// Configures a circular buffer at 110592 + 32 KiB · index. A page is one tile by default.
    void add_buffer(std::uint32_t index, DataFormat format = DataFormat::Float16_b,
                    std::uint32_t pages = kDefaultPages, std::uint32_t page_size = 0,
                    Tile tile = {}) {
        page_size = page_size == 0 ? tile.get_tile_size(format) : page_size;
        const std::uint32_t address = 110592 + 32768 * index;
        core().circular_buffers[index] = {.address = address,
                                          .size = pages * page_size,
                                          .page_size = page_size,
                                          .num_pages = pages,
                                          .format = format,
                                          .tile = tile};
        thread_.cb_tiles[index] = {format, tile};
        thread_.cb[index] = {.fifo_size = pages * page_size,
                             .fifo_limit = address + pages * page_size,
                             .fifo_page_size = page_size,
                             .fifo_num_pages = pages,
                             .fifo_rd_ptr = address,
                             .fifo_wr_ptr = address};
    }

    /// Adds a buffer of a format, pushes tiles as a reader kernel does, and waits for them.
    void supply(std::uint32_t index, const std::vector<tile::TileValues>& tiles,
                DataFormat format = DataFormat::Float16_b) {
        const auto pages = static_cast<std::uint32_t>(tiles.size());
        add_buffer(index, format, pages);
        for (std::uint32_t i = 0; i < pages; ++i) {
            tile::pack_tile(format, tiles[i].data(), page(index, i));
        }
        core().circular_buffers[index].pages_received = pages;
        cb_wait_front(index, pages);
    }

    [[nodiscard]] Core& core() const { return device_.core({0, 0}); }
    [[nodiscard]] KernelThread& thread() { return thread_; }
    [[nodiscard]] std::byte* page(std::uint32_t index, std::uint32_t number) const {
        const CircularBuffer& buffer = core().circular_buffers[index];
        return core().l1(buffer.address + number * buffer.page_size);
    }
    /// Returns the values of the tile that begins at a page.
    [[nodiscard]] tile::TileValues tile_at(std::uint32_t index, std::uint32_t number = 0) const {
        tile::TileValues values;
        tile::unpack_tile(core().circular_buffers[index].format, page(index, number),
                          values.data());
        return values;
    }

    /// Runs `math` on DST, then packs DST tile 0 to `out` in order and pushes it.
    template <class Math>
    tile::TileValues run_to(std::uint32_t out, Math math) {
        tile_regs_acquire();
        math();
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(out, 1);
        const auto* packed = core().l1(thread_.cb[out].fifo_wr_ptr);
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
        tile::TileValues values;
        tile::unpack_tile(core().circular_buffers[out].format, packed, values.data());
        return values;
    }

private:
    Device device_;
    KernelThread thread_;
};

/// Returns "Category: detail" of the fault that a call raises.
template <class Call>
std::string fault_of(Call call) {
    try {
        call();
    } catch (const KernelFault& fault) {
        return std::string(name_of(fault.category)) + ": " + fault.detail;
    }
    return "no fault";
}

}  // namespace tessera::testing
