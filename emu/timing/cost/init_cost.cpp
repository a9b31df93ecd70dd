// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/init_cost.hpp"

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

InitCost::InitCost(const ComputeTiming& timing)
    : unpack_(to_millicycles(timing.init_unpack)),
      math_(to_millicycles(timing.init_math)),
      pack_(to_millicycles(timing.init_pack)),
      operation_(to_millicycles(timing.init_operation)),
      sfpu_(to_millicycles(timing.init_sfpu)),
      reconfigure_(to_millicycles(timing.reconfigure)) {
}

Millicycles InitCost::of(UnitInitKind kind, TimelineThread thread) const noexcept {
    // The threads of the units set themselves up side by side, each its own registers.
    switch (kind) {
        case UnitInitKind::Full:
            return thread == TimelineThread::Unpack ? unpack_
                   : thread == TimelineThread::Math ? math_
                                                    : pack_;
        case UnitInitKind::Operation:
            return thread == TimelineThread::Pack ? 0 : operation_;
        case UnitInitKind::Sfpu:
            return thread == TimelineThread::Math ? sfpu_ : 0;
        case UnitInitKind::ReconfigSource:
            return thread == TimelineThread::Pack ? 0 : reconfigure_;
        case UnitInitKind::ReconfigPack:
            return thread == TimelineThread::Pack ? reconfigure_ : 0;
    }
    return 0;
}

}  // namespace tessera::timing
