// SPDX-License-Identifier: Apache-2.0
// Arguments of all_to_all's reader. Its writer is that of moe_dispatch.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::all_to_all {

NAMED_TENSORS(ReaderTensors, input);
NAMED_RUNTIME_ARGS(PageArgs, page_bytes,
                   piece_bytes);  // bytes of a page in one packet
/// Follows the words of the peers, one for each: pages of this core's share of a part.
NAMED_RUNTIME_ARGS(PeerPages,
                   first_here,   // page of the input
                   first_there,  // page of the peer's output
                   num_pages);

}  // namespace tessera::ops::all_to_all
