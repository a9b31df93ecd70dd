// SPDX-License-Identifier: Apache-2.0
// One core's window, just enough of it to run a kernel on its stack.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/kernels/compiled_kernel.hpp"
#include "tessera/instruction_counters.hpp"
#include "tessera/processor.hpp"

namespace tessera {

class CoreWindow {
public:
    CoreWindow();
    ~CoreWindow();
    CoreWindow(const CoreWindow&) = delete;
    CoreWindow& operator=(const CoreWindow&) = delete;

    /// Copies the image of the kernel's globals, as a launch does, and runs it.
    std::vector<std::uint64_t> launch(const CompiledKernel& kernel, Processor processor,
                                      std::vector<std::uint64_t> args = {});
    /// Runs it with the globals as they are.
    std::vector<std::uint64_t> run(const CompiledKernel& kernel, Processor processor,
                                   std::vector<std::uint64_t> args = {});
    /// The 4-byte word at L1 address `address`.
    [[nodiscard]] std::uint32_t& word(std::uint32_t address) const;
    [[nodiscard]] std::uint64_t base() const { return base_; }
    /// What its kernels have counted.
    [[nodiscard]] const InstructionCounters& instructions() const { return instructions_; }

private:
    std::uint64_t reservation_ = 0;
    std::uint64_t base_ = 0;
    InstructionCounters instructions_;
};

}  // namespace tessera
