// SPDX-License-Identifier: Apache-2.0
// Devices that do the same: one is replayed for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emu/timing/part.hpp"

namespace tessera::timing {

/// What the threads of a part do, in 128 bits: parts of equal keys are twins.
struct PartKey {
    std::array<std::uint64_t, 2> halves{};
    friend bool operator==(const PartKey&, const PartKey&) = default;
};
[[nodiscard]] PartKey key_of(const LaunchTrace& launch, const LaunchPart& part);

/// The parts of the launch before, for devices that do the same once more.
struct PartMemory {
    struct Entry {
        PartKey key;
        Millicycles start = 0;  ///< of its device
        LaunchTimeline timeline;
    };
    std::vector<Entry> entries;
};

/// A launch's parts, found once for all machines that it is replayed on.
struct PartedLaunch {
    std::uint32_t num_devices = 0;  ///< of the mesh
    std::vector<LaunchPart> parts;
    std::vector<PartKey> keys;  ///< by part, of those of one device
    /// By part: the first one of one device whose threads do the same on the same cores, from the
    /// same initial words; maybe itself. Times of such parts differ by those of their devices'
    /// starts.
    std::vector<std::size_t> twins;
};
/// Precondition   the launch outlives what is returned.
[[nodiscard]] PartedLaunch take_apart(const LaunchTrace& launch, std::uint32_t num_devices);

/// The timeline of a part as its twin on `device`, `later` than it, has it.
/// Precondition   its threads begin after 0, and so do the twin's.
[[nodiscard]] LaunchTimeline as_twin(const LaunchTimeline& timeline, std::uint32_t device,
                                     Millicycles later);

}  // namespace tessera::timing
