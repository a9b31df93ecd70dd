// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/init_cost.hpp"

namespace tessera::timing {

Millicycles InitCost::of(UnitInitKind kind, TimelineThread thread) const noexcept {
    // Unpack, math and pack configure their own registers at the same time.
    switch (kind) {
        case UnitInitKind::Full:
            return thread == TimelineThread::Unpack ? times_.init_unpack
                   : thread == TimelineThread::Math ? times_.init_math
                                                    : times_.init_pack;
        case UnitInitKind::Operation:
            return thread == TimelineThread::Pack ? 0 : times_.init_operation;
        case UnitInitKind::Sfpu:
            return thread == TimelineThread::Math ? times_.init_sfpu : 0;
        case UnitInitKind::ReconfigSource:
            return thread == TimelineThread::Pack ? 0 : times_.reconfigure;
        case UnitInitKind::ReconfigPack:
            return thread == TimelineThread::Pack ? times_.reconfigure : 0;
    }
    return 0;
}

}  // namespace tessera::timing
