// SPDX-License-Identifier: Apache-2.0
#include "tt-metalium/mesh_command_queue.hpp"

#include <algorithm>

#include "runtime/metalium/buffer_state.hpp"
#include "runtime/metalium/device_state.hpp"
#include "runtime/metalium/program_state.hpp"
#include "tessera/errors.hpp"

namespace tt::tt_metal::distributed {

using tessera::require;

namespace {

/// The part of a matrix that one device holds, in elements.
struct Part {
    std::size_t device = 0;  ///< row by row
    std::size_t row = 0;
    std::size_t column = 0;
};

/// Returns which part each device holds. Parts count along the rows of the matrix, and are distributed
/// along the rows of the mesh (down its columns if COL_MAJOR). A part that is replicated along an
/// extent is on all devices of a row or a column of the mesh.
/// Source   tt-metal tt_metal/distributed/mesh_command_queue_base.cpp.
std::vector<Part> parts_of(const ShardedBufferConfig& config, const MeshShape& mesh) {
    const Shape2D shard = config.physical_shard_shape();
    const std::size_t parts_across = config.global_buffer_shape.width() / shard.width();
    const std::size_t parts_down = config.global_buffer_shape.height() / shard.height();
    const auto [all_rows, all_columns] = config.replicated_dims();
    const bool by_rows = config.shard_orientation == ShardOrientation::ROW_MAJOR;
    const std::size_t rows = mesh.num_rows();
    const std::size_t columns = mesh.num_cols();
    std::vector<Part> parts;
    for (std::size_t device = 0; device < mesh.mesh_size(); ++device) {
        const std::size_t y = device / columns;
        const std::size_t x = device % columns;
        std::size_t part = by_rows ? device : x * rows + y;
        if (all_rows && all_columns) {
            part = 0;
        } else if (all_rows || all_columns) {
            part = by_rows ? x : y;
        }
        if (part < parts_across * parts_down) {
            parts.push_back({device, part / parts_across * shard.height(),
                             part % parts_across * shard.width()});
        }
    }
    return parts;
}

/// Calls copy(device buffer, offset in its bytes, offset in the matrix's bytes, bytes) for each row
/// of each part.
template <class Copy>
void for_each_row(const MeshBuffer& buffer, Copy copy) {
    const ShardedBufferConfig& config = buffer.global_shard_spec();
    const Shape2D shard = config.physical_shard_shape();
    const std::size_t element = config.compute_datum_size_bytes();
    const std::size_t bytes = shard.width() * element;
    for (const Part& part : parts_of(config, buffer.device()->shape())) {
        const tt_metal::detail::BufferState& state = buffer.device_buffers()[part.device]->state();
        for (std::size_t row = 0; row < shard.height(); ++row) {
            const std::size_t global =
                ((part.row + row) * config.global_buffer_shape.width() + part.column) * element;
            copy(state, row * bytes, global, bytes);
        }
    }
}

BufferRegion region_of(const std::optional<BufferRegion>& region, const MeshBuffer& buffer) {
    return region.value_or(BufferRegion(0, buffer.device_local_size()));
}

}  // namespace

void MeshWorkload::add_program(const MeshCoordinateRange& range, Program&& program) {
    for (const auto& [other, present] : programs_) {
        require(!other.intersects(range), "add_program: {} overlaps {}, which has a program", range,
                other);
    }
    programs_.emplace(range, std::move(program));
}

void MeshCommandQueue::enqueue_mesh_workload(MeshWorkload& workload, bool /*blocking*/) {
    tt_metal::detail::RecordedLaunch launch;
    for (const auto& [range, program] : workload.get_programs()) {
        launch.name = std::max(launch.name, tt_metal::detail::name_of(program.state()));
        for (const MeshCoordinate& coordinate : range) {
            const std::size_t index = coordinate.to_linear_index(device_->shape());
            launch.programs.push_back({device_->state().ids[index], program.state().program});
        }
    }
    // The map has no order; equal runs need equal traces.
    std::ranges::sort(launch.programs, {}, &tessera::DeviceProgram::device);
    tt_metal::detail::run(device_->state(), std::move(launch));
}

void MeshCommandQueue::enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer,
                                                 const void* host_data, bool blocking) {
    if (buffer->global_layout() == MeshBufferLayout::REPLICATED) {
        enqueue_write_shard_to_sub_grid(*buffer, host_data,
                                        MeshCoordinateRange(buffer->device()->shape()), blocking);
        return;
    }
    const auto* matrix = static_cast<const std::byte*>(host_data);
    for_each_row(*buffer,
                 [&](const auto& state, std::size_t local, std::size_t global, std::size_t bytes) {
                     tt_metal::detail::write_bytes(state, 0, local, {matrix + global, bytes});
                 });
}

void MeshCommandQueue::enqueue_read_mesh_buffer(void* host_data,
                                                const std::shared_ptr<MeshBuffer>& buffer,
                                                bool /*blocking*/) {
    auto* matrix = static_cast<std::byte*>(host_data);
    if (buffer->global_layout() == MeshBufferLayout::REPLICATED) {
        tt_metal::detail::read_bytes(buffer->get_reference_buffer()->state(), 0, 0,
                                     {matrix, buffer->size()});
        return;
    }
    for_each_row(*buffer,
                 [&](const auto& state, std::size_t local, std::size_t global, std::size_t bytes) {
                     tt_metal::detail::read_bytes(state, 0, local, {matrix + global, bytes});
                 });
}

void MeshCommandQueue::enqueue_write_shard_to_sub_grid(const MeshBuffer& buffer,
                                                       const void* host_data,
                                                       const MeshCoordinateRange& range,
                                                       bool /*blocking*/,
                                                       std::optional<BufferRegion> region) {
    const BufferRegion part = region_of(region, buffer);
    for (const MeshCoordinate& coordinate : range) {
        tt_metal::detail::write_bytes(buffer.get_device_buffer(coordinate)->state(), 0, part.offset,
                                      {static_cast<const std::byte*>(host_data), part.size});
    }
}

void MeshCommandQueue::enqueue_write_shards(const std::shared_ptr<MeshBuffer>& buffer,
                                            const std::vector<ShardDataTransfer>& transfers,
                                            bool blocking) {
    for (const ShardDataTransfer& transfer : transfers) {
        enqueue_write_shard_to_sub_grid(*buffer, transfer.host_data(),
                                        MeshCoordinateRange(transfer.shard_coord()), blocking,
                                        transfer.region());
    }
}

void MeshCommandQueue::enqueue_read_shards(const std::vector<ShardDataTransfer>& transfers,
                                           const std::shared_ptr<MeshBuffer>& buffer,
                                           bool /*blocking*/) {
    for (const ShardDataTransfer& transfer : transfers) {
        const BufferRegion part = region_of(transfer.region(), *buffer);
        tt_metal::detail::read_bytes(buffer->get_device_buffer(transfer.shard_coord())->state(), 0,
                                     part.offset,
                                     {static_cast<std::byte*>(transfer.host_data()), part.size});
    }
}

MeshEvent MeshCommandQueue::enqueue_record_event(
    std::span<const SubDeviceId> /*sub_devices*/,
    const std::optional<MeshCoordinateRange>& /*range*/) {
    return {next_event_++, device_, id_};
}

}  // namespace tt::tt_metal::distributed
