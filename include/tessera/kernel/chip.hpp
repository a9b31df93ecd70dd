// SPDX-License-Identifier: Apache-2.0
// Constants of the chip's build that kernels use. A kernel that is compiled just in time gets those
// of its device as defines (runtime/kernels/chip_defines.cpp). A built-in kernel runs on each
// device, so it asks the machine or has the values of Wormhole.
// Source   tt-metal dev_mem_map.h, noc_parameters.h and jit_build/genfiles.cpp.
#pragma once

#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/types.hpp"

namespace tessera::kernel {
std::uint32_t zero_area_address();
std::uint32_t wall_clock_address(std::uint32_t word, CallSite site);
std::uint64_t read_clock(CallSite site);
}  // namespace tessera::kernel

// L1 bytes that hold zeros, as a source of transfers.
#ifndef MEM_ZEROS_BASE
#define MEM_ZEROS_BASE (::tessera::kernel::zero_area_address())
#endif
#ifndef MEM_ZEROS_SIZE
#define MEM_ZEROS_SIZE 512
#endif

// Alignments of transfers in bytes.
#ifndef NOC_DRAM_READ_ALIGNMENT_BYTES
#define NOC_DRAM_READ_ALIGNMENT_BYTES 32
#endif
#ifndef NOC_DRAM_WRITE_ALIGNMENT_BYTES
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES 16
#endif
#ifndef NOC_L1_READ_ALIGNMENT_BYTES
#define NOC_L1_READ_ALIGNMENT_BYTES 16
#endif
#ifndef NOC_L1_WRITE_ALIGNMENT_BYTES
#define NOC_L1_WRITE_ALIGNMENT_BYTES 16
#endif
#ifndef DRAM_ALIGNMENT
#define DRAM_ALIGNMENT NOC_DRAM_READ_ALIGNMENT_BYTES
#endif
#ifndef L1_ALIGNMENT
#define L1_ALIGNMENT NOC_L1_READ_ALIGNMENT_BYTES
#endif
#ifndef NUM_DRAM_BANKS
#define NUM_DRAM_BANKS (::tessera::kernel::num_dram_banks())
#endif
#ifndef NUM_L1_BANKS
#define NUM_L1_BANKS (::tessera::kernel::num_l1_banks())
#endif
#define NUM_NOCS 2
// NoC coordinates of logical core (0,0).
#ifndef VIRTUAL_TENSIX_START_X
#define VIRTUAL_TENSIX_START_X (::tessera::kernel::virtual_column(0))
#define VIRTUAL_TENSIX_START_Y (::tessera::kernel::virtual_row(0))
#endif

// Fidelity and approximation of a compute kernel, as template arguments of LLK calls. The machine
// takes both from the program.
#ifndef MATH_FIDELITY
#define MATH_FIDELITY 4
#endif
#ifndef APPROX
#define APPROX false
#endif
#ifndef MM_THROTTLE
#define MM_THROTTLE 0
#endif
#ifndef DST_SYNC_MODE
#define DST_SYNC_MODE DstSync::SyncHalf
#endif
#ifndef NUM_CIRCULAR_BUFFERS
#define NUM_CIRCULAR_BUFFERS 32
#endif
#define CIRCULAR_BUFFER_COMPUTE_ADDR_SHIFT cb_addr_shift

// NoCs that the calls of a kernel may use on the chip. Here, each call may use any NoC.
inline constexpr std::uint8_t DM_DEDICATED_NOC = 0;
inline constexpr std::uint8_t DM_DYNAMIC_NOC = 1;
#ifndef NOC_MODE
#define NOC_MODE DM_DEDICATED_NOC
#endif
inline constexpr std::uint8_t noc_mode = NOC_MODE;

/// Command buffers of a NoC. Calls that have one as an argument ignore it.
inline constexpr std::uint32_t NCRISC_WR_CMD_BUF = 0;
inline constexpr std::uint32_t NCRISC_RD_CMD_BUF = 1;
inline constexpr std::uint32_t NCRISC_WR_REG_CMD_BUF = 2;
inline constexpr std::uint32_t NCRISC_AT_CMD_BUF = 3;
inline constexpr std::uint32_t BRISC_WR_CMD_BUF = 0;
inline constexpr std::uint32_t BRISC_RD_CMD_BUF = 1;
inline constexpr std::uint32_t BRISC_WR_REG_CMD_BUF = 2;
inline constexpr std::uint32_t BRISC_AT_CMD_BUF = 3;
inline constexpr std::uint32_t write_cmd_buf = 0;
inline constexpr std::uint32_t read_cmd_buf = 1;
inline constexpr std::uint32_t write_reg_cmd_buf = 2;
inline constexpr std::uint32_t write_at_cmd_buf = 3;
inline constexpr std::uint32_t NOC_MULTICAST_WRITE_VC = 4;
inline constexpr std::uint32_t NOC_DISPATCH_MULTICAST_WRITE_VC = 5;
inline constexpr std::uint32_t NOC_MAX_TRANSACTION_ID = 15;

// Addresses of the chip's clock. A read returns the number of instructions that the kernel thread
// has executed, not predicted cycles, so that a run has the same values with and without a timing
// model.
#define RISCV_DEBUG_REG_WALL_CLOCK_L \
    (::tessera::kernel::wall_clock_address(0, ::tessera::CallSite::here()))
#define RISCV_DEBUG_REG_WALL_CLOCK_H \
    (::tessera::kernel::wall_clock_address(1, ::tessera::CallSite::here()))
inline constexpr std::uint32_t WALL_CLOCK_LOW_INDEX = 0;
inline constexpr std::uint32_t WALL_CLOCK_HIGH_INDEX = 1;

inline std::uint64_t get_timestamp(tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::read_clock(site);
}
inline std::uint32_t get_timestamp_32b(tessera::CallSite site = tessera::CallSite::here()) {
    return static_cast<std::uint32_t>(tessera::kernel::read_clock(site));
}
/// Does nothing; on the chip it waits for a number of cycles. Here, no value depends on time.
inline void riscv_wait(std::uint32_t /*cycles*/) {
}
/// Does nothing; on the chip it controls caches of the data-movement cores. Here, L1 has no cache.
template <bool enable = true>
void set_l1_data_cache() {
}
inline void flush_l1_dcache(std::uintptr_t /*address*/ = 0, std::size_t /*size*/ = 0) {
}
inline void flush_l2_cache_line(std::uintptr_t /*address*/) {
}
/// Offset of the uncached addresses of L1, on chips with a cache.
inline constexpr std::uint32_t MEM_L1_UNCACHED_BASE = 0;
#ifndef NOC_INDEX
#define NOC_INDEX noc_index
#endif
/// Returns a product, which the chip's data-movement cores compute in software.
constexpr std::uint32_t mulsi3(std::uint32_t a, std::uint32_t b) {
    return a * b;
}
constexpr std::uint32_t umulsi3(std::uint32_t a, std::uint32_t b) {
    return a * b;
}

namespace ckernel {
/// Threads that exchange words through mailboxes. One fiber runs the three threads of a compute
/// kernel. They share one queue for words from each other and one for words from the data-movement
/// core, which writes once for each of them.
enum ThreadId : std::uint8_t { UnpackThreadId, MathThreadId, PackThreadId, BriscThreadId };
/// Appends a word to the queue of the receiver.
void mailbox_write(std::uint8_t receiver, std::uint32_t data,
                   tessera::CallSite site = tessera::CallSite::here());
/// Waits for a word and returns it. Mailboxes take no predicted time.
std::uint32_t mailbox_read(std::uint8_t sender, tessera::CallSite site = tessera::CallSite::here());
/// Does nothing: the units of the core are idle after each call. On the chip it waits for them.
inline void tensix_sync() {
}
#if defined(COMPILE_FOR_TRISC) || defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
/// Does the same as riscv_wait.
inline void wait(std::uint32_t /*cycles*/) {
}
#endif
}  // namespace ckernel
