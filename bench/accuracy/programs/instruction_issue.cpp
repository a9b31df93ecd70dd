// SPDX-License-Identifier: Apache-2.0
// Instructions of the coprocessor in a row, by one thread or by several at once. No kernel here
// issues them one by one, so what their units allow in the long run is worked out.
// Source   mesham/tt-sim perfbench/tensixbench: one figure for each of the threads.
#include "bench/accuracy/programs/instruction_issue.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

/// What threads that issue one instruction side by side are to each other.
enum class Sharing : std::uint8_t {
    Apart,    ///< nothing: each pays what it pays alone
    Shared,   ///< a unit that serves one instruction after the other
    InTurns,  ///< that, and each instruction hands the unit's source registers to the next thread
};

struct InstructionRow {
    std::string_view unit;
    std::string_view name;  ///< empty: all others of the unit
    Cycles InstructionTiming::*cost;
    Sharing sharing;
};

// The first row that fits counts. MVMUL alone was measured with several threads at first, and its
// 6.08 and 12.10 cycles were taken for all of MATH; ELWADD and ELWMUL take 6.07 and 12.06, SETRWC
// and INCRWC, which touch counters alone, 1.97 and 2.97, RDCFG 1.96 and 1.95.
// Source   mesham/tt-sim, perfbench/card-sessions/2026-08-17-wormhole-B/tensix.out
constexpr std::array<InstructionRow, 8> kInstructions{
    {{"NONE", "", &InstructionTiming::issue, Sharing::Apart},  // each thread drops its own
     {"CFG", "RDCFG", &InstructionTiming::configuration_read, Sharing::Apart},
     {"THCON", "SETDMAREG", &InstructionTiming::issue, Sharing::Shared},
     {"THCON", "", &InstructionTiming::scalar_unit, Sharing::Shared},
     {"MATH", "SETRWC", &InstructionTiming::issue, Sharing::Shared},
     {"MATH", "INCRWC", &InstructionTiming::issue, Sharing::Shared},
     {"MATH", "", &InstructionTiming::issue, Sharing::InTurns},
     {"", "", &InstructionTiming::issue, Sharing::Shared}}};

const InstructionRow& row_of(const std::string& name, const std::string& unit) {
    return *std::ranges::find_if(kInstructions, [&](const InstructionRow& row) {
        return (row.unit.empty() || row.unit == unit) && (row.name.empty() || row.name == name);
    });
}

double cycles_each(const InstructionRow& row, double threads, const InstructionTiming& timing) {
    const double cost = (timing.*row.cost).value;
    if (threads == 1 || row.sharing == Sharing::Apart) {
        return cost;
    }
    const double turn = row.sharing == Sharing::InTurns ? threads * timing.math_handover.value : 0;
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
    const auto each = [&](const TimingSpec& timing) {
        return cycles_each(instruction, threads, timing.instruction);
    };
    return as_time(
        row, {each(model.timing.low), each(model.timing.expected), each(model.timing.high)}, model);
}

}  // namespace tessera::score
