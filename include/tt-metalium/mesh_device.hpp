// SPDX-License-Identifier: Apache-2.0
// A mesh of devices that one host program drives together.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tt-metalium/device.hpp"
#include "tt-metalium/fabric_node_id.hpp"
#include "tt-metalium/mesh_coord.hpp"

namespace tt::tt_metal::distributed {

class MeshCommandQueue;
using MeshTraceId = ttsl::StrongType<std::uint32_t, struct MeshTraceIdTag>;

/// Shape of a mesh, and its first device.
class MeshDeviceConfig {
public:
    explicit MeshDeviceConfig(const MeshShape& shape,
                              const std::optional<MeshCoordinate>& offset = std::nullopt,
                              const std::vector<int>& /*physical_ids*/ = {})
        : shape_(shape), offset_(offset) {}
    MeshDeviceConfig(const std::optional<MeshShape>& shape,
                     const std::optional<MeshCoordinate>& offset = std::nullopt)
        : shape_(shape), offset_(offset) {}
    [[nodiscard]] const std::optional<MeshShape>& mesh_shape() const { return shape_; }
    [[nodiscard]] const std::optional<MeshCoordinate>& offset() const { return offset_; }

private:
    std::optional<MeshShape> shape_;
    std::optional<MeshCoordinate> offset_;
};

/// Devices in rows × columns. Commands go to all of them.
class MeshDevice : public IDevice, public std::enable_shared_from_this<MeshDevice> {
public:
    MeshDevice(std::unique_ptr<detail::DeviceState> state, const MeshShape& shape);
    ~MeshDevice() override;
    /// Closes the mesh and releases its buffers, including those to which the program has pointers.
    bool close() override;

    /// Opens a mesh with the shape of `config`. The first call opens the emulated mesh, with that
    /// shape or with the shape of tessera exec --mesh.
    /// Errors   std::runtime_error if the emulated mesh is smaller.
    [[nodiscard]] static std::shared_ptr<MeshDevice> create(
        const MeshDeviceConfig& config, std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
        std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
        std::size_t num_command_queues = 1, const DispatchCoreConfig& dispatch = {},
        std::span<const std::uint32_t> l1_bank_remap = {},
        std::size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);
    /// Opens one device as a mesh of 1 × 1.
    [[nodiscard]] static std::shared_ptr<MeshDevice> create_unit_mesh(
        int device_id, std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
        std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
        std::size_t num_command_queues = 1, const DispatchCoreConfig& dispatch = {},
        std::span<const std::uint32_t> l1_bank_remap = {},
        std::size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);
    [[nodiscard]] static std::map<int, std::shared_ptr<MeshDevice>> create_unit_meshes(
        const std::vector<int>& device_ids, std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
        std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
        std::size_t num_command_queues = 1, const DispatchCoreConfig& dispatch = {},
        std::span<const std::uint32_t> l1_bank_remap = {},
        std::size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);

    [[nodiscard]] const MeshShape& shape() const { return shape_; }
    [[nodiscard]] std::size_t num_devices() const { return shape_.mesh_size(); }
    [[nodiscard]] std::size_t num_rows() const { return shape_.num_rows(); }
    [[nodiscard]] std::size_t num_cols() const { return shape_.num_cols(); }
    /// Returns the devices row by row.
    [[nodiscard]] std::vector<IDevice*> get_devices() const;
    [[nodiscard]] IDevice* get_device(int device_id) const;
    [[nodiscard]] IDevice* get_device(const MeshCoordinate& coordinate) const;
    [[nodiscard]] IDevice* get_device(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::vector<int> get_device_ids() const;
    [[nodiscard]] bool is_local(const MeshCoordinate& /*coordinate*/) const { return true; }
    [[nodiscard]] tt_fabric::FabricNodeId get_fabric_node_id(
        const MeshCoordinate& coordinate) const;
    /// Returns the fabric identifiers of the devices row by row.
    [[nodiscard]] std::vector<tt_fabric::FabricNodeId> get_fabric_node_ids() const;
    /// Returns this mesh, which has the calls of the vendor's view of a mesh.
    [[nodiscard]] const MeshDevice& get_view() const { return *this; }
    [[nodiscard]] std::string to_string() const;
    void reshape(const MeshShape& shape);
    void quiesce_devices() {}

    /// Returns the part of the mesh with `shape` at `offset`.
    [[nodiscard]] std::shared_ptr<MeshDevice> create_submesh(
        const MeshShape& shape, const std::optional<MeshCoordinate>& offset = std::nullopt);
    /// Divides the mesh into parts of one shape, row by row.
    [[nodiscard]] std::vector<std::shared_ptr<MeshDevice>> create_submeshes(const MeshShape& shape);

    [[nodiscard]] MeshCommandQueue& mesh_command_queue(
        std::optional<std::size_t> id = std::nullopt) const;

    /// Starts to record workloads instead of running them.
    MeshTraceId begin_mesh_trace(std::uint8_t queue);
    void end_mesh_trace(std::uint8_t queue, const MeshTraceId& trace);
    void replay_mesh_trace(std::uint8_t queue, const MeshTraceId& trace, bool blocking);
    void release_mesh_trace(const MeshTraceId& trace);

private:
    MeshShape shape_;
    std::vector<std::unique_ptr<IDevice>> devices_;
    std::vector<std::unique_ptr<MeshCommandQueue>> queues_;
};

using MeshDeviceView = MeshDevice;

/// The emulated mesh, with the shape of tessera exec --mesh; 1 × 1 by default.
class SystemMesh {
public:
    [[nodiscard]] static SystemMesh& instance();
    [[nodiscard]] MeshShape shape() const;
    [[nodiscard]] MeshShape get_shape() const { return shape(); }
};

}  // namespace tt::tt_metal::distributed
