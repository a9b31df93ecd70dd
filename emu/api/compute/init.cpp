// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/compute/init.hpp"

#include "emu/api/compute/compute_trace.hpp"
#include "emu/api/compute/units.hpp"
#include "emu/core/core.hpp"
#include "tessera/kernel/compute/copy.hpp"
#include "tessera/kernel/compute/pack.hpp"
#include "tessera/kernel/compute/reconfig.hpp"

namespace tessera::kernel {
namespace {

// A buffer that the program does not configure has no format, and nothing to check later: inits
// of older kernels name buffers by default that the program does not have.
DataFormat format_of(std::uint32_t cb, const char* call, CallSite site) {
    KernelThread& thread = current_thread();
    if (cb >= thread.core().arch().l1.num_circular_buffers) {
        return configured_buffer(thread, cb, call, site).format;
    }
    return thread.core().circular_buffers[cb].format;
}

}  // namespace

void reconfigure_srca(std::uint32_t cb, const char* call, CallSite site) {
    current_units(call, site).formats.srca = format_of(cb, call, site);
    record_init(current_thread(), UnitInitKind::ReconfigSource, cb, site);
}

void reconfigure_srcb(std::uint32_t cb, const char* call, CallSite site) {
    current_units(call, site).formats.srcb = format_of(cb, call, site);
    record_init(current_thread(), UnitInitKind::ReconfigSource, cb, site);
}

void reconfigure_pack(std::uint32_t cb, const char* call, CallSite site) {
    current_units(call, site).formats.pack = format_of(cb, call, site);
    record_init(current_thread(), UnitInitKind::ReconfigPack, cb, site);
}

void configure_units(std::uint32_t srca_cb, std::uint32_t srcb_cb, std::uint32_t out_cb,
                     const char* call, CallSite site) {
    current_units(call, site).formats = {.srca = format_of(srca_cb, call, site),
                                         .srcb = format_of(srcb_cb, call, site),
                                         .pack = format_of(out_cb, call, site)};
    record_init(current_thread(), UnitInitKind::Full, srca_cb, site);
}

}  // namespace tessera::kernel

namespace ckernel {

void binary_op_init_common(std::uint32_t icb0, std::uint32_t icb1, std::uint32_t ocb,
                           CallSite site) {
    tessera::kernel::configure_units(icb0, icb1, ocb, "binary_op_init_common", site);
    tessera::current_units("binary_op_init_common", site).armed = {.init = "binary_op_init_common",
                                                                   .site = site};
}

void unary_op_init_common(std::uint32_t icb, std::uint32_t ocb, CallSite site) {
    tessera::kernel::configure_units(icb, icb, ocb, "unary_op_init_common", site);
    copy_tile_to_dst_init_short(icb, 0, 0, site);
}

void init_sfpu(std::uint32_t icb, std::uint32_t ocb, CallSite site) {
    unary_op_init_common(icb, ocb, site);
}

}  // namespace ckernel
