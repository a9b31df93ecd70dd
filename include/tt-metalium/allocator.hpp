// SPDX-License-Identifier: Apache-2.0
// Banks and alignments of a device's memories.
#pragma once

#include <cstdint>

#include "tt-metalium/base_types.hpp"
#include "tt-metalium/buffer_types.hpp"
#include "tt-metalium/core_coord.hpp"
#include "tt-metalium/hal_types.hpp"

namespace tt::tt_metal {

/// Describes the banks of one device. Allocates nothing; Buffer::create allocates memory.
class Allocator {
public:
    explicit Allocator(std::uint32_t device) : device_(device) {}

    [[nodiscard]] std::uint32_t get_num_banks(BufferType type) const;
    /// Returns the offset that is added to every address of a bank.
    [[nodiscard]] std::int32_t get_bank_offset(BufferType type, std::uint32_t bank) const;
    [[nodiscard]] std::uint32_t get_alignment(BufferType type) const;
    [[nodiscard]] DeviceAddr get_bank_size(BufferType type) const;
    /// Returns the first address that buffers and circular buffers may use.
    [[nodiscard]] DeviceAddr get_base_allocator_addr(HalMemType memory) const;
    [[nodiscard]] std::uint32_t get_dram_channel_from_bank_id(std::uint32_t bank) const;
    [[nodiscard]] CoreCoord get_logical_core_from_bank_id(std::uint32_t bank) const;

private:
    std::uint32_t device_;
};

}  // namespace tt::tt_metal
