// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/mesh_device.hpp"

#include <sstream>

#include "runtime/metalium/buffer_state.hpp"
#include "runtime/metalium/device_state.hpp"
#include "tessera/errors.hpp"
#include "tt-metalium/mesh_command_queue.hpp"

namespace tt::tt_metal::distributed {

using tessera::require;
using tessera::metalium::HostSession;

namespace {

/// Returns the ids of the devices of a rectangle of the emulated mesh, row by row.
std::vector<std::uint32_t> ids_of(const tessera::MeshShape& mesh, const MeshShape& shape,
                                  const std::optional<MeshCoordinate>& offset) {
    const std::uint32_t row = offset && offset->dims() > 1 ? (*offset)[0] : 0;
    const std::uint32_t column = offset ? (*offset)[-1] : 0;
    // A mesh of one row may be laid over all devices of a rectangle, as on the vendor's boards.
    const bool is_line = shape.is_line_topology() && row == 0 && column == 0 &&
                         shape.mesh_size() == mesh.num_devices();
    require(is_line ||
                (row + shape.num_rows() <= mesh.rows && column + shape.num_cols() <= mesh.columns),
            "a mesh of {} x {} devices from ({},{}) on: the emulated mesh has {} x {}; tessera "
            "exec --mesh ROWSxCOLUMNS gives more",
            shape.num_rows(), shape.num_cols(), row, column, mesh.rows, mesh.columns);
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < shape.mesh_size(); ++i) {
        const std::uint32_t y = row + i / shape.num_cols();
        const std::uint32_t x = column + i % shape.num_cols();
        ids.push_back(is_line ? i : y * mesh.columns + x);
    }
    return ids;
}

std::shared_ptr<MeshDevice> open(HostSession& session, std::vector<std::uint32_t> ids,
                                 const MeshShape& shape, std::size_t num_queues) {
    return std::make_shared<MeshDevice>(
        tt_metal::detail::make_device_state(session, std::move(ids), num_queues), shape);
}

}  // namespace

MeshDevice::MeshDevice(std::unique_ptr<detail::DeviceState> state, const MeshShape& shape)
    : IDevice(std::move(state)), shape_(shape) {
    const tt_metal::detail::DeviceState& mesh = this->state();
    for (const std::uint32_t id : mesh.ids) {
        auto device = std::make_unique<tt_metal::detail::DeviceState>();
        device->session = mesh.session;
        device->ids = {id};
        device->num_queues = mesh.num_queues;
        device->allocator = std::make_unique<Allocator>(id);
        device->owns_buffers = false;
        devices_.push_back(std::make_unique<IDevice>(std::move(device)));
    }
    for (std::size_t i = 0; i < std::max<std::size_t>(mesh.num_queues, 1); ++i) {
        queues_.push_back(std::make_unique<MeshCommandQueue>(this, static_cast<std::uint32_t>(i)));
    }
}

MeshDevice::~MeshDevice() {
    MeshDevice::close();
}

bool MeshDevice::close() {
    for (const auto& device : devices_) {  // mesh buffers are buffers of these
        tt_metal::detail::release_buffers_of(*device);
    }
    return IDevice::close();
}

std::shared_ptr<MeshDevice> MeshDevice::create(const MeshDeviceConfig& config,
                                               std::size_t /*l1_small_size*/,
                                               std::size_t /*trace_region_size*/,
                                               std::size_t num_command_queues,
                                               const DispatchCoreConfig& /*dispatch*/,
                                               std::span<const std::uint32_t> /*l1_bank_remap*/,
                                               std::size_t /*worker_l1_size*/) {
    const MeshShape shape =
        config.mesh_shape() ? *config.mesh_shape() : SystemMesh::instance().shape();
    HostSession& session = HostSession::open({shape.num_rows(), shape.num_cols()});
    return open(session, ids_of(session.shape(), shape, config.offset()), shape,
                num_command_queues);
}

std::shared_ptr<MeshDevice> MeshDevice::create_unit_mesh(
    int device_id, std::size_t /*l1_small_size*/, std::size_t /*trace_region_size*/,
    std::size_t num_command_queues, const DispatchCoreConfig& /*dispatch*/,
    std::span<const std::uint32_t> /*l1_bank_remap*/, std::size_t /*worker_l1_size*/) {
    require(device_id >= 0, "create_unit_mesh: device {}, allowed: 0 and above", device_id);
    return open(HostSession::open(), {static_cast<std::uint32_t>(device_id)}, MeshShape(1, 1),
                num_command_queues);
}

std::map<int, std::shared_ptr<MeshDevice>> MeshDevice::create_unit_meshes(
    const std::vector<int>& device_ids, std::size_t l1_small_size, std::size_t trace_region_size,
    std::size_t num_command_queues, const DispatchCoreConfig& dispatch,
    std::span<const std::uint32_t> l1_bank_remap, std::size_t worker_l1_size) {
    std::map<int, std::shared_ptr<MeshDevice>> meshes;
    for (const int id : device_ids) {
        meshes[id] = create_unit_mesh(id, l1_small_size, trace_region_size, num_command_queues,
                                      dispatch, l1_bank_remap, worker_l1_size);
    }
    return meshes;
}

std::vector<IDevice*> MeshDevice::get_devices() const {
    std::vector<IDevice*> devices;
    for (const auto& device : devices_) {
        devices.push_back(device.get());
    }
    return devices;
}
IDevice* MeshDevice::get_device(int device_id) const {
    for (const auto& device : devices_) {
        if (device->id() == device_id) {
            return device.get();
        }
    }
    throw tessera::UsageError(fmt::format("device {} is not in the mesh {}", device_id, shape_));
}
IDevice* MeshDevice::get_device(const MeshCoordinate& coordinate) const {
    return devices_[coordinate.to_linear_index(shape_)].get();
}
IDevice* MeshDevice::get_device(std::size_t row, std::size_t column) const {
    return get_device(
        MeshCoordinate(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)));
}
std::vector<int> MeshDevice::get_device_ids() const {
    return {state().ids.begin(), state().ids.end()};
}
tt_fabric::FabricNodeId MeshDevice::get_fabric_node_id(const MeshCoordinate& coordinate) const {
    return get_fabric_node_ids()[coordinate.to_linear_index(shape_)];
}
std::vector<tt_fabric::FabricNodeId> MeshDevice::get_fabric_node_ids() const {
    std::vector<tt_fabric::FabricNodeId> nodes;
    for (const std::uint32_t id : state().ids) {
        nodes.emplace_back(tt_fabric::MeshId(0), id);
    }
    return nodes;
}
std::string MeshDevice::to_string() const {
    std::ostringstream text;
    text << "MeshDevice of " << shape_;
    return text.str();
}
void MeshDevice::reshape(const MeshShape& shape) {
    require(shape.mesh_size() == shape_.mesh_size(), "reshape: {} to {}", shape_, shape);
    shape_ = shape;
}

std::shared_ptr<MeshDevice> MeshDevice::create_submesh(
    const MeshShape& shape, const std::optional<MeshCoordinate>& offset) {
    const MeshCoordinate first = offset.value_or(MeshCoordinate(0, 0));
    std::vector<std::uint32_t> ids;
    for (const MeshCoordinate& coordinate : MeshCoordinateRange(shape)) {
        const std::uint32_t row = coordinate.dims() > 1 ? coordinate[0] : 0;
        const MeshCoordinate place(first[0] + row, first[-1] + coordinate[-1]);
        ids.push_back(state().ids[place.to_linear_index(shape_)]);
    }
    return open(*state().session, std::move(ids), shape, state().num_queues);
}

std::vector<std::shared_ptr<MeshDevice>> MeshDevice::create_submeshes(const MeshShape& shape) {
    require(num_rows() % shape.num_rows() == 0 && num_cols() % shape.num_cols() == 0,
            "create_submeshes: parts of {}; allowed: shapes that divide the mesh of {}", shape,
            shape_);
    std::vector<std::shared_ptr<MeshDevice>> parts;
    for (std::uint32_t row = 0; row < num_rows(); row += shape.num_rows()) {
        for (std::uint32_t column = 0; column < num_cols(); column += shape.num_cols()) {
            parts.push_back(create_submesh(shape, MeshCoordinate(row, column)));
        }
    }
    return parts;
}

MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<std::size_t> id) const {
    require(id.value_or(0) < queues_.size(), "mesh_command_queue: queue {} of a mesh with {}",
            id.value_or(0), queues_.size());
    return *queues_[id.value_or(0)];
}

MeshTraceId MeshDevice::begin_mesh_trace(std::uint8_t /*queue*/) {
    return MeshTraceId(tt_metal::detail::begin_trace(state()));
}
void MeshDevice::end_mesh_trace(std::uint8_t /*queue*/, const MeshTraceId& trace) {
    tt_metal::detail::end_trace(state(), trace.get());
}
void MeshDevice::replay_mesh_trace(std::uint8_t /*queue*/, const MeshTraceId& trace,
                                   bool /*blocking*/) {
    tt_metal::detail::replay_trace(state(), trace.get());
}
void MeshDevice::release_mesh_trace(const MeshTraceId& trace) {
    state().traces.erase(trace.get());
}

SystemMesh& SystemMesh::instance() {
    static SystemMesh mesh;
    return mesh;
}
MeshShape SystemMesh::shape() const {
    const tessera::MeshShape shape = HostSession::known_shape();
    return {shape.rows, shape.columns};
}

}  // namespace tt::tt_metal::distributed
