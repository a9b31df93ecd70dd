// SPDX-License-Identifier: Apache-2.0
// Configuration of a kernel: its processor, arguments and defines.
#include <utility>

#include "tessera/program.hpp"

namespace tessera {

DataMovementConfig ReaderDataMovementConfig(std::vector<std::uint32_t> compile_args,
                                            Defines defines) {
    return {.processor = DataMovementProcessor::RISCV_1,
            .noc = NOC::NOC_0,
            .compile_args = std::move(compile_args),
            .defines = std::move(defines),
            .named_compile_args = {}};
}

DataMovementConfig WriterDataMovementConfig(std::vector<std::uint32_t> compile_args,
                                            Defines defines) {
    return {.processor = DataMovementProcessor::RISCV_0,
            .noc = NOC::NOC_1,
            .compile_args = std::move(compile_args),
            .defines = std::move(defines),
            .named_compile_args = {}};
}

Processor KernelDescription::processor() const {
    const auto* mover = std::get_if<DataMovementConfig>(&config);
    if (mover == nullptr) {
        return Processor::Compute;
    }
    return mover->processor == DataMovementProcessor::RISCV_0 ? Processor::Riscv0
                                                              : Processor::Riscv1;
}

const std::vector<std::uint32_t>& KernelDescription::compile_args() const {
    return std::visit(
        [](const auto& c) -> const auto& { return c.compile_args; }, config);
}

const Defines& KernelDescription::defines() const {
    return std::visit(
        [](const auto& c) -> const auto& { return c.defines; }, config);
}

const NamedCompileArgs& KernelDescription::named_compile_args() const {
    return std::visit(
        [](const auto& c) -> const auto& { return c.named_compile_args; }, config);
}

}  // namespace tessera
