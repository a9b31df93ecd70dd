// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_dispatch_batched/moe_dispatch_batched.hpp"

namespace tessera::ops::moe_dispatch_batched {

const Op& op() {
    static const Op kOp = token_exchange::dispatch_op(kSpec, token_exchange::Form::Batches);
    return kOp;
}

}  // namespace tessera::ops::moe_dispatch_batched
