// SPDX-License-Identifier: Apache-2.0
// Share of the peak DRAM bandwidth that readers reach.
// Source   tt-metal tech_reports/Saturating_DRAM_bandwidth: one reader per bank on NoC 0. It reads
//          16 KiB (the largest packet) with a ring of transaction ids, or pages with a barrier
//          after a block of 16 KiB. "Arbitrary" cores are the first ones.
#include <algorithm>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/bank_streams.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

constexpr BurstPlace kPlace{DataMovementProcessor::RISCV_0, NOC::NOC_0};
/// TT-Metalium's default for readers of DRAM.
constexpr BurstPlace kReader{DataMovementProcessor::RISCV_1, NOC::NOC_0};
constexpr std::uint32_t kStreamBytes = 1U << 20U;  // enough to reach a steady state
constexpr std::uint32_t kDefaultDepth = 4;         // larger depths are no faster
constexpr std::uint32_t kPageBytes = 2048;         // a bfloat16 tile

bool says(const Row& row, std::string_view words) {
    return row.workload.find(words) != std::string::npos;
}

/// Returns the model with the bank ports that tt-metal used on both NoCs at the time of the report.
Model with_reported_ports(Model model) {
    std::vector<DramEndpoint>& endpoints = model.arch.dram.endpoints;
    const std::size_t num_ports = std::min(endpoints.size(), model.setup.dram_ports.size());
    for (std::size_t bank = 0; bank < num_ports; ++bank) {
        endpoints[bank].physical = model.setup.dram_ports[bank];
        endpoints[bank].physical1 = model.setup.dram_ports[bank];
    }
    return model;
}

/// Scales the memory's rates to the row's transfer rate.
Model with_transfer_rate(Model model, const Parameters& parameters) {
    if (!parameters.has("dram_gt_s")) {
        return model;
    }
    expressible(model.setup.dram_rate > 0, "dram_gt_s: the rate of {} as shipped is not known",
                model.arch.name);
    const double factor = parameters.count("dram_gt_s") / model.setup.dram_rate;
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected, &model.timing.high}) {
        timing->dram.bank_read_rate = timing->dram.bank_read_rate * factor;
        timing->dram.bank_write_rate = timing->dram.bank_write_rate * factor;
        timing->dram.channel_rate = timing->dram.channel_rate * factor;
    }
    return model;
}

BankBurst burst_of(const Row& row, const Parameters& parameters, const ArchSpec& arch) {
    const auto packet = static_cast<std::uint32_t>(arch.noc.max_packet.value);
    if (says(row, "page at a time")) {
        const std::uint32_t page = parameters.count_or("page_bytes", kPageBytes);
        expressible(page > 0 && page <= packet, "pages of {} bytes", page);
        return {.count = kStreamBytes / page, .bytes = page, .per_barrier = packet / page};
    }
    const std::uint32_t bytes = parameters.count_or("bytes_per_txn", packet);
    expressible(bytes > 0 && bytes <= packet, "reads of {} bytes with ids, allowed: 1 to {}", bytes,
                packet);
    return {.count = kStreamBytes / bytes,
            .bytes = bytes,
            .depth = parameters.count_or("depth", kDefaultDepth)};
}

/// Every core reads its share of an interleaved buffer, page by page.
Prediction run_all_cores(const Row& row, const Parameters& parameters, const Model& model) {
    const GridSize grid = model.arch.workers.compute;
    const std::uint32_t cores = parameters.text_or("cores", "all") == "all"
                                    ? grid.columns * grid.rows
                                    : parameters.count("cores");
    constexpr std::uint32_t kPagesPerCore = 256;
    constexpr std::uint32_t kPagesPerBarrier = 8;
    Bench bench(model);
    const std::uint32_t page = parameters.count_or("page_bytes", kPageBytes);
    const DeviceTensor tensor = bench.session().allocate(
        0, "pages", {.shape = {cores * kPagesPerCore, page / kElementBytes}}, BufferType::DRAM);
    Program program = CreateProgram();
    std::uint32_t first = 0;
    for (const CoreCoord core : first_cores(model.arch, cores)) {
        const KernelHandle kernel = add_page_read(program, model.arch, core, tensor.buffer,
                                                  {.per_barrier = kPagesPerBarrier}, kReader);
        aim_page_burst(program, kernel, core, tensor.buffer, first, kPagesPerCore);
        first += kPagesPerCore;
    }
    return as_bandwidth(row, static_cast<double>(first) * page,
                        bench.run(program).zone_cycles(kBurstZone, Among::Longest), model);
}

}  // namespace

Prediction predict_dram_saturation(const Row& row, const Parameters& parameters,
                                   const Model& model) {
    if (says(row, "interleaved")) {
        return run_all_cores(row, parameters, with_transfer_rate(model, parameters));
    }
    const Model board = with_transfer_rate(with_reported_ports(model), parameters);
    const std::uint32_t readers = parameters.count("readers");
    const bool is_beside = says(row, "beside") || says(row, "sharded") ||
                           parameters.text("readers").find("beside") != std::string::npos;
    const auto streams = is_beside ? streams_beside_banks(board.arch, readers, kPlace.noc)
                                   : streams_in_order(board.arch, readers,
                                                      std::min(readers, board.arch.dram.num_banks));
    return run_bank_streams(row, streams, burst_of(row, parameters, board.arch), kPlace, board);
}

}  // namespace tessera::score
