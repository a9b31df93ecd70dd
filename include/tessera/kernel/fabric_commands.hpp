// SPDX-License-Identifier: Apache-2.0
// Commands that a fabric packet executes at its destination. NoC addresses are those of that
// device. Not here: reads, and multicasts over the NoC of that device.
// Source   tt-metal tt_metal/fabric/fabric_edm_packet_header.hpp.
#pragma once

#include <initializer_list>

#include "tessera/kernel/types.hpp"

namespace tessera::kernel {
/// Checks the numbers of addresses and sizes of a scatter command.
/// Errors   UndefinedBehavior unless there are 2 to 4 addresses, and a size for each but the last.
void check_scatter_chunks(std::size_t num_addresses, std::size_t num_sizes, CallSite site);
}  // namespace tessera::kernel

namespace tt::tt_fabric {

enum NocSendType : std::uint8_t {
    NOC_UNICAST_WRITE = 0,
    NOC_UNICAST_INLINE_WRITE = 1,
    NOC_UNICAST_ATOMIC_INC = 2,
    NOC_FUSED_UNICAST_ATOMIC_INC = 3,
    NOC_UNICAST_SCATTER_WRITE = 4,
};

inline constexpr std::uint8_t NOC_SCATTER_WRITE_MIN_CHUNKS = 2;
inline constexpr std::uint8_t NOC_SCATTER_WRITE_MAX_CHUNKS = 4;

/// Destination of a packet's payload.
struct NocUnicastCommandHeader {
    std::uint64_t noc_address;
};
/// Word that a packet writes, and its destination.
struct NocUnicastInlineWriteCommandHeader {
    std::uint64_t noc_address;
    std::uint32_t value;
};
/// Word that a packet increments, and the increment.
struct NocUnicastAtomicIncCommandHeader {
    NocUnicastAtomicIncCommandHeader(std::uint64_t address, std::uint32_t increment,
                                     bool flushes = true)
        : noc_address(address), val(increment), flush(flushes) {}
    std::uint64_t noc_address;
    std::uint32_t val;
    bool flush;  ///< the addition waits for earlier writes; here it always does, in less time
};
/// Destination of a packet's payload, and a word that is incremented after it.
struct NocUnicastAtomicIncFusedCommandHeader {
    NocUnicastAtomicIncFusedCommandHeader(std::uint64_t address, std::uint64_t semaphore_address,
                                          std::uint32_t increment, bool flushes = true)
        : noc_address(address),
          semaphore_noc_address(semaphore_address),
          val(increment),
          flush(flushes) {}
    std::uint64_t noc_address;
    std::uint64_t semaphore_noc_address;
    std::uint32_t val;
    bool flush;
};
/// Divides a payload into consecutive chunks, each with its own address. The last chunk is the rest
/// of the payload.
struct NocUnicastScatterCommandHeader {
    /// Errors   UndefinedBehavior unless there are 2 to 4 addresses, and a size for each but one.
    NocUnicastScatterCommandHeader(std::initializer_list<std::uint64_t> addresses,
                                   std::initializer_list<std::uint16_t> chunk_sizes,
                                   tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::check_scatter_chunks(addresses.size(), chunk_sizes.size(), site);
        set(addresses.begin(), chunk_sizes.begin(), addresses.size());
    }
    /// Has `count` addresses and `count` - 1 sizes.
    NocUnicastScatterCommandHeader(const std::uint64_t* addresses, const std::uint16_t* chunk_sizes,
                                   std::uint8_t count,
                                   tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::check_scatter_chunks(count, count - 1U, site);
        set(addresses, chunk_sizes, count);
    }
    std::uint64_t noc_address[NOC_SCATTER_WRITE_MAX_CHUNKS]{};
    std::uint16_t chunk_size[NOC_SCATTER_WRITE_MAX_CHUNKS - 1]{};
    std::uint8_t chunk_count = 0;
    std::uint8_t reserved = 0;

private:
    void set(const std::uint64_t* addresses, const std::uint16_t* sizes, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            noc_address[i] = addresses[i];
        }
        for (std::size_t i = 0; i + 1 < count; ++i) {
            chunk_size[i] = sizes[i];
        }
        chunk_count = static_cast<std::uint8_t>(count);
    }
};

/// Fields of the command that `noc_send_type` names.
union NocCommandFields {
    NocCommandFields() : unicast_write{} {}
    NocUnicastCommandHeader unicast_write;
    NocUnicastInlineWriteCommandHeader unicast_inline_write;
    NocUnicastAtomicIncCommandHeader unicast_seminc;
    NocUnicastAtomicIncFusedCommandHeader unicast_seminc_fused;
    NocUnicastScatterCommandHeader unicast_scatter_write;
};
static_assert(sizeof(NocCommandFields) == 40, "size of a packet's command on the chip");

}  // namespace tt::tt_fabric
