// SPDX-License-Identifier: Apache-2.0
// Flows between cores at physical coordinates, and single transfers: the NoC measurements of
// mesham/tt-sim (perfbench/nocbench, nocreadbench, nocevbench).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/bursts.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

struct Flow {
    CoreCoord from;
    CoreCoord to;
};

std::uint32_t take_number(std::string_view& text, std::string_view before) {
    expressible(text.starts_with(before), "a flow is (x,y)->(x,y), here: {}", text);
    text.remove_prefix(before.size());
    std::uint32_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    expressible(error == std::errc(), "a flow is (x,y)->(x,y), here: {}", text);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return number;
}

CoreCoord take_core(std::string_view& text, std::string_view before) {
    const std::uint32_t x = take_number(text, before);
    return {x, take_number(text, ",")};
}

/// Parses flows separated by blanks, commas or "+": "(1,1)->(2,2)". The first core issues.
std::vector<Flow> flows_of(const Parameters& parameters) {
    std::string_view text = parameters.text("flow");
    std::vector<Flow> flows;
    while (!text.empty()) {
        const CoreCoord from = take_core(text, "(");
        const CoreCoord to = take_core(text, ")->(");
        expressible(text.starts_with(")"), "a flow is (x,y)->(x,y), here: {}",
                    parameters.text("flow"));
        text.remove_prefix(1);
        flows.push_back({from, to});
        text.remove_prefix(std::min(text.find_first_not_of(" ,+&|"), text.size()));
    }
    return flows;
}

/// Returns an architecture with the rows that the flows name. Harvested rows differ between boards.
/// If a flow names a row that the model lacks, that row replaces the last row that no flow names.
ArchSpec with_rows_of(ArchSpec arch, const std::vector<Flow>& flows) {
    std::vector<std::uint32_t> named;
    for (const Flow& flow : flows) {
        named.push_back(flow.from.y);
        named.push_back(flow.to.y);
    }
    std::vector<std::uint32_t> fused = arch.workers.harvested_rows;
    fused.insert(fused.end(), arch.workers.dispatch_rows.begin(), arch.workers.dispatch_rows.end());
    auto& rows = arch.workers.noc_rows;
    for (const std::uint32_t y : named) {
        const bool is_missing =
            std::ranges::find(rows, y) == rows.end() && std::ranges::find(fused, y) != fused.end();
        const auto spare = std::find_if(rows.rbegin(), rows.rend(), [&](std::uint32_t row) {
            return std::ranges::find(named, row) == named.end();
        });
        if (is_missing && spare != rows.rend()) {
            *spare = y;
            std::ranges::sort(rows);
        }
    }
    return arch;
}

BurstPlace place_of(const Parameters& parameters) {
    const std::uint32_t noc = parameters.count_or("noc", 0);
    expressible(noc <= 1, "parameter noc is {}, not 0 or 1", noc);
    return {DataMovementProcessor::RISCV_0, noc == 0 ? NOC::NOC_0 : NOC::NOC_1};
}

/// Returns the logical core `hops` columns east of (0,0) on NoC 0, in row 0. Distances are those of
/// kernel coordinates. If these start at the physical coordinates of core (0,0), they are physical
/// and include the gap of DRAM and ARC; otherwise they are contiguous.
CoreCoord core_at(std::uint32_t hops, const ArchSpec& arch) {
    const CoreCoord first{arch.workers.noc_columns.front(), arch.workers.noc_rows.front()};
    if (arch.workers.virtual_origin == first) {
        return logical_core(arch, {first.x + hops, first.y});
    }
    check_core(arch, {hops, 0});
    return {hops, 0};
}

bool is_read(const Row& row) {
    const bool reads = row.workload.find("read") != std::string::npos;
    expressible(reads || row.workload.find("write") != std::string::npos,
                "workload {}: neither read nor write", row.workload);
    return reads;
}

/// Returns the model with issue times at the slow ends of their ranges. These kernels compute
/// addresses in their loops, which is the reason for these wide ranges.
Model with_long_loops(Model model) {
    constexpr Cycles kSavedByState{16};  // one or two stores, and arithmetic on 64-bit addresses
    const RiscTiming& slow = model.timing.high.risc;
    for (TimingSpec* timing : {&model.timing.low, &model.timing.expected}) {
        timing->risc.read_issue = slow.read_issue;
        timing->risc.read_issue_dram = slow.read_issue_dram;
        timing->risc.read_issue_with_state =
            std::min(slow.read_issue_with_state, slow.read_issue - kSavedByState);
        timing->risc.write_issue = slow.write_issue;
    }
    return model;
}

}  // namespace

Prediction predict_noc_flow(const Row& row, const Parameters& parameters, const Model& model) {
    const std::vector<Flow> flows = flows_of(parameters);
    expressible(flows.size() == parameters.count_or("concurrent_flows", 1),
                "{} flows run together, but {} is named",
                parameters.count_or("concurrent_flows", 1), flows.size());
    Model board = with_long_loops(model);
    board.arch = with_rows_of(model.arch, flows);
    Program program = CreateProgram();
    const auto add = is_read(row) ? add_read_burst : add_write_burst;
    for (const Flow& flow : flows) {
        const UnicastBurst burst{.far_ends = {logical_core(board.arch, flow.to)},
                                 .count = parameters.count("num_txn"),
                                 .bytes = parameters.count("bytes_per_txn")};
        add(program, board.arch, logical_core(board.arch, flow.from), burst, place_of(parameters));
    }
    Bench bench(board);
    return as_time(row, bench.run(program).zone_cycles(kBurstZone, Among::Longest), model);
}

Prediction predict_noc_read_burst(const Row& row, const Parameters& parameters,
                                  const Model& model) {
    const std::uint32_t sources = parameters.count_or("num_src", 1);
    const std::uint32_t count = parameters.count("num_txn");
    expressible(sources >= 1 && count % sources == 0, "{} transactions from {} sources", count,
                sources);
    const std::string issue = parameters.text_or("issue", "stateless");
    expressible(issue == "stateless" || (issue == "stateful" && sources == 1),
                "issue is {} with {} sources", issue, sources);
    UnicastBurst burst{.count = count / sources,
                       .bytes = parameters.count("bytes_per_txn"),
                       .commands = issue == "stateful" ? Commands::WithState : Commands::Whole,
                       .order = SourceOrder::InTurn};
    for (std::uint32_t i = 0; i < sources; ++i) {
        burst.far_ends.push_back(sources == 1 ? core_at(parameters.count("hops"), model.arch)
                                              : CoreCoord{1 + i, 0});
    }
    burst.order = sources == 1 ? SourceOrder::OneAfterTheOther : SourceOrder::InTurn;
    Program program = CreateProgram();
    add_read_burst(program, model.arch, CoreCoord{0, 0}, burst,
                   {DataMovementProcessor::RISCV_0, NOC::NOC_0});
    const Model board = with_long_loops(model);
    Bench bench(board);
    return as_time(row, bench.run(program).zone_cycles(kBurstZone, Among::Longest), model);
}

Prediction predict_noc_single(const Row& row, const Parameters& parameters, const Model& model) {
    constexpr std::uint32_t kRepeats = 8;
    const std::string noc = parameters.text("noc");
    expressible(noc == "NOC_0" || noc == "NOC_1", "parameter noc is {}, not NOC_0 or NOC_1", noc);
    const BurstPlace place{
        is_read(row) ? DataMovementProcessor::RISCV_1 : DataMovementProcessor::RISCV_0,
        noc == "NOC_0" ? NOC::NOC_0 : NOC::NOC_1};
    const std::uint32_t bytes = parameters.count("bytes");
    Program program = CreateProgram();
    const std::string far_end = parameters.text_or("far_end", "DRAM");
    expressible(far_end == "L1" || far_end == "DRAM", "far_end is {}, not L1 or DRAM", far_end);
    const CoreCoord core{0, 0};
    const SingleTransfers transfers{.is_read = is_read(row), .count = kRepeats, .bytes = bytes};
    if (far_end == "L1") {
        add_single_transfers(program, model.arch, core, CoreCoord{1, 1}, transfers, place);
    } else {
        add_single_bank_transfers(program, model.arch, core, transfers, place);
    }
    Bench bench(model);
    return as_time(row, bench.run(program).zone_cycles(kTransferZone, Among::Mean), model);
}

}  // namespace tessera::score
