// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/programs/bank_streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

constexpr std::uint32_t kSlices = 16;  // stretches of a bank that a reader cycles through

/// Returns the hops from `from` to `to`, both physical NoC 0 coordinates. NoC 0 runs east and
/// south, NoC 1 west and north; the torus wraps around in both dimensions.
std::uint32_t hops(CoreCoord from, CoreCoord to, NOC noc, GridSize grid) {
    if (noc == NOC::NOC_1) {
        std::swap(from, to);
    }
    return (to.x + grid.columns - from.x) % grid.columns + (to.y + grid.rows - from.y) % grid.rows;
}

CoreCoord physical(const WorkerGridSpec& workers, CoreCoord logical) {
    return {workers.noc_columns[logical.x], workers.noc_rows[logical.y]};
}

}  // namespace

std::vector<BankStream> streams_in_order(const ArchSpec& arch, std::uint32_t cores,
                                         std::uint32_t banks) {
    expressible(banks >= 1 && banks <= arch.dram.num_banks, "{} banks, allowed: 1 to {}", banks,
                arch.dram.num_banks);
    std::vector<BankStream> streams;
    for (const CoreCoord core : first_cores(arch, cores)) {
        streams.push_back({core, static_cast<std::uint32_t>(streams.size()) % banks});
    }
    return streams;
}

std::vector<BankStream> streams_beside_banks(const ArchSpec& arch, std::uint32_t readers, NOC noc) {
    const WorkerGridSpec& workers = arch.workers;
    std::vector<CoreCoord> free = first_cores(arch, workers.compute.columns * workers.compute.rows);
    expressible(readers >= 1 && readers <= free.size(), "{} readers, allowed: 1 to {}", readers,
                free.size());
    std::vector<BankStream> streams;
    for (std::uint32_t reader = 0; reader < readers; ++reader) {
        const std::uint32_t bank = reader % arch.dram.num_banks;
        const DramEndpoint& end = arch.dram.endpoints.at(bank);
        const CoreCoord port = noc == NOC::NOC_0 ? end.physical : end.physical1;
        const auto nearest = std::ranges::min_element(free, {}, [&](CoreCoord core) {
            return hops(port, physical(workers, core), noc, arch.noc.grid);
        });
        streams.push_back({*nearest, bank});
        free.erase(nearest);
    }
    return streams;
}

Prediction run_bank_streams(const Row& row, const std::vector<BankStream>& streams,
                            const BankBurst& burst, BurstPlace place, const Model& model,
                            BankAccess access) {
    const std::uint64_t slice = std::uint64_t{burst.count} * burst.bytes;
    const std::uint64_t first = model.arch.dram.reserved.value;
    expressible(first + slice * kSlices <= model.arch.dram.bank_size.value,
                "streams of {} bytes do not fit into a bank", slice);
    Program program = CreateProgram();
    const auto add = access == BankAccess::Read ? add_bank_read : add_bank_write;
    std::uint32_t index = 0;
    for (const BankStream& stream : streams) {
        const KernelHandle kernel = add(program, model.arch, stream.core, burst, place);
        aim_bank_burst(program, kernel, stream.core, stream.bank,
                       static_cast<std::uint32_t>(first + index++ % kSlices * slice));
    }
    Bench bench(model);
    const double bytes = static_cast<double>(slice) * static_cast<double>(streams.size());
    return as_bandwidth(row, bytes, bench.run(program).zone_cycles(kBurstZone, Among::Longest),
                        model);
}

}  // namespace tessera::score
