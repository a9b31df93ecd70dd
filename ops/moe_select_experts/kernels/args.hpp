// SPDX-License-Identifier: Apache-2.0
// Arguments and circular buffers of moe_select_experts' kernel.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops {

/// Conversion of logits to the scores that select groups and experts, and to weights. With the last
/// two values, logits select, and only the logits of the selected experts become weights.
enum class RouterScoring : std::uint8_t { Sigmoid, Softmax, None, TopkSoftmax, Llama4 };

}  // namespace tessera::ops

namespace tessera::ops::moe_select_experts {

// Each of a core's two data-movement RISCs has its own.
enum class Cb : std::uint32_t { ReaderScratch = 0, WriterScratch = 1 };

NAMED_COMPILE_ARGS(SelectArgs,
                   experts,          // number of a token's logits
                   n_group,          // groups of neighbouring experts
                   topk_group,       // groups that a token chooses from
                   top_k,            // experts of a token
                   scoring,          // RouterScoring
                   has_bias,         // 1: choices are scores plus bias
                   normalises,       // 1: weights of a token are divided by their sum; always
                                     // with TopkSoftmax
                   factor_bits,      // fp32: every weight is multiplied with it
                   row_bytes,        // bytes of a row over all experts in L1
                   short_row_bytes,  // bytes of a row over choices or groups in L1
                   num_outputs,      // the first ones of the tables are written
                   has_bf16_logits,  // 1: bfloat16, else float32
                   has_bf16_bias);
NAMED_RUNTIME_ARGS(SelectShare, first_token, num_tokens,
                   scratch_cb);  // Cb of this RISC
NAMED_TENSORS(SelectTensors, logits, bias, ids, weights, bf16_weights, groups, group_scores, scores,
              choices);

}  // namespace tessera::ops::moe_select_experts
