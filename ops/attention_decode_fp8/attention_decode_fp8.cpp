// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode_fp8/attention_decode_fp8.hpp"

namespace tessera::ops::attention_decode_fp8 {

const Op& op() {
    static const Op kOp = attention_decode::op_of(kSpec);
    return kOp;
}

}  // namespace tessera::ops::attention_decode_fp8
