// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_combine_slots/moe_combine_slots.hpp"

namespace tessera::ops::moe_combine_slots {

const Op& op() {
    static const Op kOp = token_exchange::combine_op(kSpec, token_exchange::Form::Batches,
                                                     token_exchange::Result::BySlot);
    return kOp;
}

}  // namespace tessera::ops::moe_combine_slots
