// SPDX-License-Identifier: Apache-2.0
#include <fmt/base.h>

#include <tt-metalium/experimental/fabric/fabric.hpp>

#include "tests/metalium/mesh_host_programs.hpp"
#include "tests/metalium/mesh_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace metalium_programs {
namespace {

constexpr CoreCoord kCore(2, 3);

/// Sends one device's page to `next`.
Program send_program(const std::shared_ptr<MeshDevice>& mesh, const MeshBuffer& source,
                     const MeshBuffer& target, const GlobalSemaphore& arrived,
                     const MeshCoordinate& here, const MeshCoordinate& next) {
    Program program = CreateProgram();
    add_cb(program, kCore, CBIndex::c_0, 1);
    std::vector<std::uint32_t> compile_args{CBIndex::c_0};
    TensorAccessorArgs(source).append_to(compile_args);
    TensorAccessorArgs(target).append_to(compile_args);
    const auto sender = CreateKernel(program, kernel("send_to_neighbor.cpp"), kCore,
                                     WriterDataMovementConfig(compile_args));
    std::vector<std::uint32_t> args{std::uint32_t(source.address()),
                                    std::uint32_t(target.address()),
                                    std::uint32_t(arrived.address())};
    const tt_fabric::FabricNodeId from = mesh->get_fabric_node_id(here);
    const tt_fabric::FabricNodeId to = mesh->get_fabric_node_id(next);
    const std::uint32_t link = tt_fabric::get_forwarding_link_indices(from, to).back();
    tt_fabric::append_fabric_connection_rt_args(from, to, link, program, kCore, args);
    SetRuntimeArgs(program, sender, kCore, args);
    return program;
}

}  // namespace

bool pages_over_links() {
    tt_fabric::SetFabricConfig(tt_fabric::FabricConfig::FABRIC_1D_RING);
    const auto mesh = MeshDevice::create(MeshDeviceConfig(MeshShape(2, 4)));
    const auto source = replicated(mesh, 1);
    const auto target = replicated(mesh, 1);
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    const GlobalSemaphore arrived = CreateGlobalSemaphore(mesh.get(), CoreRangeSet(kCore), 0);
    MeshWorkload workload;
    for (const MeshCoordinate& here : MeshCoordinateRange(mesh->shape())) {
        std::vector<bfloat16> page = pattern(constants::TILE_HW, 3 + here[1], 61, float(here[0]));
        WriteShard(queue, source, page, here);
        const auto next = here.get_neighbor(mesh->shape(), 1, 1);
        workload.add_program(MeshCoordinateRange(here),
                             send_program(mesh, *source, *target, arrived, here, *next));
    }
    EnqueueMeshWorkload(queue, workload, true);
    bool is_right = tt_fabric::get_fabric_topology() == tt_fabric::Topology::Ring;
    for (const MeshCoordinate& here : MeshCoordinateRange(mesh->shape())) {
        std::vector<bfloat16> page;
        ReadShard(queue, page, target, here);
        const std::uint32_t sender = (here[1] + 3) % 4;
        is_right = is_right && page == pattern(constants::TILE_HW, 3 + sender, 61, float(here[0]));
    }
    return is_right;
}

}  // namespace metalium_programs
