// SPDX-License-Identifier: Apache-2.0
// Sequences of one coprocessor instruction, issued by one thread or by several at once. No kernel
// here issues single instructions, so a formula computes the long-run rate of each unit.
// Source   mesham/tt-sim perfbench/tensixbench: one figure for each thread.
#include "bench/accuracy/programs/instruction_issue.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/accuracy/units.hpp"
#include "bench/accuracy/unreplayed_costs.hpp"

namespace tessera::score {
namespace {

/// How threads that issue the same instruction affect each other.
enum class Sharing : std::uint8_t {
    Apart,    ///< not at all: each thread pays the cost of a single thread
    Shared,   ///< the unit serves one instruction at a time
    InTurns,  ///< as Shared; each instruction also hands the source registers to the next thread
};

struct InstructionRow {
    std::string_view unit;
    std::string_view name;  ///< empty: each other instruction of the unit
    double UnreplayedCosts::*cost;
    Sharing sharing;
};

// The first matching row counts. The first measurement with several threads was of MVMUL only; its
// 6.08 and 12.10 cycles were used for all of MATH. Later measurements: ELWADD and ELWMUL 6.07 and
// 12.06; SETRWC and INCRWC, which only change counters, 1.97 and 2.97; RDCFG 1.96 and 1.95.
// Source   mesham/tt-sim, perfbench/card-sessions/2026-08-17-wormhole-B/tensix.out
constexpr std::array<InstructionRow, 8> kInstructions{
    {{"NONE", "", &UnreplayedCosts::issue_cycles, Sharing::Apart},  // each thread discards its own
     {"CFG", "RDCFG", &UnreplayedCosts::configuration_read_cycles, Sharing::Apart},
     {"THCON", "SETDMAREG", &UnreplayedCosts::issue_cycles, Sharing::Shared},
     {"THCON", "", &UnreplayedCosts::scalar_unit_cycles, Sharing::Shared},
     {"MATH", "SETRWC", &UnreplayedCosts::issue_cycles, Sharing::Shared},
     {"MATH", "INCRWC", &UnreplayedCosts::issue_cycles, Sharing::Shared},
     {"MATH", "", &UnreplayedCosts::issue_cycles, Sharing::InTurns},
     {"", "", &UnreplayedCosts::issue_cycles, Sharing::Shared}}};

const InstructionRow& row_of(const std::string& name, const std::string& unit) {
    return *std::ranges::find_if(kInstructions, [&](const InstructionRow& row) {
        return (row.unit.empty() || row.unit == unit) && (row.name.empty() || row.name == name);
    });
}

double cycles_each(const InstructionRow& row, double threads, const UnreplayedCosts& costs) {
    const double cost = costs.*row.cost;
    if (threads == 1 || row.sharing == Sharing::Apart) {
        return cost;
    }
    const double turn = row.sharing == Sharing::InTurns ? threads * costs.math_handover_cycles : 0;
    return threads * (cost + turn);
}

}  // namespace

Prediction predict_instruction_issue(const Row& row, const Parameters& parameters,
                                     const Model& model) {
    constexpr std::uint32_t kMostThreads = 3;
    const std::string name = row.workload.substr(row.workload.rfind(' ') + 1);
    const std::uint32_t threads = parameters.count_or("threads_issuing", 1);
    expressible(threads >= 1 && threads <= kMostThreads, "{} threads issue, allowed: 1 to {}",
                threads, kMostThreads);
    const InstructionRow& instruction = row_of(name, parameters.text("unit"));
    const auto each = [&](const UnreplayedCosts& costs) {
        return cycles_each(instruction, threads, costs);
    };
    return as_time(row, {each(model.costs.low), each(model.costs.expected), each(model.costs.high)},
                   model);
}

}  // namespace tessera::score
