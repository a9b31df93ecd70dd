// SPDX-License-Identifier: Apache-2.0
#include "tests/metalium/mesh_host_programs.hpp"
#include "tests/metalium/mesh_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace metalium_programs {
namespace {

constexpr std::uint32_t kTiles = 6;  // of one device

/// Adds a to b on one core.
Program sum_program(const MeshBuffer& a, const MeshBuffer& b, const MeshBuffer& sum,
                    const CoreCoord& core) {
    Program program = CreateProgram();
    for (const std::uint8_t index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
        add_cb(program, core, index, 2);
    }
    std::vector<std::uint32_t> in_args;
    std::vector<std::uint32_t> out_args;
    TensorAccessorArgs(a).append_to(in_args);
    TensorAccessorArgs(b).append_to(in_args);
    TensorAccessorArgs(*sum.get_backing_buffer()).append_to(out_args);
    const auto reader =
        CreateKernel(program, kernel("read_two.cpp"), core, ReaderDataMovementConfig(in_args));
    const auto writer = CreateKernel(program, kernel("write_pages.cpp"), core,
                                     WriterDataMovementConfig(out_args, {{"FROM", "16"}}));
    const auto add = CreateKernel(program, kernel("add.cpp"), core, ComputeConfig{});
    SetRuntimeArgs(program, reader, core,
                   {std::uint32_t(a.address()), std::uint32_t(b.address()), 0, kTiles});
    SetRuntimeArgs(program, add, core, {kTiles});
    SetRuntimeArgs(program, writer, core, {std::uint32_t(sum.address()), 0, kTiles});
    return program;
}

/// Returns a matrix of tiles one above the other, in equal parts on the devices of the mesh.
std::shared_ptr<MeshBuffer> sharded(const std::shared_ptr<MeshDevice>& mesh) {
    const auto devices = static_cast<std::uint32_t>(mesh->num_devices());
    return MeshBuffer::create(
        distributed::ShardedBufferConfig{
            .global_size = std::uint64_t{devices} * kTiles * kTileBytes,
            .global_buffer_shape = {devices * kTiles * 32, 32},
            .shard_shape = {kTiles * 32, 32},
            .shard_orientation = ShardOrientation::ROW_MAJOR},
        DeviceLocalBufferConfig{.page_size = kTileBytes, .buffer_type = BufferType::DRAM},
        mesh.get());
}

}  // namespace

bool workload_on_parts_of_a_mesh() {
    const auto mesh = MeshDevice::create(MeshDeviceConfig(MeshShape(2, 2)));
    const auto a = sharded(mesh);
    const auto b = sharded(mesh);
    const auto sum = sharded(mesh);
    const std::size_t count = a->size() / 2;
    const std::vector<bfloat16> left = pattern(count, 3, 61);
    const std::vector<bfloat16> right = pattern(count, 7, 59);
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    EnqueueWriteMeshBuffer(queue, a, left, false);
    EnqueueWriteMeshBuffer(queue, b, right, false);
    EnqueueWriteMeshBuffer(queue, sum, std::vector<bfloat16>(count, bfloat16(-1.0F)), false);
    // a + b above, a + a below on the left; nothing runs on the last device.
    MeshWorkload workload;
    workload.add_program(MeshCoordinateRange({0, 0}, {0, 1}),
                         sum_program(*a, *b, *sum, CoreCoord(0, 0)));
    workload.add_program(MeshCoordinateRange(MeshCoordinate(1, 0)),
                         sum_program(*a, *a, *sum, CoreCoord(7, 7)));
    EnqueueMeshWorkload(queue, workload, true);
    std::vector<bfloat16> result;
    EnqueueReadMeshBuffer(queue, result, sum, true);
    const std::size_t part = count / 4;
    bool is_right = result.size() == count;
    for (std::size_t i = 0; is_right && i < count; ++i) {
        const float expected = i < 2 * part   ? left[i] + right[i]
                               : i < 3 * part ? left[i] + left[i]
                                              : -1.0F;
        is_right = result[i] == expected;
    }
    mesh->close();
    return is_right;
}

bool replicated_and_sharded_buffers() {
    const auto mesh = MeshDevice::create(MeshDeviceConfig(MeshShape(2, 2)));
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    const auto same = replicated(mesh, kTiles);
    const auto parts = sharded(mesh);
    std::vector<bfloat16> row = pattern(kTiles * constants::TILE_HW, 5, 53);
    const std::vector<bfloat16> matrix = pattern(4 * kTiles * constants::TILE_HW, 11, 61);
    EnqueueWriteMeshBuffer(queue, same, row, true);
    EnqueueWriteMeshBuffer(queue, parts, matrix, true);
    std::vector<bfloat16> other = pattern(kTiles * constants::TILE_HW, 2, 43);
    WriteShard(queue, same, other, MeshCoordinate(1, 1), true);
    std::vector<bfloat16> first;
    std::vector<bfloat16> last;
    std::vector<bfloat16> third_part;
    ReadShard(queue, first, same, MeshCoordinate(0, 1));
    ReadShard(queue, last, same, MeshCoordinate(1, 1));
    ReadShard(queue, third_part, parts, MeshCoordinate(1, 0));
    const std::size_t begin = 2 * kTiles * constants::TILE_HW;
    return first == row && last == other &&
           std::equal(third_part.begin(), third_part.end(), matrix.begin() + long(begin)) &&
           third_part.size() == row.size() && mesh->num_devices() == 4;
}

bool trace_of_workloads() {
    const auto mesh =
        MeshDevice::create(MeshDeviceConfig(MeshShape(1, 2)), DEFAULT_L1_SMALL_SIZE, 1 << 20, 2);
    SubDevice left(std::array{CoreRangeSet(CoreRange({0, 0}, {3, 7}))});
    SubDevice right(std::array{CoreRangeSet(CoreRange({4, 0}, {7, 7}))});
    const auto manager = mesh->create_sub_device_manager({left, right}, 3200);
    mesh->load_sub_device_manager(manager);
    const CoreRangeSet cores = mesh->worker_cores(HalProgrammableCoreType::TENSIX, SubDeviceId(1));
    const auto a = replicated(mesh, kTiles);
    const auto sum = replicated(mesh, kTiles);
    MeshWorkload workload;
    workload.add_program(MeshCoordinateRange(mesh->shape()),
                         sum_program(*a, *a, *sum, cores.ranges().front().start_coord));
    MeshCommandQueue& io = mesh->mesh_command_queue(1);
    const MeshTraceId trace = BeginTraceCapture(mesh.get(), 0);
    EnqueueMeshWorkload(mesh->mesh_command_queue(0), workload, false);
    mesh->end_mesh_trace(0, trace);
    std::vector<bfloat16> input = pattern(kTiles * constants::TILE_HW, 3, 61);
    bool is_right = true;
    for (int round = 0; round < 2; ++round) {
        EnqueueWriteMeshBuffer(io, a, input, false);
        mesh->mesh_command_queue(0).enqueue_wait_for_event(io.enqueue_record_event());
        mesh->replay_mesh_trace(0, trace, false);
        std::vector<bfloat16> result;
        ReadShard(io, result, sum, MeshCoordinate(0, 1), true);
        for (std::size_t i = 0; i < result.size(); ++i) {
            is_right = is_right && result[i] == 2 * input[i];
        }
        std::reverse(input.begin(), input.end());
    }
    mesh->release_mesh_trace(trace);
    mesh->clear_loaded_sub_device_manager();
    mesh->remove_sub_device_manager(manager);
    return is_right && cores.num_cores() == 32;
}

}  // namespace metalium_programs
