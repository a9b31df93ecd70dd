// SPDX-License-Identifier: Apache-2.0
// Arguments of kernels that repeat instructions or calls on one core, which their programs share.
#pragma once

#include "../../../ops/shared/kernels/named_args.hpp"

namespace tessera::score {

NAMED_COMPILE_ARGS(FeederArgs, count, in0_pages, in1_pages);
NAMED_COMPILE_ARGS(InstructionMixArgs, mix, rounds, address, operand);
NAMED_COMPILE_ARGS(MatmulTileLoopArgs, count);
NAMED_COMPILE_ARGS(MultiplyLoopArgs, count,
                   block);  // tiles per DST handover
NAMED_COMPILE_ARGS(UntilizeLoopArgs, count, by_packer);

}  // namespace tessera::score
