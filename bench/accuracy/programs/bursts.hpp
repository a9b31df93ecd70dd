// SPDX-License-Identifier: Apache-2.0
// Kernels that move bytes in bursts, the building blocks of NoC measurements. Each kernel marks its
// burst, including the barrier, as the zone "burst".
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/arch_spec.hpp"
#include "tessera/buffer.hpp"
#include "tessera/program.hpp"

namespace tessera::score {

inline constexpr const char* kBurstZone = "burst";
inline constexpr const char* kTransferZone = "transfer";

enum class Commands : std::uint8_t { Whole, WithState };
enum class SourceOrder : std::uint8_t { OneAfterTheOther, InTurn };

/// RISC and NoC that run a burst.
struct BurstPlace {
    DataMovementProcessor processor = DataMovementProcessor::RISCV_0;
    NOC noc = NOC::NOC_0;
};
/// Whether cores pass a barrier before they begin. Core (0,0) counts the arrivals.
enum class Start : std::uint8_t { ByItself, BehindBarrier };
/// TT-Metalium's defaults: RISC 1 reads on NoC 1, RISC 0 writes on NoC 0.
inline constexpr BurstPlace kDefaultRead{DataMovementProcessor::RISCV_1, NOC::NOC_1};
inline constexpr BurstPlace kDefaultWrite{DataMovementProcessor::RISCV_0, NOC::NOC_0};

struct UnicastBurst {
    std::vector<CoreCoord> far_ends;  ///< logical
    std::uint32_t count = 1;          ///< transfers per far end
    std::uint32_t bytes = 0;          ///< per transfer
    Commands commands = Commands::Whole;
    SourceOrder order = SourceOrder::OneAfterTheOther;  ///< order of reads
};

/// Makes every core of `cores` write to all far ends.
void add_write_burst(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                     const UnicastBurst& burst, BurstPlace place = kDefaultWrite);
void add_read_burst(Program& program, const ArchSpec& arch, const CoreRangeSet& cores,
                    const UnicastBurst& burst, BurstPlace place = kDefaultRead);

struct MulticastBurst {
    CoreRange receivers;  ///< logical
    std::uint32_t count = 1;
    std::uint32_t bytes = 0;
    bool includes_sender = false;
    bool is_linked = false;
};

void add_multicast_burst(Program& program, const ArchSpec& arch, const CoreRangeSet& senders,
                         const MulticastBurst& burst);

struct BankBurst {
    std::uint32_t count = 1;
    std::uint32_t bytes = 0;
    std::uint32_t depth = 0;        ///< transaction ids in flight; 0: no ids
    std::uint32_t per_barrier = 0;  ///< reads between barriers; 0: one barrier at the end
    bool same_address = false;
    Start start = Start::ByItself;
};

/// Reads or writes of an interleaved buffer's pages, in order.
struct PageBurst {
    std::uint32_t per_barrier = 0;  ///< reads between barriers; 0: one barrier at the end
    Start start = Start::ByItself;
};

/// Adds a kernel that reads a DRAM bank; aim_bank_burst sets the bank of each core.
[[nodiscard]] KernelHandle add_bank_read(Program& program, const ArchSpec& arch,
                                         const CoreRangeSet& cores, const BankBurst& burst,
                                         BurstPlace place);
[[nodiscard]] KernelHandle add_bank_write(Program& program, const ArchSpec& arch,
                                          const CoreRangeSet& cores, const BankBurst& burst,
                                          BurstPlace place);
void aim_bank_burst(Program& program, KernelHandle kernel, CoreCoord core, std::uint32_t bank,
                    std::uint32_t address);

struct SingleTransfers {
    bool is_read = false;
    std::uint32_t count = 1;
    std::uint32_t bytes = 0;
};

/// Adds transfers with another core's L1, each with its own barrier and its own zone "transfer".
void add_single_transfers(Program& program, const ArchSpec& arch, CoreCoord core, CoreCoord far_end,
                          const SingleTransfers& transfers, BurstPlace place);
/// Adds such transfers with DRAM bank 0.
void add_single_bank_transfers(Program& program, const ArchSpec& arch, CoreCoord core,
                               const SingleTransfers& transfers, BurstPlace place);

/// Adds kernels that read or write pages of an interleaved buffer. aim_page_burst sets the first
/// page and the number of pages. The first page follows the last one.
[[nodiscard]] KernelHandle add_page_read(Program& program, const ArchSpec& arch,
                                         const CoreRangeSet& cores, const Buffer& buffer,
                                         const PageBurst& burst, BurstPlace place);
[[nodiscard]] KernelHandle add_page_write(Program& program, const ArchSpec& arch,
                                          const CoreRangeSet& cores, const Buffer& buffer,
                                          const PageBurst& burst, BurstPlace place);
void aim_page_burst(Program& program, KernelHandle kernel, CoreCoord core, const Buffer& buffer,
                    std::uint32_t first, std::uint32_t count);

}  // namespace tessera::score
