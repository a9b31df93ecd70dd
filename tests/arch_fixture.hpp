// SPDX-License-Identifier: Apache-2.0
// Device models for tests: the Wormhole model's rules with a grid of any size.
#pragma once

#include "tessera/arch_spec.hpp"

namespace tessera::testing {

/// Returns a Wormhole-like device with `columns` × `rows` worker cores and 12 DRAM banks.
inline ArchSpec make_arch(std::uint32_t columns, std::uint32_t rows) {
    ArchSpec arch;
    arch.name = "test_arch";
    arch.architecture = "wormhole";
    arch.clock = Hertz{1.0e9};
    arch.workers.compute = {columns, rows};
    arch.workers.virtual_origin = {18, 18};
    arch.l1 = {.size = Bytes{1499136},
               .reserved = Bytes{103712},
               .alignment = Bytes{16},
               .runtime_args = Bytes{43008},
               .semaphores = Bytes{40960},
               .semaphore_stride = Bytes{16},
               .zeros = Bytes{8192},
               .zeros_size = Bytes{512},
               .num_semaphores = 16,
               .num_circular_buffers = 32,
               .max_runtime_args = 341};
    arch.dram.num_banks = 12;
    arch.dram.bank_size = Bytes{1ULL << 30U};
    arch.dram.reserved = Bytes{1024};
    arch.dram.read_alignment = Bytes{32};
    arch.dram.write_alignment = Bytes{16};
    arch.dram.alignment = Bytes{32};
    for (std::uint32_t bank = 0; bank < 12; ++bank) {
        DramEndpoint endpoint;
        endpoint.noc = {bank % 2 == 0 ? 0U : 5U, bank / 2};
        endpoint.noc1 = endpoint.noc;
        endpoint.channel = bank / 2;
        arch.dram.endpoints.push_back(endpoint);
    }
    arch.noc.grid = {10, 12};
    arch.noc.flit = Bytes{32};
    arch.noc.max_packet = Bytes{8192};
    arch.noc.max_transaction_ids = 16;
    arch.dst = {.tiles_16bit = 16, .tiles_32bit = 8};
    return arch;
}

/// Returns a device of 8×8 cores, the number of cores that ops use.
inline ArchSpec test_arch() {
    return make_arch(8, 8);
}
/// Returns a device of 2×2 cores.
inline ArchSpec small_arch() {
    return make_arch(2, 2);
}

}  // namespace tessera::testing
