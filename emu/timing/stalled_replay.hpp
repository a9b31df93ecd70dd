// SPDX-License-Identifier: Apache-2.0
// The error of a replay in which threads wait for ever.
#pragma once

#include "tessera/errors.hpp"

namespace tessera::timing {

/// The recorded launch ended, so that its replay does, too, unless the trace or the model has a
/// fault, or a kernel has made a mistake that a chip tolerates: it pushes or pops pages that are
/// not there, and counters of the chip wrap around. Who knows the launch's findings decides.
class StalledReplay : public InternalError {
public:
    using InternalError::InternalError;
};

}  // namespace tessera::timing
