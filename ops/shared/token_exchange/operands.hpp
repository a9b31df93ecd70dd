// SPDX-License-Identifier: Apache-2.0
// Operands that the ops of a token exchange have in common.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::token_exchange {

/// Inputs of both forms of dispatch.
inline constexpr std::array kDispatchInputs{
    Operand{"tokens", "(T, H)", "any", "ROW_MAJOR"},
    Operand{"topk_ids", "(T, K)", "int32 | uint32", "ROW_MAJOR"},
    Operand{"topk_weights", "(T, K)", "float32 | bfloat16", "ROW_MAJOR"},
    Operand{.name = "scales",
            .shape = "(T, S)",
            .format = "any",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional}};

/// Outputs of moe_dispatch by which moe_combine returns rows.
inline constexpr Operand kSource{.name = "source",
                                 .shape = "(M, 2)",
                                 .format = "uint32",
                                 .layout = "ROW_MAJOR",
                                 .valid_rows = "num_received",
                                 .rows_are = ValidRows::Packed};
inline constexpr Operand kNumReceived{"num_received", "(1, 1)", "uint32", "ROW_MAJOR"};
inline constexpr Operand kSlots{"slots", "(T, K)", "int32", "ROW_MAJOR"};

}  // namespace tessera::ops::token_exchange
