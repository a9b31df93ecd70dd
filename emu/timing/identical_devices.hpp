// SPDX-License-Identifier: Apache-2.0
// Replays one device per group of identical traces and shifts its timeline to the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emu/timing/part.hpp"

namespace tessera::timing {

/// A 128-bit hash of what the threads of a part do, on which cores, from which initial words. Parts
/// of equal keys are taken to be identical, without a comparison of their events.
struct PartKey {
    std::array<std::uint64_t, 2> halves{};
    friend bool operator==(const PartKey&, const PartKey&) = default;
};
[[nodiscard]] PartKey key_of(const LaunchTrace& launch, const LaunchPart& part);

/// Keeps the timelines of the launch before, for devices that do the same once more: gate and up of
/// an MoE layer are one replay.
struct ReplayCache {
    struct Entry {
        PartKey key;
        Millicycles start = 0;  ///< of its device
        LaunchTimeline timeline;
    };
    std::vector<Entry> entries;
};

/// Divides a launch into parts, once for all machines that it is replayed on.
struct LaunchPartition {
    std::uint32_t num_devices = 0;  ///< of the mesh
    std::vector<LaunchPart> parts;
    std::vector<PartKey> keys;  ///< by part; only those of one device have one
    /// By part: the first part with an equal key, maybe itself. Times of the two differ by those of
    /// their devices' starts.
    std::vector<std::size_t> representatives;
};
/// Precondition   the launch outlives what is returned.
[[nodiscard]] LaunchPartition partition(const LaunchTrace& launch, std::uint32_t num_devices);

/// Returns the timeline of a part as an identical one on `device` has it, `later` than it.
/// Precondition   the threads of both begin after 0, so that their first interval can be longer.
[[nodiscard]] LaunchTimeline shifted_to(const LaunchTimeline& timeline, std::uint32_t device,
                                        Millicycles later);

}  // namespace tessera::timing
