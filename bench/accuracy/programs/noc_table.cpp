// SPDX-License-Identifier: Apache-2.0
// Patterns of NoC traffic from one RISC a core: the latency table of TT-Metalium's NoC estimator.
// Source   tt-metal tests/tt_metal/tt_metal/data_movement/noc_estimator_tests and interleaved:
// which core talks to which, RISC 1 reading on NoC 1, RISC 0 writing on NoC 0, the barrier inside
// of the zone.
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

/// Transfers with each far end, of the total that a row counts.
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

/// One core and one DRAM bank: bank 0, always the same address.
Program bank_program(const NocPattern& pattern, const Parameters& parameters,
                     const ArchSpec& arch) {
    const CoreCoord core{0, 0};
    const BankBurst burst{.count = parameters.count("num_txn_total"),
                          .bytes = parameters.count("bytes_per_txn"),
                          .same_address = true};
    Program program = CreateProgram();
    const auto add = pattern.is_read ? add_bank_read : add_bank_write;
    const KernelHandle kernel =
        add(program, arch, core, burst, pattern.is_read ? kDefaultRead : kDefaultWrite);
    aim_bank_burst(program, kernel, core, 0, static_cast<std::uint32_t>(arch.dram.reserved.value));
    return program;
}

/// One core and an interleaved buffer in DRAM: as many pages as transactions.
Program page_program(const NocPattern& pattern, const Parameters& parameters, Bench& bench) {
    const std::uint32_t bytes = parameters.count("bytes_per_txn");
    const std::uint32_t pages = parameters.count("num_txn_total");
    expressible(bytes % kElementBytes == 0 && bytes > 0 && pages > 0, "{} pages of {} bytes", pages,
                bytes);
    const DeviceTensor tensor = bench.session().allocate(
        0, "pages", {.shape = {pages, bytes / kElementBytes}}, BufferType::DRAM);
    const CoreCoord core{0, 0};
    Program program = CreateProgram();
    const KernelHandle kernel =
        pattern.is_read ? add_page_read(program, bench.arch(), core, tensor.buffer, 0, kDefaultRead)
                        : add_page_write(program, bench.arch(), core, tensor.buffer, kDefaultWrite);
    aim_page_burst(program, kernel, core, tensor.buffer, 0, pages);
    return program;
}

Program program_of(const NocPattern& pattern, const Parameters& parameters, Bench& bench) {
    const std::string memory = parameters.text_or("mem", "L1");
    if (memory == "L1") {
        return pattern.mechanism == Mechanism::Unicast
                   ? unicast_program(pattern, parameters, bench.arch())
                   : multicast_program(pattern, parameters, bench.arch());
    }
    expressible(!pattern.many_masters && pattern.mechanism == Mechanism::Unicast &&
                    !parameters.flag_or("stateful", false),
                "mem {}: only whole unicast commands of one core", memory);
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
    return as_time(row, replays.zone_cycles(kBurstZone, Among::Median), model);
}

}  // namespace tessera::score
