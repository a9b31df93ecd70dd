// SPDX-License-Identifier: Apache-2.0
// Builds the program of one device from its description in a run file: splits work over cores,
// evaluates arguments, and creates circular buffers, semaphores and kernels.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "ops/op.hpp"
#include "runtime/steps/scope.hpp"
#include "runtime/steps/yaml_program.hpp"
#include "tessera/errors.hpp"
#include "tessera/program.hpp"

namespace tessera::pipeline {

/// Mistake in one key of a program: "kernels[0].args".
class ProgramMistake : public UsageError {
public:
    ProgramMistake(std::string key, const std::string& what)
        : UsageError(fmt::format("program.{}: {}", key, what)), key_(std::move(key)), text_(what) {}
    [[nodiscard]] std::string path() const { return "program." + key_; }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string key_;
    std::string text_;
};

/// Returns the program of the device at `position` of the context, whose tensors have addresses.
/// Errors   ProgramMistake naming the wrong key: an expression, or a rule of CreateKernel,
///          CreateCircularBuffer, CreateSemaphore or the split of work.
[[nodiscard]] Program build_program(const ProgramSpec& spec, const ops::Op& op,
                                    const ops::OpContext& context, std::size_t position,
                                    const Scope& params);

}  // namespace tessera::pipeline
