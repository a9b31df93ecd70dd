// SPDX-License-Identifier: Apache-2.0
// 64-bit NoC addresses. Bits 0–35 are the local address, 36–41 x and 42–47 y. The address of a
// multicast rectangle has end x, end y, start x and start y from bit 36 on.
// Source   tt-metal tt_metal/hw/inc/internal/tt-1xx/wormhole/noc/noc_parameters.h.
#pragma once

#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/types.hpp"

inline constexpr std::uint32_t NOC_ADDR_LOCAL_BITS = 36;
inline constexpr std::uint32_t NOC_ADDR_COORD_SHIFT = 36;
inline constexpr std::uint32_t NOC_ADDR_NODE_ID_BITS = 6;

constexpr std::uint64_t NOC_XY_ADDR(std::uint32_t x, std::uint32_t y, std::uint64_t addr) {
    return (static_cast<std::uint64_t>(y) << (NOC_ADDR_LOCAL_BITS + NOC_ADDR_NODE_ID_BITS)) |
           (static_cast<std::uint64_t>(x) << NOC_ADDR_LOCAL_BITS) | addr;
}
constexpr std::uint64_t NOC_LOCAL_ADDR_OFFSET(std::uint64_t addr) {
    return addr & ((std::uint64_t{1} << NOC_ADDR_LOCAL_BITS) - 1);
}
constexpr std::uint32_t NOC_UNICAST_ADDR_X(std::uint64_t addr) {
    return static_cast<std::uint32_t>(addr >> NOC_ADDR_LOCAL_BITS) & 0x3F;
}
constexpr std::uint32_t NOC_UNICAST_ADDR_Y(std::uint64_t addr) {
    return static_cast<std::uint32_t>(addr >> (NOC_ADDR_LOCAL_BITS + NOC_ADDR_NODE_ID_BITS)) & 0x3F;
}

/// Returns coordinates in the form of an address's upper word.
constexpr std::uint32_t NOC_XY_ENCODING(std::uint32_t x, std::uint32_t y) {
    return y << NOC_ADDR_NODE_ID_BITS | x;
}
constexpr std::uint32_t NOC_MULTICAST_ENCODING(std::uint32_t x_start, std::uint32_t y_start,
                                               std::uint32_t x_end, std::uint32_t y_end) {
    return x_start << 12U | y_start << 18U | x_end | y_end << NOC_ADDR_NODE_ID_BITS;
}
constexpr std::uint64_t get_noc_addr_helper(std::uint32_t noc_xy, std::uint32_t addr) {
    return static_cast<std::uint64_t>(noc_xy) << NOC_ADDR_COORD_SHIFT | addr;
}
constexpr std::uint64_t get_noc_multicast_addr_helper(std::uint32_t noc_xy, std::uint32_t addr) {
    return get_noc_addr_helper(noc_xy, addr);
}
/// Return a coordinate as it is on `noc`. Virtual coordinates are equal on both NoCs.
constexpr std::uint32_t DYNAMIC_NOC_X(std::uint32_t /*noc*/, std::uint32_t x) {
    return x;
}
constexpr std::uint32_t DYNAMIC_NOC_Y(std::uint32_t /*noc*/, std::uint32_t y) {
    return y;
}
constexpr std::uint32_t NOC_X(std::uint32_t x) {
    return x;
}
constexpr std::uint32_t NOC_Y(std::uint32_t y) {
    return y;
}
constexpr std::uint32_t NOC_X_PHYS_COORD(std::uint32_t x) {
    return x;
}
constexpr std::uint32_t NOC_Y_PHYS_COORD(std::uint32_t y) {
    return y;
}

/// Returns the NoC address of `addr` in the L1 (or DRAM node) at virtual coordinate (x, y).
constexpr std::uint64_t get_noc_addr(std::uint32_t noc_x, std::uint32_t noc_y, std::uint32_t addr,
                                     std::uint8_t /*noc*/ = 0) {
    return NOC_XY_ADDR(noc_x, noc_y, addr);
}
/// Returns the NoC address of `addr` in this core's own L1.
inline std::uint64_t get_noc_addr(std::uint32_t addr, std::uint8_t noc = noc_index) {
    return NOC_XY_ADDR(my_x[noc], my_y[noc], addr);
}

/// Returns the address of a rectangle of receivers, both corners included. In both axes, start ≤
/// end on NoC 0 and start ≥ end on NoC 1.
constexpr std::uint64_t get_noc_multicast_addr(std::uint32_t x_start, std::uint32_t y_start,
                                               std::uint32_t x_end, std::uint32_t y_end,
                                               std::uint32_t addr, std::uint8_t /*noc*/ = 0) {
    return (static_cast<std::uint64_t>(y_start) << 54) |
           (static_cast<std::uint64_t>(x_start) << 48) | (static_cast<std::uint64_t>(y_end) << 42) |
           (static_cast<std::uint64_t>(x_end) << 36) | addr;
}

namespace tessera::kernel {
/// Returns the L1 address of a NoC address on the kernel's own core.
/// Errors   OutOfBounds if it is on another node: the local side of a transfer must be in own L1.
std::uint32_t own_l1_address(std::uint64_t noc_address, CallSite site);
/// Returns the NoC address of `offset` in a bank, at the endpoint that `noc` uses.
std::uint64_t dram_bank_address(std::uint32_t bank, std::uint64_t offset, std::uint8_t noc,
                                CallSite site);
/// Page of an interleaved tensor in DRAM.
struct DramPage {
    std::uint32_t id;
    std::uint32_t base;      ///< address of the tensor in each bank
    std::uint32_t distance;  ///< bytes from a page to the next one in its bank
};
/// Returns the NoC address of `offset` in the bank of a page. The machine checks `page.distance`
/// against the tensor's page size.
std::uint64_t dram_page_address(const DramPage& page, std::uint64_t offset, std::uint8_t noc,
                                CallSite site);
std::uint64_t l1_bank_address(std::uint32_t bank, std::uint64_t offset, CallSite site);
std::uint32_t num_dram_banks();
std::uint32_t num_l1_banks();
std::uint32_t dram_alignment();
std::uint32_t l1_alignment();
}  // namespace tessera::kernel

template <bool DRAM>
std::uint64_t get_noc_addr_from_bank_id(std::uint32_t bank_id, std::uint32_t offset,
                                        std::uint8_t noc = noc_index,
                                        tessera::CallSite site = tessera::CallSite::here()) {
    return DRAM ? tessera::kernel::dram_bank_address(bank_id, offset, noc, site)
                : tessera::kernel::l1_bank_address(bank_id, offset, site);
}

namespace tessera::kernel {
std::uint16_t dram_bank_coordinate(std::uint32_t noc, std::uint32_t bank);
std::uint16_t l1_bank_coordinate(std::uint32_t bank);
std::int32_t dram_bank_offset(std::uint32_t bank);
std::uint8_t virtual_column(std::uint32_t logical);
std::uint8_t virtual_row(std::uint32_t logical);

/// Table of the chip's firmware, indexed as its array: coordinates of DRAM banks by NoC and bank.
struct DramBankCoordinates {
    /// Row of one NoC.
    struct OfNoc {
        std::uint32_t noc;
        std::uint16_t operator[](std::uint32_t bank) const {
            return dram_bank_coordinate(noc, bank);
        }
    };
    OfNoc operator[](std::uint32_t noc) const { return {noc}; }
};
/// Table as DramBankCoordinates, for L1 banks.
struct L1BankCoordinates {
    /// Row of one NoC; the same for both.
    struct OfNoc {
        std::uint16_t operator[](std::uint32_t bank) const { return l1_bank_coordinate(bank); }
    };
    OfNoc operator[](std::uint32_t /*noc*/) const { return {}; }
};
/// Table of byte offsets in DRAM banks.
struct DramBankOffsets {
    std::int32_t operator[](std::uint32_t bank) const { return dram_bank_offset(bank); }
};
/// Table of byte offsets in L1 banks: all are 0.
struct L1BankOffsets {
    std::int32_t operator[](std::uint32_t /*bank*/) const { return 0; }
};
/// Table of virtual columns by logical column.
struct VirtualColumns {
    std::uint8_t operator[](std::uint32_t logical) const { return virtual_column(logical); }
};
/// Table of virtual rows by logical row.
struct VirtualRows {
    std::uint8_t operator[](std::uint32_t logical) const { return virtual_row(logical); }
};
}  // namespace tessera::kernel

inline constexpr tessera::kernel::DramBankCoordinates dram_bank_to_noc_xy;
inline constexpr tessera::kernel::L1BankCoordinates l1_bank_to_noc_xy;
inline constexpr tessera::kernel::DramBankOffsets bank_to_dram_offset;
inline constexpr tessera::kernel::L1BankOffsets bank_to_l1_offset;
inline constexpr tessera::kernel::VirtualColumns worker_logical_col_to_virtual_col;
inline constexpr tessera::kernel::VirtualRows worker_logical_row_to_virtual_row;

/// NoC coordinates of a core.
struct coord_t {
    std::uint8_t x;
    std::uint8_t y;
};
inline coord_t get_virtual_coord_from_worker_logical_coord(std::uint8_t worker_x,
                                                           std::uint8_t worker_y) {
    return {worker_logical_col_to_virtual_col[worker_x],
            worker_logical_row_to_virtual_row[worker_y]};
}
