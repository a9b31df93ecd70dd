// SPDX-License-Identifier: Apache-2.0
// Which runs have the same trace.
#pragma once

#include <string>

#include "runtime/config/load.hpp"

namespace tessera::sweep {

enum class Checks : bool { Ignored, Compared };

/// Equal for runs of which a trace can be recorded once: those that differ only in what acts cost
/// (`arch.timing`, `arch.clock`), in the host, and, where checks are ignored, in `verify`.
[[nodiscard]] std::string recording_key(const config::LoadedRun& loaded, Checks checks);

}  // namespace tessera::sweep
