// SPDX-License-Identifier: Apache-2.0
// The error of a replay in which threads wait for ever.
#pragma once

#include "tessera/errors.hpp"

namespace tessera::timing {

/// A recorded launch has ended, so its replay must end. It stalls if the trace or the model has a
/// fault, or if a kernel pushed or popped pages that were not there, which a chip tolerates. The
/// caller has the launch's findings and decides which of the two it is.
class StalledReplay : public InternalError {
public:
    using InternalError::InternalError;
};

}  // namespace tessera::timing
