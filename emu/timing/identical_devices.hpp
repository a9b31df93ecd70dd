// SPDX-License-Identifier: Apache-2.0
// Reuse of timelines among devices with identical traces: one of them is replayed, and its timeline
// is shifted to each other device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emu/timing/part.hpp"

namespace tessera::timing {

/// 128-bit hash of the events of a part's threads, their cores and the initial words. Parts with
/// equal keys count as identical; their events are not compared, since 128 bits make a collision
/// improbable.
struct PartKey {
    std::array<std::uint64_t, 2> halves{};
    friend bool operator==(const PartKey&, const PartKey&) = default;
};

/// Two 64-bit hashes over the same values, in order.
class KeyHash {
public:
    void add(std::uint64_t value) noexcept {
        key_.halves[0] = mixed(key_.halves[0], value);
        key_.halves[1] = mixed(key_.halves[1] + kOdd, value);
    }
    /// Mixes both words into each half, in a different way.
    void add_pair(std::uint64_t first, std::uint64_t second) noexcept {
        key_.halves[0] = mixed(key_.halves[0], first + second * kOdd);
        key_.halves[1] = mixed(key_.halves[1] + kOdd, second + first * kOdd);
    }
    [[nodiscard]] const PartKey& key() const noexcept { return key_; }

private:
    static constexpr std::uint64_t kOdd = 0xD1B54A32D192ED03U;

    [[nodiscard]] static std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
        return hash ^ hash >> 29U;
    }

    PartKey key_;
};

[[nodiscard]] PartKey key_of(const LaunchTrace& launch, const LaunchPart& part);

/// Timelines of the previous launch, for devices that repeat it: gate and up of an MoE layer are
/// one replay.
struct ReplayCache {
    struct Entry {
        PartKey key;
        Millicycles start = 0;  ///< start of its device
        LaunchTimeline timeline;
    };
    std::vector<Entry> entries;
};

/// Parts of a launch and which of them are identical; valid for any machine of so many devices.
struct LaunchPartition {
    std::uint32_t num_devices = 0;  ///< devices of the mesh
    std::vector<LaunchPart> parts;
    std::vector<PartKey> keys;  ///< by part; empty if a part is several devices
    /// By part: the first part with an equal key, possibly itself. Their times differ by the
    /// difference of their devices' starts.
    std::vector<std::size_t> representatives;
};

/// Divides a launch into parts.
/// Precondition   the launch outlives the result.
[[nodiscard]] LaunchPartition partition(const LaunchTrace& launch, std::uint32_t num_devices);

/// Returns the timeline of an identical part on `device` that starts `later`.
/// Precondition   the threads of both begin after 0, so that their first interval can be extended.
[[nodiscard]] LaunchTimeline shifted_to(LaunchTimeline timeline, std::uint32_t device,
                                        Millicycles later);

}  // namespace tessera::timing
