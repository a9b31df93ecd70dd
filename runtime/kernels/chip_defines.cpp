// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/chip_defines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace tessera {

// Kernels branch on the chip: matmul's senders flush after a multicast on Blackhole only.
void add_chip_defines(const ArchSpec& arch, Defines& defines) {
    std::string name = fmt::format("ARCH_{}", arch.architecture);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    defines.try_emplace(name, "1");
    const auto add = [&](const char* macro, std::uint64_t value) {
        defines.try_emplace(macro, std::to_string(value));
    };
    add("NOC_MAX_BURST_SIZE", arch.noc.max_packet.value);
    add("MEM_ZEROS_BASE", arch.l1.zeros.value);
    add("MEM_ZEROS_SIZE", arch.l1.zeros_size.value);
    add("NOC_DRAM_READ_ALIGNMENT_BYTES", arch.dram.read_alignment.value);
    add("NOC_DRAM_WRITE_ALIGNMENT_BYTES", arch.dram.write_alignment.value);
    add("NOC_L1_READ_ALIGNMENT_BYTES", arch.l1.alignment.value);
    add("NOC_L1_WRITE_ALIGNMENT_BYTES", arch.l1.alignment.value);
    add("NUM_DRAM_BANKS", arch.dram.num_banks);
    add("NUM_L1_BANKS", std::uint64_t{arch.workers.compute.columns} * arch.workers.compute.rows);
    add("NUM_CIRCULAR_BUFFERS", arch.l1.num_circular_buffers);
    add("VIRTUAL_TENSIX_START_X", arch.workers.virtual_origin.x);
    add("VIRTUAL_TENSIX_START_Y", arch.workers.virtual_origin.y);
}

void add_compute_defines(const ComputeConfig& config, Defines& defines) {
    defines.try_emplace("DST_SYNC_MODE",
                        config.dst_full_sync_en ? "DstSync::SyncFull" : "DstSync::SyncHalf");
    defines.try_emplace("MATH_FIDELITY",
                        std::to_string(static_cast<unsigned>(config.math_fidelity)));
    defines.try_emplace("APPROX", config.math_approx_mode ? "true" : "false");
}

}  // namespace tessera
