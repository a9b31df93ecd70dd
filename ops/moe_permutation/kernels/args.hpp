// SPDX-License-Identifier: Apache-2.0
// Arguments and the circular buffer of moe_permutation's kernel.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::moe_permutation {

enum class Cb : std::uint32_t { Scratch = 0 };

// Tables begin at multiples of it in L1: each is stored by one write, and DRAM's alignment is at
// most this on every device.
inline constexpr std::uint32_t kAlignment = 64;

// The op's outputs, in their order: host and kernel keep lengths and tensors of the same tables.
#define PERMUTATION_TABLES                                                              \
    histogram, local_histogram, total, prefix, expanded_to_permuted, permuted_to_token, \
        permuted_to_expanded, cta_to_expert, cta_to_limit, num_ctas

NAMED_COMPILE_ARGS(RoutingArgs, num_tokens, top_k,
                   num_local,                          // experts of the device
                   tile);                              // tokens of a CTA
NAMED_COMPILE_ARGS(TableLengths, PERMUTATION_TABLES);  // in entries of four bytes

// Before the addresses of the tensors.
NAMED_RUNTIME_ARGS(LocalRange, first_expert);
NAMED_TENSORS(Tensors, topk_ids, PERMUTATION_TABLES);

}  // namespace tessera::ops::moe_permutation
