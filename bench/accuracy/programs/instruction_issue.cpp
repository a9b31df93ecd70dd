// SPDX-License-Identifier: Apache-2.0
// Instructions of the coprocessor in a row, by one thread or by several at once. No kernel here
// issues them one by one, so what their units allow in the long run is worked out.
// Source   mesham/tt-sim perfbench/tensixbench: one figure for each of the threads.
#include "bench/accuracy/programs/instruction_issue.hpp"

#include <algorithm>

#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

/// What one instruction keeps a unit that all threads share busy with.
double occupancy(const std::string& name, const std::string& unit,
                 const InstructionTiming& timing) {
    if (unit == "CFG") {
        return timing.configuration_read.value;
    }
    const bool computes = name.ends_with("DMAREG") && name != "SETDMAREG";
    return unit == "THCON" && computes ? timing.scalar_unit.value : timing.issue.value;
}

double cycles_each(const std::string& name, const std::string& unit, double threads,
                   const InstructionTiming& timing) {
    if (unit == "NONE") {
        return timing.issue.value;  // each thread drops its own
    }
    const bool takes_turns = unit == "MATH" && threads > 1;
    const double turn = takes_turns ? threads * timing.math_handover.value : 0;
    return std::max(timing.issue.value, threads * (occupancy(name, unit, timing) + turn));
}

}  // namespace

Prediction predict_instruction_issue(const Row& row, const Parameters& parameters,
                                     const Model& model) {
    constexpr std::uint32_t kMostThreads = 3;
    const std::string name = row.workload.substr(row.workload.rfind(' ') + 1);
    const std::uint32_t threads = parameters.count_or("threads_issuing", 1);
    expressible(threads >= 1 && threads <= kMostThreads, "{} threads issue, allowed: 1 to {}",
                threads, kMostThreads);
    const auto each = [&](const TimingSpec& timing) {
        return cycles_each(name, parameters.text("unit"), threads, timing.instruction);
    };
    return as_time(
        row, {each(model.timing.low), each(model.timing.expected), each(model.timing.high)}, model);
}

}  // namespace tessera::score
