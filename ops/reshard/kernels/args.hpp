// SPDX-License-Identifier: Apache-2.0
// Arguments of reshard's kernels.
#pragma once

#include "../../shared/kernels/named_args.hpp"

namespace tessera::ops::reshard {

NAMED_COMPILE_ARGS(ShardArgs,
                   tensor_columns,  // pages of a row of the tensor
                   shard_columns,   // pages of a row of a shard
                   page_size, page_stride);
NAMED_TENSORS(RemoteTensors, remote);  // source or destination tensor of the pages
NAMED_RUNTIME_ARGS(ShardRange, shard_address,
                   first_page,   // page of the tensor at the shard's top left corner
                   num_columns,  // columns of the shard inside of the tensor
                   begin, end);  // pages of the shard that this kernel moves, row by row

}  // namespace tessera::ops::reshard
