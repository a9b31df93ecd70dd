// SPDX-License-Identifier: Apache-2.0
// Runs kernels/box_sender.cpp on the middle device of 3×3, and kernels/receiver.cpp on receivers.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/unit/emu/api/fabric/link_ends.hpp"

namespace tessera::testing {

/// Hops of a box, in the order of MeshMcastRange.
struct Sides {
    std::uint32_t east = 0;
    std::uint32_t west = 0;
    std::uint32_t north = 0;
    std::uint32_t south = 0;
};

class BoxRun {
public:
    static constexpr std::uint32_t kSender = 4;
    static constexpr std::uint32_t kSize = 64;

    explicit BoxRun(const SessionOptions& options = {.threads = 1})
        : ends_({.shape = {3, 3}, .topology = Topology::Line, .device = "test_arch"}, options) {}

    /// Devices that wait for the payload's increment.
    std::vector<std::uint32_t> receivers;

    LaunchResult launch(LinkDirection direction, const Sides& sides) {
        for (std::uint32_t device = 0; device < 9; ++device) {
            std::memset(ends_.l1(device, LinkEnds::kDestination), 0xEE, kSize);
        }
        std::memset(ends_.l1(kSender, LinkEnds::kSource), 0x5A, kSize);
        std::vector<DeviceProgram> programs;
        programs.push_back({kSender, sender(direction, sides)});
        for (const std::uint32_t device : receivers) {
            programs.push_back({device, LinkEnds::receiver(kSize)});
        }
        return ends_.session.launch("box", programs);
    }

    /// Returns the devices that hold the payload after the launch.
    [[nodiscard]] std::vector<std::uint32_t> written() {
        const std::vector<std::byte> payload(kSize, std::byte{0x5A});
        std::vector<std::uint32_t> devices;
        for (std::uint32_t device = 0; device < 9; ++device) {
            if (std::memcmp(ends_.l1(device, LinkEnds::kDestination), payload.data(), kSize) == 0) {
                devices.push_back(device);
            }
        }
        return devices;
    }

private:
    static Program sender(LinkDirection direction, const Sides& sides) {
        return LinkEnds::sender(
            "box_sender.cpp", direction,
            {LinkEnds::kSource, LinkEnds::kDestination, kSize, LinkEnds::kSemaphoreId, sides.east,
             sides.west, sides.north, sides.south});
    }

    LinkEnds ends_;
};

}  // namespace tessera::testing
