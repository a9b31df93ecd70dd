// SPDX-License-Identifier: Apache-2.0
// A minimal window of one core that can run a kernel on its stack.
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

    /// Copies the image of the kernel's globals, as a launch does, and runs the kernel.
    std::vector<std::uint64_t> launch(const CompiledKernel& kernel, Processor processor,
                                      std::vector<std::uint64_t> args = {});
    /// Runs the kernel with unchanged globals.
    std::vector<std::uint64_t> run(const CompiledKernel& kernel, Processor processor,
                                   std::vector<std::uint64_t> args = {});
    /// Returns the 4-byte word at L1 address `address`.
    [[nodiscard]] std::uint32_t& word(std::uint32_t address) const;
    [[nodiscard]] std::uint64_t base() const { return base_; }
    /// Returns the instruction counts of its kernels.
    [[nodiscard]] const InstructionCounters& instructions() const { return instructions_; }

private:
    std::uint64_t reservation_ = 0;
    std::uint64_t base_ = 0;
    InstructionCounters instructions_;
};

}  // namespace tessera
