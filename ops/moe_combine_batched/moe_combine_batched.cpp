// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_combine_batched/moe_combine_batched.hpp"

namespace tessera::ops::moe_combine_batched {

const Op& op() {
    static const Op kOp = token_exchange::combine_op(kSpec, token_exchange::Form::Batches,
                                                     token_exchange::Result::Summed);
    return kOp;
}

}  // namespace tessera::ops::moe_combine_batched
