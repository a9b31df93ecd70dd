// SPDX-License-Identifier: Apache-2.0
// The emulated mesh of a process in which a host program runs, with what its launches left.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/metalium/settings.hpp"
#include "tessera/machine.hpp"
#include "tessera/session.hpp"

namespace tessera {
class Device;
class EmulatedSession;
}  // namespace tessera

namespace tessera::metalium {

/// Opened by the first device or mesh of the process, and kept until the process ends: memory keeps
/// its bytes when all devices are closed and opened again, as on a card.
/// Precondition   all calls come from one thread.
class HostSession {
public:
    /// Returns the session. Opens it with `wanted` devices if no option gives the mesh.
    static HostSession& open(const MeshShape& wanted = {});
    /// Sets the links of the mesh for options that do not name them.
    /// Errors   UsageError naming `asked_by` if the session is open with other links.
    static void choose_topology(Topology topology, const std::string& asked_by);
    /// Returns the shape of the mesh: of the session, of the options, or 1 × 1.
    static MeshShape known_shape();

    [[nodiscard]] const Machine& machine() const noexcept { return machine_; }
    [[nodiscard]] const ArchSpec& arch() const noexcept { return machine_.arch(); }
    [[nodiscard]] const MeshShape& shape() const noexcept { return machine_.mesh().shape; }
    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    [[nodiscard]] Session& session() noexcept;
    /// Errors   UsageError if the mesh has no such device.
    [[nodiscard]] Device& device(std::uint32_t id) const;
    [[nodiscard]] const Trace& trace() const noexcept;

    void launch(const std::string& name, std::span<const DeviceProgram> programs);

    /// Counts the devices and meshes in use. When the last one closes, the outputs are written.
    void add_user() noexcept { ++num_users_; }
    void remove_user();
    /// Writes trace, report and time of the launches that are not written yet.
    void write_outputs();

private:
    explicit HostSession(const MeshShape& wanted);
    /// Prints the findings that no earlier launch had to standard error.
    void note(const std::vector<Finding>& findings);

    Settings settings_;
    Machine machine_;
    std::unique_ptr<EmulatedSession> session_;
    std::size_t num_users_ = 0;
    std::size_t num_launches_ = 0;
    std::size_t num_written_ = 0;
    std::vector<Finding> findings_;  ///< of all launches
};

}  // namespace tessera::metalium
