// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/run_rules.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "runtime/config/op_rules.hpp"
#include "tessera/data_format.hpp"

namespace tessera::config {
namespace {

std::uint64_t padded(std::uint32_t size) {
    return (std::uint64_t{size} + kTileColumns - 1) / kTileColumns * kTileColumns;
}

constexpr std::uint64_t kBytesOfWeight = 2;  // bfloat16
constexpr std::uint64_t kProjections = 3;    // gate, up, down

}  // namespace

void experts_divide_over_devices(const RunSpec& run, const ArchSpec&, Judge& judge) {
    const std::uint32_t devices = run.mesh.shape.num_devices();
    judge.require(
        run.workload.experts % devices == 0, "workload.experts",
        fmt::format("{} experts do not divide over the {} devices of mesh.shape {}",
                    run.workload.experts, devices, Value<MeshShape>::show(run.mesh.shape)));
}

void top_k_is_at_most_experts(const RunSpec& run, const ArchSpec&, Judge& judge) {
    judge.require(run.workload.top_k <= run.workload.experts, "workload.top_k",
                  fmt::format("{} experts a token, but workload.experts is {}", run.workload.top_k,
                              run.workload.experts));
}

void ring_is_one_dimensional(const RunSpec& run, const ArchSpec&, Judge& judge) {
    const MeshShape shape = run.mesh.shape;
    const bool is_line = shape.rows == 1 || shape.columns == 1;
    judge.require(run.mesh.topology != Topology::Ring || is_line, "mesh.topology",
                  fmt::format("ring needs one row or one column, but mesh.shape is {}; allowed: "
                              "line or torus",
                              Value<MeshShape>::show(shape)));
}

void op_grids_fit_the_device(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    const GridSize device = arch.workers.compute;
    const OpsSpec& ops = run.ops;
    require_grid(ops.scatter.grid, device, "ops.scatter.grid", judge);
    require_grid(ops.to_layout.grid, device, "ops.to_layout.grid", judge);
    require_grid(ops.moe_bmm.grid, device, "ops.moe_bmm.grid", judge);
    require_grid(ops.activation.grid, device, "ops.activation.grid", judge);
    require_grid(ops.local_reduce.grid, device, "ops.local_reduce.grid", judge);
}

void subblock_fits_in_half_of_dst(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    const MoeBmmSpec& bmm = run.ops.moe_bmm;
    const std::uint32_t tiles = bmm.subblock.height * bmm.subblock.width;
    const std::uint32_t half =
        (bmm.fp32_dest_acc ? arch.dst.tiles_32bit : arch.dst.tiles_16bit) / 2;
    judge.require(tiles <= half, "ops.moe_bmm.subblock",
                  fmt::format("{} tiles, but half of DST holds {} with fp32_dest_acc {}", tiles,
                              half, bmm.fp32_dest_acc));
}

// Besides the operands: two output subblocks, a tile of zeros, the experts' token counts and the
// announcements of blocks (two pages of 16 B), each for two of the kernels.
std::uint64_t bytes_beside_inputs(const RunSpec& run, const ArchSpec& arch) {
    const Subblock& subblock = run.ops.moe_bmm.subblock;
    const std::uint64_t tiles = 1 + std::uint64_t{2} * subblock.height * subblock.width;
    const std::uint64_t experts = run.workload.experts / run.mesh.shape.num_devices();
    return tiles * tile_bytes(DataFormat::Float16_b) + 2 * experts * arch.dram.alignment.value +
           2 * 32;
}

void moe_bmm_buffers_fit_in_l1(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    const MoeBmmSpec& bmm = run.ops.moe_bmm;
    const std::uint64_t tiles_a_step = bmm.subblock.height + bmm.subblock.width;
    const std::uint64_t bytes = std::uint64_t{bmm.k_block} * bmm.cb_depth * tiles_a_step *
                                    tile_bytes(DataFormat::Float16_b) +
                                bytes_beside_inputs(run, arch);
    const std::uint64_t room = arch.l1.size.value - arch.l1.reserved.value;
    judge.require(
        bytes <= room, "ops.moe_bmm.k_block",
        fmt::format("CBs for {} K tiles × cb_depth {} × subblock {} and their results take {} B, "
                    "but a core has {} B of L1 for buffers",
                    bmm.k_block, bmm.cb_depth, Value<Subblock>::show(bmm.subblock), bytes, room));
}

void weights_fit_in_dram(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    const WorkloadSpec& layer = run.workload;
    const std::uint64_t experts = layer.experts / run.mesh.shape.num_devices();
    const std::uint64_t bytes =
        kProjections * experts * padded(layer.hidden) * padded(layer.intermediate) * kBytesOfWeight;
    const std::uint64_t room =
        arch.dram.num_banks * (arch.dram.bank_size.value - arch.dram.reserved.value);
    judge.require(bytes <= room, "workload.experts",
                  fmt::format("{} experts a device take {} B of weights, but a {} has {} B of DRAM",
                              experts, bytes, arch.name, room));
}

void moe_layer_fits(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    experts_divide_over_devices(run, arch, judge);
    top_k_is_at_most_experts(run, arch, judge);
    op_grids_fit_the_device(run, arch, judge);
    subblock_fits_in_half_of_dst(run, arch, judge);
    moe_bmm_buffers_fit_in_l1(run, arch, judge);
    weights_fit_in_dram(run, arch, judge);
}

void validate(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    ring_is_one_dimensional(run, arch, judge);
    switch (run.workload.pipeline) {
        case Pipeline::MoeV2:
            return moe_layer_fits(run, arch, judge);
        case Pipeline::Matmul:
            return matmul_goes_with_its_shape(run, arch, judge);
        case Pipeline::Eltwise:
            return eltwise_goes_with_its_formats(run, arch, judge);
        case Pipeline::Reshard:
            return reshard_has_shards(run, arch, judge);
        case Pipeline::Copy:
            return copy_fits_the_device(run, arch, judge);
    }
}

}  // namespace tessera::config
