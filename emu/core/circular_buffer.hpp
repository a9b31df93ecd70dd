// SPDX-License-Identifier: Apache-2.0
// State of one circular buffer, which the kernel threads of a core share.
// circular_buffer_calls.hpp has the calls that change it.
#pragma once

#include <array>
#include <cstdint>

#include "tessera/call_site.hpp"
#include "tessera/data_format.hpp"
#include "tessera/tile.hpp"

namespace tessera {

class KernelThread;

/// Largest number of circular buffers of any architecture (Blackhole since tt-metal #35963).
inline constexpr std::uint32_t kMaxCircularBuffers = 64;

/// Format and shape of the tiles in a CB's pages.
struct CbTile {
    DataFormat format = DataFormat::Invalid;
    Tile tile;
};

/// Format and tile of each CB index, which are constants of a kernel on a chip. The format is
/// Invalid if no core of the kernel has the CB.
using CbTiles = std::array<CbTile, kMaxCircularBuffers>;

/// Configuration, page counters and waiting threads of a CB. Each thread has its own read and write
/// pointers (LocalCBInterface). All threads of a core run on one worker, so no member is atomic.
struct CircularBuffer {
    std::uint32_t address = 0;    ///< L1 address of the first page
    std::uint32_t size = 0;       ///< bytes; 0: not configured
    std::uint32_t page_size = 0;  ///< bytes
    std::uint32_t num_pages = 0;
    DataFormat format = DataFormat::Invalid;
    Tile tile;
    bool is_over_buffer = false;       ///< whether its pages are those of a tensor in L1
    std::uint32_t pages_received = 0;  ///< pages pushed since the launch
    std::uint32_t pages_acked = 0;     ///< pages popped since the launch
    std::uint8_t producers = 0;        ///< bit p: Processor p has reserved or pushed
    std::uint8_t consumers = 0;        ///< bit p: Processor p has waited or popped
    std::uint8_t data_waiters = 0;     ///< bit p: Processor p waits in cb_wait_front
    std::uint8_t space_waiters = 0;    ///< bit p: Processor p waits in cb_reserve_back

    /// Returns the pages that were pushed and not popped.
    [[nodiscard]] std::uint32_t num_full() const noexcept { return pages_received - pages_acked; }
    /// Returns the pages that are not full. The number wraps after a tolerated push of more pages
    /// than were free: a later cb_reserve_back then does not wait. The chip's difference of 16 bits
    /// wraps in the same way.
    /// Source   tt-metal dataflow_api.h, cb_reserve_back.
    [[nodiscard]] std::uint32_t num_free() const noexcept { return num_pages - num_full(); }
};

/// Returns circular buffer `index` of the thread's core. `call` names the API function in messages.
/// Errors   KernelFault{OutOfBounds} if the architecture has no CB of that index,
///          {UndefinedBehavior} if the program does not configure it on the core.
[[nodiscard]] CircularBuffer& configured_buffer(KernelThread& thread, std::uint32_t index,
                                                const char* call, CallSite site);

}  // namespace tessera
