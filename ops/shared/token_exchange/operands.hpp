// SPDX-License-Identifier: Apache-2.0
// Operands that the ops of a token exchange have in common.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ops/op.hpp"
#include "ops/shared/token_exchange/dispatch.hpp"

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

/// Outputs of a dispatch of rows.
inline constexpr std::array kRowsOutputs{Operand{.name = "received",
                                                 .shape = "(M, H)",
                                                 .format = "=tokens",
                                                 .layout = "ROW_MAJOR",
                                                 .valid_rows = "num_received",
                                                 .rows_are = ValidRows::Packed},
                                         Operand{.name = "received_ids",
                                                 .shape = "(M, K)",
                                                 .format = "int32",
                                                 .layout = "ROW_MAJOR",
                                                 .valid_rows = "num_received",
                                                 .rows_are = ValidRows::Packed},
                                         Operand{.name = "received_weights",
                                                 .shape = "(M, K)",
                                                 .format = "=topk_weights",
                                                 .layout = "ROW_MAJOR",
                                                 .valid_rows = "num_received",
                                                 .rows_are = ValidRows::Packed},
                                         kSource,
                                         kNumReceived,
                                         kSlots,
                                         Operand{.name = "received_scales",
                                                 .shape = "(M, S)",
                                                 .format = "=scales",
                                                 .layout = "ROW_MAJOR",
                                                 .valid_rows = "num_received",
                                                 .presence = Presence::Optional,
                                                 .rows_are = ValidRows::Packed}};

/// Outputs of a dispatch of batches.
inline constexpr std::array kBatchesOutputs{
    Operand{"received", "(E/D, M, H)", "=tokens", "ROW_MAJOR", "num_received"},
    Operand{"source", "(E/D, M)", "uint32", "ROW_MAJOR", "num_received"},
    Operand{"num_received", "(E/D, 1)", "uint32", "ROW_MAJOR"}, kSlots,
    Operand{.name = "received_scales",
            .shape = "(E/D, M, S)",
            .format = "=scales",
            .layout = "ROW_MAJOR",
            .valid_rows = "num_received",
            .presence = Presence::Optional}};

/// Inputs of a combine of rows.
inline constexpr std::array kCombineRowsInputs{
    Operand{.name = "rows",
            .shape = "(M, H)",
            .format = "bfloat16",
            .layout = "ROW_MAJOR",
            .valid_rows = "num_received",
            .rows_are = ValidRows::Packed},
    kSource, kNumReceived, kSlots, Operand{"topk_ids", "(T, K)", "int32 | uint32", "ROW_MAJOR"}};

/// Inputs of a combine of batches. One that does not sum has no weights.
inline constexpr std::array kCombineBatchesInputs{
    Operand{"rows", "(E/D, M, H)", "bfloat16", "ROW_MAJOR", "num_received"},
    Operand{"source", "(E/D, M)", "uint32", "ROW_MAJOR", "num_received"},
    Operand{"num_received", "(E/D, 1)", "uint32", "ROW_MAJOR"}, kSlots,
    Operand{.name = "topk_weights",
            .shape = "(T, K)",
            .format = "float32 | bfloat16",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional}};

/// Positions of the inputs of both forms of dispatch.
inline constexpr std::size_t kTokens = place_of(kDispatchInputs, "tokens");
inline constexpr std::size_t kIds = place_of(kDispatchInputs, "topk_ids");
inline constexpr std::size_t kWeights = place_of(kDispatchInputs, "topk_weights");
inline constexpr std::size_t kScales = place_of(kDispatchInputs, "scales");

/// Positions of the outputs of a form of dispatch.
struct OutputPlaces {
    std::size_t received;
    std::size_t ids;
    std::size_t weights;
    std::size_t source;
    std::size_t num_received;
    std::size_t slots;
    std::size_t scales;
};
/// Batches have no ids and weights.
inline constexpr std::size_t kAbsent = ~std::size_t{0};
[[nodiscard]] constexpr OutputPlaces places_of(Form form) {
    if (form == Form::Rows) {
        return {.received = place_of(kRowsOutputs, "received"),
                .ids = place_of(kRowsOutputs, "received_ids"),
                .weights = place_of(kRowsOutputs, "received_weights"),
                .source = place_of(kRowsOutputs, "source"),
                .num_received = place_of(kRowsOutputs, "num_received"),
                .slots = place_of(kRowsOutputs, "slots"),
                .scales = place_of(kRowsOutputs, "received_scales")};
    }
    return {.received = place_of(kBatchesOutputs, "received"),
            .ids = kAbsent,
            .weights = kAbsent,
            .source = place_of(kBatchesOutputs, "source"),
            .num_received = place_of(kBatchesOutputs, "num_received"),
            .slots = place_of(kBatchesOutputs, "slots"),
            .scales = place_of(kBatchesOutputs, "received_scales")};
}

/// Positions of inputs that one form of combine has: rows have ids, batches may have weights.
inline constexpr std::size_t kTopkIds = place_of(kCombineRowsInputs, "topk_ids");
inline constexpr std::size_t kTopkWeights = place_of(kCombineBatchesInputs, "topk_weights");

/// Returns the position of an input that both forms of combine have in the same place. Another name
/// does not compile.
consteval std::size_t combine_input(std::string_view name) {
    const std::size_t place = place_of(kCombineRowsInputs, name);
    if (place_of(kCombineBatchesInputs, name) != place) {
        throw "the two forms of combine have this operand in different places";
    }
    return place;
}

}  // namespace tessera::ops::token_exchange
