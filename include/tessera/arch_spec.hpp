// SPDX-License-Identifier: Apache-2.0
// A device model, read from configs/arch/*.yaml. Initial values of members are not defaults.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core_coord.hpp"
#include "tessera/units.hpp"

namespace tessera {

/// Columns and rows of a grid.
struct GridSize {
    std::uint32_t columns = 0;
    std::uint32_t rows = 0;
    friend constexpr bool operator==(const GridSize&, const GridSize&) = default;
};

/// Worker cores and their positions on the NoC.
struct WorkerGridSpec {
    GridSize compute;                        ///< logical grid that programs may use, e.g. 8×8
    CoreCoord virtual_origin;                ///< virtual coordinate of logical (0,0), e.g. (18,18)
    std::vector<std::uint32_t> noc_columns;  ///< physical NoC 0 x of each logical column
    std::vector<std::uint32_t> noc_rows;  ///< physical NoC 0 y of each logical row, harvested out
    std::vector<std::uint32_t> harvested_rows;    ///< physical y of rows fused off
    std::vector<std::uint32_t> dispatch_rows;     ///< physical y of rows kept for dispatch
    std::vector<std::uint32_t> dispatch_columns;  ///< physical x of columns kept for dispatch
};

/// Size, alignment and fixed areas of each core's L1. Addresses are offsets in that L1.
struct L1Spec {
    Bytes size;          ///< whole L1 of a core
    Bytes reserved;      ///< first address that a buffer or CB may take
    Bytes alignment;     ///< alignment of allocations, and of NoC transfers between L1s
    Bytes runtime_args;  ///< address of the runtime argument area, below `reserved`
    Bytes semaphores;    ///< address of semaphore 0, below `reserved`
    Bytes semaphore_stride;
    Bytes zeros;  ///< address of the zero area (MEM_ZEROS_BASE)
    Bytes zeros_size;
    std::uint32_t num_semaphores = 0;
    std::uint32_t num_circular_buffers = 0;
    std::uint32_t max_runtime_args = 0;  ///< words of unique plus common arguments of one kernel
};

/// NoC coordinates of a DRAM bank. Each NoC may use another port of the bank's controller.
struct DramEndpoint {
    CoreCoord noc;              ///< coordinate put into addresses on NoC 0
    CoreCoord noc1;             ///< coordinate put into addresses on NoC 1
    CoreCoord physical;         ///< physical NoC 0 node behind `noc`
    CoreCoord physical1;        ///< physical NoC 0 node behind `noc1`
    std::uint32_t channel = 0;  ///< memory controller; two banks share one on Wormhole
    Bytes bank_offset;          ///< added to every address of this bank
};

/// Banks of a device's DRAM: number, size, alignment, and the NoC endpoints that serve them.
struct DramSpec {
    std::uint32_t num_banks = 0;
    Bytes bank_size;
    Bytes reserved;  ///< first address of each bank that a buffer may take
    Bytes read_alignment;
    Bytes write_alignment;
    Bytes alignment;                      ///< alignment of the pages of an interleaved buffer
    std::vector<DramEndpoint> endpoints;  ///< one per bank
};

/// Number of virtual channels of each link.
/// Source   tt-isa-documentation, NoC/README.md: a channel number has four bits.
inline constexpr std::uint32_t kNocVirtualChannels = 16;

/// Grid, flit and limits of each of a device's two NoCs.
struct NocSpec {
    GridSize grid;
    Bytes flit;
    Bytes max_packet;
    std::uint32_t max_transaction_ids = 0;
};

/// Number of tiles that DST holds, by the width of its elements.
struct DstSpec {
    std::uint32_t tiles_16bit = 0;  ///< tiles in full sync; half as many in half sync
    std::uint32_t tiles_32bit = 0;
};

/// Device model without times: what programs and kernels can depend on. Read from configs/arch.
struct ArchSpec {
    std::string name;          ///< "wormhole_n150"
    std::string architecture;  ///< "wormhole" or "blackhole"
    Hertz clock;
    WorkerGridSpec workers;
    L1Spec l1;
    DramSpec dram;
    NocSpec noc;
    DstSpec dst;
};

}  // namespace tessera
