// SPDX-License-Identifier: Apache-2.0
// Error in a value of an operand, which ops know by its name in their spec and runs by its tensor.
#pragma once

#include <string>
#include <utility>

#include "tessera/errors.hpp"

namespace tessera::ops {

/// Error in a value of an operand. A pipeline adds the step and the tensor to the message.
class OperandError : public UsageError {
public:
    OperandError(std::string operand, const std::string& text)
        : UsageError(text), operand_(std::move(operand)) {}
    [[nodiscard]] const std::string& operand() const noexcept { return operand_; }

private:
    std::string operand_;
};

}  // namespace tessera::ops
