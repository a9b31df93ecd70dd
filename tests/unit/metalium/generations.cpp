// SPDX-License-Identifier: Apache-2.0
// Headers of all three API generations in one translation unit, under the names that kernels use.
#include "tests/unit/metalium/generations.hpp"

#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/transpose.h"
#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc.h"
#include "api/debug/dprint.h"
#include "api/tensor/tensor_accessor.h"
#include "compute_kernel_api.h"
#include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"
#include "compute_kernel_api/matmul.h"
#include "dataflow_api.h"
#include "debug/dprint.h"
#include "experimental/endpoints.h"
#include "experimental/noc_semaphore.h"
#include "hostdevcommon/kernel_structs.h"
#include "tessera/kernel/kernel.hpp"
#include "third_party/tracy/public/tracy/Tracy.hpp"
#include "tools/profiler/kernel_profiler.hpp"

namespace NAMESPACE {
void MAIN {
    DeviceZoneScopedN("generation A");
    DPRINT_MATH(DPRINT << "tile " << HEX() << 3 << ENDL());
    constexpr tt::CBIndex cb_in = tt::CBIndex::c_0;
    static_assert(cb_in == static_cast<int>(tt::CB::c_in0));
    acquire_dst(tt::DstMode::Half);
    MATH((fill_tile(0, 4.0F)));
    recip_tile_init();
    recip_tile(0);
    PACK((pack_tile(0, tt::CBIndex::c_16)));
    release_dst(tt::DstMode::Half);
}
}  // namespace NAMESPACE

namespace tessera::testing {

void generation_a() {
    tessera_kernel_entry::kernel_main();
}

void generation_b() {
    tile_regs_acquire();
    fill_tile(0, 4.0F);
    tile_regs_commit();
    tile_regs_wait();
    experimental::CircularBuffer out(16);
    pack_tile(0, out.get_cb_id());
    tile_regs_release();
    out.push_back(1);
}

void generation_c() {
    DataflowBuffer in(0);
    DataflowBuffer out(16);
    compute_kernel_hw_startup(in.get_id(), out.get_id());
    transpose_init(in.get_id());
    tile_regs_acquire();
    transpose_tile(in.get_id(), 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, out.get_id());
    tile_regs_release();
}

}  // namespace tessera::testing
