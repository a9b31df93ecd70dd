// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_dispatch/moe_dispatch.hpp"

namespace tessera::ops::moe_dispatch {

const Op& op() {
    static const Op kOp = token_exchange::dispatch_op(kSpec, token_exchange::Form::Rows);
    return kOp;
}

}  // namespace tessera::ops::moe_dispatch
