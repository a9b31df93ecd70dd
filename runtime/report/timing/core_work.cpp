// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/core_work.hpp"

#include <cmath>

namespace tessera::report {
namespace {

void count_products(std::uint64_t calls, const ComputeArgument& argument, Millicycles phase,
                    CoreReport& core) {
    const std::uint64_t products = calls * argument.ct * argument.rt;
    core.tile_products += products;
    core.ideal_math += static_cast<Millicycles>(products * phases_of(argument.fidelity)) * phase;
}

void count(const TraceEvent& event, Millicycles phase, CoreReport& core) {
    const std::uint64_t bytes = TransferArgument::unpack(event.argument).bytes;
    switch (event.kind) {
        case EventKind::NocRead:
            core.bytes_read += bytes * event.count;
            break;
        case EventKind::NocWrite:
            core.bytes_written += bytes * event.count;
            break;
        case EventKind::NocMulticast:
            core.bytes_written += event.count;
            break;
        case EventKind::MatmulTiles:
        case EventKind::MatmulBlock:
            count_products(event.count, ComputeArgument::unpack(event.argument), phase, core);
            break;
        case EventKind::Pack:
        case EventKind::PackUntilize:
            core.tiles_packed += event.count;
            break;
        default:
            break;
    }
}

}  // namespace

std::uint32_t phases_of(MathFidelity fidelity) noexcept {
    return fidelity == MathFidelity::LoFi ? 1 : static_cast<std::uint32_t>(fidelity);
}

CoreReport core_work(const CoreTrace& core, const ComputeTiming& compute) {
    const Millicycles phase = std::llround(compute.matmul_phase.value * kMillicyclesPerCycle);
    CoreReport report{
        .device = core.device, .core = core.core, .l1_bytes = core.l1_bytes, .cbs = core.cbs};
    for (const ThreadTrace& thread : core.threads) {
        for (const TraceEvent& event : thread.events) {
            count(event, phase, report);
        }
    }
    return report;
}

}  // namespace tessera::report
