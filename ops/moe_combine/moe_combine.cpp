// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_combine/moe_combine.hpp"

namespace tessera::ops::moe_combine {

const Op& op() {
    static const Op kOp = token_exchange::combine_op(kSpec, token_exchange::Form::Rows,
                                                     token_exchange::Result::Summed);
    return kOp;
}

}  // namespace tessera::ops::moe_combine
