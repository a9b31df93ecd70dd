// SPDX-License-Identifier: Apache-2.0
// Adds two vectors of 640 tiles on all cores of a device, with TT-Metalium's mesh API.
#include <cstdint>
#include <iostream>
#include <memory>
#include <random>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/work_split.hpp>
#include <vector>

#ifndef OVERRIDE_KERNEL_PREFIX
#define OVERRIDE_KERNEL_PREFIX ""
#endif

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace {

constexpr std::uint32_t kTiles = 640;
constexpr std::uint32_t kTileBytes = sizeof(bfloat16) * constants::TILE_HW;

std::shared_ptr<MeshBuffer> make_buffer(MeshDevice& mesh) {
    const DeviceLocalBufferConfig local{.page_size = kTileBytes, .buffer_type = BufferType::DRAM};
    return MeshBuffer::create(ReplicatedBufferConfig{.size = kTiles * kTileBytes}, local, &mesh);
}

std::vector<bfloat16> random_numbers(unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> numbers(-8.0F, 8.0F);
    std::vector<bfloat16> values(kTiles * constants::TILE_HW);
    for (bfloat16& value : values) {
        value = bfloat16(numbers(generator));
    }
    return values;
}

/// Returns the program that adds `a` and `b` into `sum`.
Program make_program(const MeshDevice& mesh, const MeshBuffer& a, const MeshBuffer& b,
                     const MeshBuffer& sum) {
    Program program = CreateProgram();
    const auto [num_cores, cores, more, fewer, most_tiles, least_tiles] =
        split_work_to_cores(mesh.compute_with_storage_grid_size(), kTiles);
    for (const auto index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
        CreateCircularBuffer(
            program, cores,
            CircularBufferConfig(2 * kTileBytes, {{index, tt::DataFormat::Float16_b}})
                .set_page_size(index, kTileBytes));
    }
    std::vector<std::uint32_t> in_args;
    std::vector<std::uint32_t> out_args;
    TensorAccessorArgs(a).append_to(in_args);
    TensorAccessorArgs(b).append_to(in_args);
    TensorAccessorArgs(sum).append_to(out_args);
    const auto reader = CreateKernel(program, OVERRIDE_KERNEL_PREFIX "kernels/reader.cpp", cores,
                                     ReaderDataMovementConfig(in_args));
    const auto writer = CreateKernel(program, OVERRIDE_KERNEL_PREFIX "kernels/writer.cpp", cores,
                                     WriterDataMovementConfig(out_args));
    const auto compute =
        CreateKernel(program, OVERRIDE_KERNEL_PREFIX "kernels/add.cpp", cores, ComputeConfig{});
    const auto address = [](const MeshBuffer& buffer) {
        return static_cast<std::uint32_t>(buffer.address());
    };
    std::uint32_t first = 0;
    for (const CoreCoord& core : corerange_to_cores(cores)) {
        const std::uint32_t tiles = more.contains(core) ? most_tiles : least_tiles;
        SetRuntimeArgs(program, reader, core, {address(a), address(b), first, tiles});
        SetRuntimeArgs(program, compute, core, {tiles});
        SetRuntimeArgs(program, writer, core, {address(sum), first, tiles});
        first += tiles;
    }
    return program;
}

}  // namespace

int main() {
    const std::shared_ptr<MeshDevice> mesh = MeshDevice::create_unit_mesh(0);
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    const auto a = make_buffer(*mesh);
    const auto b = make_buffer(*mesh);
    const auto sum = make_buffer(*mesh);
    const std::vector<bfloat16> left = random_numbers(1);
    const std::vector<bfloat16> right = random_numbers(2);
    EnqueueWriteMeshBuffer(queue, a, left, false);
    EnqueueWriteMeshBuffer(queue, b, right, false);

    MeshWorkload workload;
    workload.add_program(MeshCoordinateRange(mesh->shape()), make_program(*mesh, *a, *b, *sum));
    EnqueueMeshWorkload(queue, workload, false);

    std::vector<bfloat16> result;
    EnqueueReadMeshBuffer(queue, result, sum, true);
    std::size_t num_wrong = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        num_wrong += result[i] != bfloat16(left[i] + right[i]);
    }
    mesh->close();
    std::cout << (num_wrong == 0 ? "PASS" : "FAIL") << ": " << num_wrong << " of " << result.size()
              << " sums are wrong\n";
    return num_wrong == 0 ? 0 : 1;
}
