// SPDX-License-Identifier: Apache-2.0
// Devices in rows × columns, and the pairs of devices that a link joins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emu/mesh/device.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera {

class Mesh {
public:
    Mesh(const MeshSpec& spec, const ArchSpec& arch);

    [[nodiscard]] const MeshSpec& spec() const noexcept { return spec_; }
    [[nodiscard]] std::uint32_t num_devices() const noexcept {
        return static_cast<std::uint32_t>(devices_.size());
    }
    [[nodiscard]] Device& device(std::uint32_t id) const noexcept { return *devices_[id]; }

    /// Returns the device reached by `hops` links from `from` in `direction`; none if the mesh ends
    /// before.
    [[nodiscard]] std::optional<std::uint32_t> neighbour(std::uint32_t from,
                                                         LinkDirection direction,
                                                         std::uint32_t hops) const;

private:
    MeshSpec spec_;
    std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace tessera
