// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/place_remote_buffers.hpp"

#include <array>
#include <cstring>

#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

RemoteBufferEnd end_of(const RemoteBufferWords& words, std::uint32_t config, std::uint32_t page,
                       Core& core) {
    const std::uint32_t limit = words.fifo_start + words.fifo_size - words.fifo_size % page;
    RemoteBufferEnd end;
    if (words.is_sender != 0) {
        end.sender = {config,
                      words.fifo_start,
                      limit,
                      page,
                      words.fifo_pointer,
                      words.coordinates,
                      words.pages_sent,
                      remote_cb_pack(words.num_receivers, words.remote_pages)};
        return end;
    }
    std::array<std::uint32_t, 2> sender{};
    std::memcpy(sender.data(), core.l1(words.coordinates), sizeof(sender));
    end.receiver = {config,
                    words.fifo_start,
                    limit,
                    page,
                    words.fifo_pointer,
                    static_cast<std::uint16_t>(sender[0]),
                    static_cast<std::uint16_t>(sender[1]),
                    words.pages_sent + REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE,
                    words.remote_pages};
    return end;
}

void place(const RemoteBufferDescription& buffer, Core& core) {
    RemoteBufferWords words{};
    std::memcpy(&words, core.l1(buffer.config_address), sizeof(words));
    const std::uint32_t offset = words.fifo_pointer - words.fifo_start;
    // A card's firmware moves the pointer up and counts the bytes between as sent.
    require(offset % buffer.page_size == 0 && offset + buffer.page_size <= words.fifo_size,
            "core {}: remote circular buffer {}: the last launch ended {} B behind its start, "
            "which is not at a page of {} B; keep the page size between launches",
            to_string(core.logical()), buffer.index, offset, buffer.page_size);
    for (const auto& thread : core.threads) {
        if (thread) {
            thread->remote_buffers.push_back(
                {buffer.index, end_of(words, buffer.config_address, buffer.page_size, core)});
        }
    }
}

}  // namespace

void place_remote_buffers(const Program& program, Device& device) {
    for (const RemoteBufferDescription& buffer : program.remote_buffers) {
        for (const CoreCoord core : buffer.cores.cores()) {
            place(buffer, device.core(core));
        }
    }
}

}  // namespace tessera
