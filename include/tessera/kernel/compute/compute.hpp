// SPDX-License-Identifier: Apache-2.0
// The whole compute side of the kernel API.
#pragma once

#include "tessera/kernel/compute/bcast.hpp"
#include "tessera/kernel/compute/copy.hpp"
#include "tessera/kernel/compute/eltwise_binary.hpp"
#include "tessera/kernel/compute/init.hpp"
#include "tessera/kernel/compute/llk.hpp"
#include "tessera/kernel/compute/matmul.hpp"
#include "tessera/kernel/compute/pack.hpp"
#include "tessera/kernel/compute/reconfig.hpp"
#include "tessera/kernel/compute/reduce.hpp"
#include "tessera/kernel/compute/sfpu.hpp"
#include "tessera/kernel/compute/sfpu_blocks.hpp"
#include "tessera/kernel/compute/sfpu_formulas.hpp"
#include "tessera/kernel/compute/sfpu_select.hpp"
#include "tessera/kernel/compute/tile_regs.hpp"
#include "tessera/kernel/compute/tile_value.hpp"
#include "tessera/kernel/compute/tilize.hpp"
#include "tessera/kernel/compute/transpose.hpp"
#include "tessera/kernel/compute/untilize.hpp"
