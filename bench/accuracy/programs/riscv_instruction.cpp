// SPDX-License-Identifier: Apache-2.0
// Instructions of a baby RISC-V in a row. The kernel pass prices them by class, from these very
// figures, so a row shows what one price for a class costs: loads that wait for each other and
// loads that do not have the same.
// Source   mesham/tt-sim perfbench, retirebench.
#include <fmt/format.h>

#include <array>

#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

using ClassCost = Cycles RiscTiming::*;

constexpr std::array<std::pair<std::string_view, ClassCost>, 6> kClassCosts{
    {{"alu", &RiscTiming::instruction},
     {"branch", &RiscTiming::instruction},
     {"div", &RiscTiming::division},
     {"load", &RiscTiming::load},
     {"mul", &RiscTiming::instruction},
     {"store", &RiscTiming::store}}};

ClassCost cost_of(std::string_view instructions) {
    for (const auto& [name, cost] : kClassCosts) {
        if (instructions.starts_with(name)) {
            return cost;
        }
    }
    throw NotExpressible(fmt::format("instructions {}: no class has them", instructions));
}

}  // namespace

Prediction predict_riscv_instruction(const Row& row, const Parameters& /*parameters*/,
                                     const Model& model) {
    const ClassCost cost = cost_of(row.workload.substr(row.workload.rfind(' ') + 1));
    const auto& [low, expected, high] = model.timing;
    return as_time(row,
                   Prediction::within((low.risc.*cost).value, (expected.risc.*cost).value,
                                      (high.risc.*cost).value),
                   model);
}

}  // namespace tessera::score
