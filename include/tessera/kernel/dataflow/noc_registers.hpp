// SPDX-License-Identifier: Apache-2.0
// Command registers of a NoC, for kernels that write them instead of calling noc_async_read and
// noc_async_write. A command buffer keeps its registers between commands; a write of
// NOC_CTRL_SEND_REQ to NOC_CMD_CTRL issues the command that they describe. Calls of the API do not
// change these registers.
// Source   tt-metal noc_parameters.h and noc_nonblocking_api.h (Blackhole), whose coordinates have
//          a register of their own; tt-isa-documentation, NoC/MemoryMap.md.
#pragma once

#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/types.hpp"

// Registers, as byte offsets. Reads, atomics and inline writes go to the target address, other
// writes to the return address.
inline constexpr std::uint32_t NOC_TARG_ADDR_LO = 0x0;
inline constexpr std::uint32_t NOC_TARG_ADDR_MID = 0x4;
inline constexpr std::uint32_t NOC_TARG_ADDR_COORDINATE = 0x8;
inline constexpr std::uint32_t NOC_RET_ADDR_LO = 0xC;
inline constexpr std::uint32_t NOC_RET_ADDR_MID = 0x10;
inline constexpr std::uint32_t NOC_RET_ADDR_COORDINATE = 0x14;
inline constexpr std::uint32_t NOC_PACKET_TAG = 0x18;
inline constexpr std::uint32_t NOC_CTRL = 0x1C;
/// Number of bytes; operation of an atomic; or mask of the flit's bytes that an inline write
/// writes.
inline constexpr std::uint32_t NOC_AT_LEN_BE = 0x20;
inline constexpr std::uint32_t NOC_AT_LEN_BE_1 =
    0x24;  ///< bytes 32 to 63 of an inline write's flit
inline constexpr std::uint32_t NOC_AT_DATA = 0x28;
inline constexpr std::uint32_t NOC_BRCST_EXCLUDE = 0x2C;
inline constexpr std::uint32_t NOC_CMD_CTRL = 0x40;
inline constexpr std::uint32_t NOC_NODE_ID = 0x44;  ///< own coordinates

// Bits of NOC_CTRL.
inline constexpr std::uint32_t NOC_CMD_CPY = 0;
inline constexpr std::uint32_t NOC_CMD_RD = 0;
inline constexpr std::uint32_t NOC_CMD_AT = 1U << 0U;
inline constexpr std::uint32_t NOC_CMD_WR = 1U << 1U;
inline constexpr std::uint32_t NOC_CMD_WR_BE = 1U << 2U;
inline constexpr std::uint32_t NOC_CMD_WR_INLINE = 1U << 3U;
inline constexpr std::uint32_t NOC_CMD_RESP_MARKED = 1U << 4U;
inline constexpr std::uint32_t NOC_CMD_BRCST_PACKET = 1U << 5U;
inline constexpr std::uint32_t NOC_CMD_VC_LINKED = 1U << 6U;
inline constexpr std::uint32_t NOC_CMD_VC_STATIC = 1U << 7U;
inline constexpr std::uint32_t NOC_CMD_PATH_RESERVE = 1U << 8U;
inline constexpr std::uint32_t NOC_CMD_BRCST_SRC_INCLUDE = 1U << 17U;
constexpr std::uint32_t NOC_CMD_STATIC_VC(std::uint32_t vc) {
    return vc << 13U;
}
inline constexpr std::uint32_t NOC_CTRL_SEND_REQ = 1;
inline constexpr std::uint32_t NOC_CTRL_STATUS_READY = 0;

// Fields of NOC_AT_LEN_BE for an atomic.
inline constexpr std::uint32_t NOC_AT_INS_INCR_GET = 1;
constexpr std::uint32_t NOC_AT_IND_32(std::uint32_t word) {
    return word;
}
constexpr std::uint32_t NOC_AT_IND_32_SRC(std::uint32_t word) {
    return word << 10U;
}
constexpr std::uint32_t NOC_AT_WRAP(std::uint32_t wrap) {
    return wrap << 2U;
}
constexpr std::uint32_t NOC_AT_INS(std::uint32_t operation) {
    return operation << 12U;
}
constexpr std::uint32_t NOC_PACKET_TAG_TRANSACTION_ID(std::uint32_t id) {
    return id << 10U;
}

inline constexpr std::uint32_t NOC_COORDINATE_MASK = 0xFFFFFF;
inline constexpr std::uint32_t NOC_PCIE_MASK = 0x1000000F;
inline constexpr std::uint32_t NOC_NODE_ID_MASK = (1U << NOC_ADDR_NODE_ID_BITS) - 1;
constexpr std::uint64_t NOC_MULTICAST_ADDR(std::uint32_t x_start, std::uint32_t y_start,
                                           std::uint32_t x_end, std::uint32_t y_end,
                                           std::uint64_t addr) {
    return get_noc_multicast_addr_helper(NOC_MULTICAST_ENCODING(x_start, y_start, x_end, y_end),
                                         0) |
           addr;
}
/// L1 address of the word that receives the old value of an atomic.
#define MEM_NOC_ATOMIC_RET_VAL_ADDR 4

void NOC_CMD_BUF_WRITE_REG(std::uint32_t noc, std::uint32_t buf, std::uint32_t reg,
                           std::uint32_t value, tessera::CallSite site = tessera::CallSite::here());
std::uint32_t NOC_CMD_BUF_READ_REG(std::uint32_t noc, std::uint32_t buf, std::uint32_t reg,
                                   tessera::CallSite site = tessera::CallSite::here());
/// Returns true: a command buffer always accepts a command, because calls issue them immediately.
inline bool noc_cmd_buf_ready(std::uint32_t /*noc*/, std::uint32_t /*cmd_buf*/) {
    return true;
}

namespace tessera::kernel {
/// Counters of transfers in the firmware, by NoC. On the chip, a kernel that writes command
/// registers adds to them, so that barriers wait for the command. The machine counts each command
/// when it is issued.
struct IssuedTransfers {
    /// Counter of one NoC. It accepts additions and ignores them.
    struct Count {
        void operator+=(std::uint32_t /*count*/) const {}
        void operator++(int) const {}
    };
    constexpr Count operator[](std::uint32_t /*noc*/) const { return {}; }
};
}  // namespace tessera::kernel
inline constexpr tessera::kernel::IssuedTransfers noc_reads_num_issued;
inline constexpr tessera::kernel::IssuedTransfers noc_nonposted_writes_num_issued;
inline constexpr tessera::kernel::IssuedTransfers noc_nonposted_writes_acked;
inline constexpr tessera::kernel::IssuedTransfers noc_nonposted_atomics_acked;
inline constexpr tessera::kernel::IssuedTransfers noc_posted_writes_num_issued;

/// Counters for the mode in which both data-movement kernels use both NoCs.
enum class NocBarrierType : std::uint8_t {
    READS_NUM_ISSUED,
    NONPOSTED_WRITES_NUM_ISSUED,
    NONPOSTED_WRITES_ACKED,
    NONPOSTED_ATOMICS_ACKED,
    POSTED_WRITES_NUM_ISSUED,
};
#ifdef COMPILE_FOR_NCRISC
inline constexpr std::uint8_t proc_type = 1;
#else
inline constexpr std::uint8_t proc_type = 0;
#endif
template <std::uint8_t processor, NocBarrierType type>
void inc_noc_counter_val(std::uint32_t /*noc*/, std::uint32_t /*count*/ = 1) {
}
