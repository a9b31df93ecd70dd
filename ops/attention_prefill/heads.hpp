// SPDX-License-Identifier: Apache-2.0
// The form of a call whose keys and values have separate heads, shared by groups of queries.
#pragma once

#include "ops/attention_prefill/attention_prefill.hpp"
#include "ops/shared/attention/attention.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::attention_prefill {

/// Operands of both forms.
inline constexpr std::size_t kQuery = "query"_in;
inline constexpr std::size_t kQueryRope = "q_rope"_in;
inline constexpr std::size_t kKv = "kv"_in;
inline constexpr std::size_t kKeyRope = "k_rope"_in;
inline constexpr std::size_t kStarts = "sequence_starts"_in;
inline constexpr std::size_t kContexts = "contexts"_in;
inline constexpr std::size_t kChosen = "chosen"_in;
/// Operands of heads of keys and values alone.
inline constexpr std::size_t kValues = "values"_in;
inline constexpr std::size_t kPageTable = "page_table"_in;
inline constexpr std::size_t kSinks = "sinks"_in;

/// Functions of a call that has `values`: rules, output, program and reference.
void judge_head_form(const OpContext& context, RuleJudge& judge);
[[nodiscard]] std::vector<TensorPlan> infer_heads(const OpContext& context);
[[nodiscard]] Program head_program(const OpContext& context, std::size_t position);
[[nodiscard]] std::vector<HostTensor> head_reference(const ReferenceContext& context);
/// Errors   UsageError if a sequence leaves its pages or its rows of keys, or needs a page that is
///          −1.
void check_head_values(const ReferenceContext& context);

/// Reader kernel of either form.
struct Reader {
    const char* source;
    DataMovementConfig config;
    std::vector<std::uint32_t> addresses;  ///< of its tensors
};
/// Returns the program of either form on the cores of `work`, which take units of work by
/// ReaderShare.
[[nodiscard]] Program program_of(const OpContext& context, const SharedWork& work,
                                 const attention::Shapes& shapes, const Reader& reader,
                                 const DeviceTensor& output);

/// Returns the least work of a call of either form (Op::bound).
[[nodiscard]] LeastWork work_of(const BoundContext& context);

/// Errors   UsageError unless starts ascend from 0 to at most `tokens`.
void check_starts(std::span<const std::int32_t> starts, std::int64_t tokens);

}  // namespace tessera::ops::attention_prefill
