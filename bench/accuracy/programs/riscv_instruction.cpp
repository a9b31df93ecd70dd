// SPDX-License-Identifier: Apache-2.0
// Sequences of baby RISC-V instructions in a kernel that the compiler pass counts as usual.
// Source   mesham/tt-sim perfbench, retirebench: rounds of 16 or 64 in a loop, cycles over retired
//          instructions.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/kernels/loop_args.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::score {
namespace {

/// One instruction mix, by its number in the kernel.
struct Mix {
    std::string_view name;
    std::uint32_t instructions;  ///< per round, without the loop's own
};

constexpr std::array<Mix, 11> kMixes{{{"alu_dep", 64},
                                      {"alu_ind", 64},
                                      {"mul_dep", 64},
                                      {"mul_ind", 64},
                                      {"div_small", 16},
                                      {"div_large", 16},
                                      {"load_dep", 64},
                                      {"load_ind", 64},
                                      {"store_spread", 64},
                                      {"branch_nt", 128},
                                      {"branch_t", 128}}};

std::uint32_t number_of(std::string_view name) {
    const auto found = std::ranges::find(kMixes, name, &Mix::name);
    expressible(found != kMixes.end(), "instructions {}: no kernel here issues them", name);
    return static_cast<std::uint32_t>(found - kMixes.begin());
}

}  // namespace

Prediction predict_riscv_instruction(const Row& row, const Parameters& /*parameters*/,
                                     const Model& model) {
    constexpr std::uint32_t kRounds = 64;
    constexpr std::uint32_t kLoop = 2;  // an addition and a branch
    constexpr std::uint32_t kOperand = 3;
    const std::uint32_t mix = number_of(row.workload.substr(row.workload.rfind(' ') + 1));
    Program program = CreateProgram();
    (void)CreateKernel(program, "bench/accuracy/kernels/instruction_mix.cpp", CoreCoord{0, 0},
                       DataMovementConfig{.processor = DataMovementProcessor::RISCV_0,
                                          .compile_args = {},
                                          .defines = {},
                                          .named_compile_args = ops::named(
                                              InstructionMixArgs{.mix = mix,
                                                                 .rounds = kRounds,
                                                                 .address = free_l1(model.arch),
                                                                 .operand = kOperand})});
    Bench bench(model);
    const Prediction zone = bench.run(std::move(program)).zone_cycles("mix", Among::Longest);
    const double retired = kRounds * (kMixes.at(mix).instructions + kLoop);
    return as_time(row, zone.as([retired](double cycles) { return cycles / retired; }), model);
}

}  // namespace tessera::score
