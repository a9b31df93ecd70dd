// SPDX-License-Identifier: Apache-2.0
// Patterns of NoC traffic from one RISC per core: the latency table of TT-Metalium's NoC estimator.
// Source   tt-metal tests/tt_metal/tt_metal/data_movement/noc_estimator_tests and interleaved:
//          senders and receivers; RISC 1 reads on NoC 1, RISC 0 writes on NoC 0; the barrier is
//          inside of the zone.
#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/bursts.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/noc_pattern.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

Commands commands_of(const Parameters& parameters) {
    return parameters.flag_or("stateful", false) ? Commands::WithState : Commands::Whole;
}

/// Returns the transfers per far end of the row's total.
std::uint32_t per_far_end(const Parameters& parameters, const NocParties& parties) {
    const std::uint32_t total = parameters.count("num_txn_total");
    const auto far_ends = static_cast<std::uint32_t>(parties.far_ends.size());
    expressible(total % far_ends == 0, "{} transactions over {} far ends", total, far_ends);
    return total / far_ends;
}

Program unicast_program(const NocPattern& pattern, const Parameters& parameters,
                        const ArchSpec& arch) {
    const NocParties parties = noc_parties_of(pattern, parameters, arch);
    const UnicastBurst burst{.far_ends = parties.far_ends,
                             .count = per_far_end(parameters, parties),
                             .bytes = parameters.count("bytes_per_txn"),
                             .commands = commands_of(parameters)};
    Program program = CreateProgram();
    const auto add = pattern.is_read ? add_read_burst : add_write_burst;
    add(program, arch, parties.masters, burst, pattern.is_read ? kDefaultRead : kDefaultWrite);
    return program;
}

Program multicast_program(const NocPattern& pattern, const Parameters& parameters,
                          const ArchSpec& arch) {
    expressible(!pattern.is_read, "a multicast does not read");
    const NocParties parties = noc_parties_of(pattern, parameters, arch);
    Program program = CreateProgram();
    add_multicast_burst(program, arch, parties.masters,
                        {.receivers = parties.rectangle,
                         .count = parameters.count("num_txn_total"),
                         .bytes = parameters.count("bytes_per_txn"),
                         .includes_sender = parameters.flag_or("loopback", false),
                         .is_linked = pattern.mechanism == Mechanism::LinkedMulticast});
    return program;
}

/// DRAM pages of a burst. The interleaved buffer has as many pages as there are banks, so page and
/// bank have the same number. A core cycles through the pages or uses one page only.
struct DramTurn {
    CoreCoord core;
    std::uint32_t first = 0;  ///< page
};

/// The sweep runs on NoC 0, then on NoC 1, and its table keeps the last result. Writes of all cores
/// are as fast as reads measured elsewhere on NoC 0; their data uses the same links in the other
/// direction. Reads use NoC 1 in any case.
constexpr BurstPlace kDramWrite{DataMovementProcessor::RISCV_0, NOC::NOC_1};

/// Returns the first bank of each master: bank 0 for core (0,0), bank i for the i-th of many
/// masters, row by row.
std::vector<DramTurn> dram_turns_of(const NocPattern& pattern, const Parameters& parameters,
                                    const ArchSpec& arch) {
    if (!pattern.many_masters) {
        return {{{0, 0}, 0}};
    }
    const GridSize grid = parameters.grid("grid");
    check_core(arch, {grid.columns - 1, grid.rows - 1});
    std::vector<DramTurn> turns;
    for (std::uint32_t i = 0; i < grid.columns * grid.rows; ++i) {
        turns.push_back({{i % grid.columns, i / grid.columns}, i % arch.dram.num_banks});
    }
    return turns;
}

/// Makes many masters pass a barrier first, so that the time from the first start to the last end
/// is meaningful.
Start start_of(const NocPattern& pattern) {
    return pattern.many_masters ? Start::BehindBarrier : Start::ByItself;
}

/// Every core uses one address of one bank.
Program bank_program(const NocPattern& pattern, const Parameters& parameters,
                     const ArchSpec& arch) {
    const BankBurst burst{.count = parameters.count("num_txn_total"),
                          .bytes = parameters.count("bytes_per_txn"),
                          .same_address = true,
                          .start = start_of(pattern)};
    Program program = CreateProgram();
    const auto add = pattern.is_read ? add_bank_read : add_bank_write;
    for (const DramTurn& turn : dram_turns_of(pattern, parameters, arch)) {
        const KernelHandle kernel =
            add(program, arch, turn.core, burst, pattern.is_read ? kDefaultRead : kDramWrite);
        aim_bank_burst(program, kernel, turn.core, turn.first,
                       static_cast<std::uint32_t>(arch.dram.reserved.value));
    }
    return program;
}

/// Every core cycles through the pages.
Program page_program(const NocPattern& pattern, const Parameters& parameters, Bench& bench) {
    const std::uint32_t bytes = parameters.count("bytes_per_txn");
    const std::uint32_t count = parameters.count("num_txn_total");
    expressible(bytes % kElementBytes == 0 && bytes > 0 && count > 0, "{} pages of {} bytes", count,
                bytes);
    const ArchSpec& arch = bench.arch();
    const PageBurst burst{.start = start_of(pattern)};
    const DeviceTensor tensor = bench.session().allocate(
        0, "pages", {.shape = {arch.dram.num_banks, bytes / kElementBytes}}, BufferType::DRAM);
    Program program = CreateProgram();
    for (const DramTurn& turn : dram_turns_of(pattern, parameters, arch)) {
        const KernelHandle kernel =
            pattern.is_read
                ? add_page_read(program, arch, turn.core, tensor.buffer, burst, kDefaultRead)
                : add_page_write(program, arch, turn.core, tensor.buffer, burst, kDramWrite);
        aim_page_burst(program, kernel, turn.core, tensor.buffer, turn.first, count);
    }
    return program;
}

Program program_of(const NocPattern& pattern, const Parameters& parameters, Bench& bench) {
    const std::string memory = parameters.text_or("mem", "L1");
    if (memory == "L1") {
        return pattern.mechanism == Mechanism::Unicast
                   ? unicast_program(pattern, parameters, bench.arch())
                   : multicast_program(pattern, parameters, bench.arch());
    }
    expressible(pattern.mechanism == Mechanism::Unicast && !parameters.flag_or("stateful", false),
                "mem {}: only whole unicast commands", memory);
    expressible(memory == "DRAM_sharded" || memory == "DRAM_interleaved",
                "mem is {}, not L1, DRAM_sharded or DRAM_interleaved", memory);
    return memory == "DRAM_sharded" ? bank_program(pattern, parameters, bench.arch())
                                    : page_program(pattern, parameters, bench);
}

}  // namespace

Prediction predict_noc_table(const Row& row, const Parameters& parameters, const Model& model) {
    const NocPattern pattern = noc_pattern_of(row, parameters);
    Bench bench(model);
    const Replays replays = bench.run(program_of(pattern, parameters, bench));
    const bool is_dram = parameters.text_or("mem", "L1") != "L1";
    return as_time(row,
                   is_dram && pattern.many_masters ? replays.zones_span_cycles(kBurstZone)
                                                   : replays.zone_cycles(kBurstZone, Among::Median),
                   model);
}

}  // namespace tessera::score
