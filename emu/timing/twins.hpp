// SPDX-License-Identifier: Apache-2.0
// Devices that do the same: one is replayed for all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "emu/timing/part.hpp"

namespace tessera::timing {

/// For each part the first one of one device whose threads do the same on the same cores, from the
/// same initial words: maybe itself. Times of such parts differ by those of their devices' starts.
[[nodiscard]] std::vector<std::size_t> twins_of(const LaunchTrace& launch,
                                                std::span<const LaunchPart> parts);

/// The timeline of a part as its twin on `device`, `later` than it, has it.
/// Precondition   its threads begin after 0, and so do the twin's.
[[nodiscard]] LaunchTimeline as_twin(const LaunchTimeline& timeline, std::uint32_t device,
                                     Millicycles later);

}  // namespace tessera::timing
