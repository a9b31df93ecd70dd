// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/op_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

std::uint64_t room_of(const ArchSpec& arch) {
    return arch.l1.size.value - arch.l1.reserved.value;
}

std::uint32_t tiles_of(std::uint32_t extent) {
    return extent / kTileRows + (extent % kTileRows == 0 ? 0 : 1);
}

/// Pages are counted in 32 bits.
void require_shape(const Shape& shape, const std::string& path, Judge& judge) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32U;
    std::uint64_t elements = shape.empty() ? 0 : 1;
    for (const std::uint32_t extent : shape) {
        elements = std::min(elements * extent, kMost);  // extents are at most 2^20
    }
    judge.require(
        elements > 0 && elements < kMost, path,
        fmt::format("{} has {} elements, allowed: 1 to {}", Value<Numbers>::show(shape),
                    elements == kMost ? "too many" : std::to_string(elements), kMost - 1));
}

void require_format(DataFormat format, std::initializer_list<DataFormat> allowed,
                    const std::string& path, Judge& judge) {
    std::string words;
    for (const DataFormat other : allowed) {
        words += (words.empty() ? "" : ", ") + std::string(name_of(other));
    }
    judge.require(std::ranges::find(allowed, format) != allowed.end(), path,
                  fmt::format("{} is no format of the op, allowed: {}", name_of(format), words));
}

void require_tiles(DataFormat format, Layout layout, const std::string& path, Judge& judge) {
    judge.require(!is_block_format(format) || layout == Layout::TILE, path,
                  fmt::format("row_major, but elements of {} share exponents in tiles; allowed: "
                              "tile",
                              name_of(format)));
}

/// Where one end of a reshard may lie.
void require_memory(const TensorSpec& spec, const MemoryConfig& config, GridSize device,
                    const std::string& path, Judge& judge) {
    const std::string grid = Value<GridSize>::show(config.grid);
    if (!config.is_sharded()) {
        judge.require(config.grid == GridSize{}, path + ".grid",
                      fmt::format("{}, but layout is interleaved; allowed: [0, 0]", grid));
        return;
    }
    judge.require(config.memory == BufferType::L1, path + ".memory",
                  fmt::format("dram, but layout is {}; allowed: l1",
                              Value<TensorMemoryLayout>::show(config.layout)));
    const bool is_part = config.grid.columns >= 1 && config.grid.columns <= device.columns &&
                         config.grid.rows >= 1 && config.grid.rows <= device.rows;
    judge.require(is_part, path + ".grid",
                  fmt::format("{} is no part of the device's {}, allowed: [1, 1] to {}", grid,
                              Value<GridSize>::show(device), Value<GridSize>::show(device)));
    try {
        if (is_part) {
            (void)make_shard_spec(spec, config);
        }
    } catch (const UsageError& error) {
        judge.require(false, path + ".grid", error.what());
    }
}

}  // namespace

void require_grid(GridSize grid, GridSize device, const std::string& path, Judge& judge) {
    const bool is_whole = grid == GridSize{};
    const bool is_part = grid.columns >= 1 && grid.columns <= device.columns && grid.rows >= 1 &&
                         grid.rows <= device.rows;
    judge.require(is_whole || is_part, path,
                  fmt::format("{} is no part of the device's {}, allowed: [0, 0] or [1, 1] to {}",
                              Value<GridSize>::show(grid), Value<GridSize>::show(device),
                              Value<GridSize>::show(device)));
}

void matmul_goes_with_its_shape(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    const MatmulSpec& matmul = run.ops.matmul;
    require_grid(matmul.grid, arch.workers.compute, "ops.matmul.grid", judge);
    const std::uint32_t tiles = matmul.out_subblock.height * matmul.out_subblock.width;
    const std::uint32_t half =
        (matmul.fp32_dest_acc ? arch.dst.tiles_32bit : arch.dst.tiles_16bit) / 2;
    judge.require(tiles <= half, "ops.matmul.out_subblock",
                  fmt::format("{} tiles, but half of DST holds {} with fp32_dest_acc {}", tiles,
                              half, matmul.fp32_dest_acc));
    const std::uint32_t k_tiles = tiles_of(run.workload.matmul.k);
    judge.require(
        k_tiles % matmul.in0_block_w == 0, "ops.matmul.in0_block_w",
        fmt::format("blocks of {} tiles do not divide the {} K tiles of workload.matmul.k",
                    matmul.in0_block_w, k_tiles));
    const auto allowed = {DataFormat::Float16_b, DataFormat::Bfp8_b, DataFormat::Bfp4_b,
                          DataFormat::Float32};
    require_format(matmul.in0.format, allowed, "ops.matmul.in0.format", judge);
    require_format(matmul.in1.format, allowed, "ops.matmul.in1.format", judge);
    require_format(matmul.out.format, allowed, "ops.matmul.out.format", judge);
}

void eltwise_goes_with_its_formats(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    const EltwiseWorkload& tensors = run.workload.eltwise;
    const EltwiseSpec& eltwise = run.ops.eltwise;
    require_shape(tensors.shape, "workload.eltwise.shape", judge);
    const auto allowed = {DataFormat::Float16_b, DataFormat::Bfp8_b, DataFormat::Float32};
    require_format(tensors.input_format, allowed, "workload.eltwise.input_format", judge);
    require_format(tensors.output_format, allowed, "workload.eltwise.output_format", judge);
    require_grid(eltwise.grid, arch.workers.compute, "ops.eltwise.grid", judge);
    judge.require(tensors.input_format != DataFormat::Float32 || eltwise.fp32_dest_acc,
                  "ops.eltwise.fp32_dest_acc",
                  "false, but workload.eltwise.input_format is float32; allowed: true");
    const std::uint64_t tile = num_inputs(tensors.function) * tile_bytes(tensors.input_format) +
                               tile_bytes(tensors.output_format);
    const std::uint64_t bytes = tile * eltwise.tiles_per_push * eltwise.cb_depth;
    judge.require(bytes <= room_of(arch), "ops.eltwise.tiles_per_push",
                  fmt::format("CBs for {} tiles × cb_depth {} take {} B, but a core has {} B of L1 "
                              "for buffers",
                              eltwise.tiles_per_push, eltwise.cb_depth, bytes, room_of(arch)));
}

void reshard_has_shards(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    const ReshardWorkload& tensor = run.workload.reshard;
    const GridSize device = arch.workers.compute;
    const TensorSpec spec{tensor.shape, tensor.format, tensor.layout};
    require_shape(tensor.shape, "workload.reshard.shape", judge);
    require_tiles(tensor.format, tensor.layout, "workload.reshard.layout", judge);
    require_memory(spec, tensor.from, device, "workload.reshard.from", judge);
    require_memory(spec, tensor.to, device, "workload.reshard.to", judge);
    judge.require(tensor.from.is_sharded() || tensor.to.is_sharded(), "workload.reshard.to.layout",
                  "interleaved at both ends, which is what the pipeline copy does; allowed: block, "
                  "height or width at one of them");
}

void copy_fits_the_device(const RunSpec& run, const ArchSpec& arch, Judge& judge) {
    const CopyWorkload& tensor = run.workload.copy;
    require_shape(tensor.shape, "workload.copy.shape", judge);
    require_tiles(tensor.format, tensor.layout, "workload.copy.layout", judge);
    require_grid(run.ops.copy.grid, arch.workers.compute, "ops.copy.grid", judge);
    if (is_block_format(tensor.format) && tensor.layout != Layout::TILE) {
        return;
    }
    const std::uint64_t alignment = arch.dram.alignment.value;
    const std::uint64_t page = TensorSpec{tensor.shape, tensor.format, tensor.layout}.page_size();
    const std::uint64_t bytes =
        (page + alignment - 1) / alignment * alignment * run.ops.copy.cb_depth;
    judge.require(bytes <= room_of(arch), "ops.copy.cb_depth",
                  fmt::format("a CB of {} pages of {} B takes {} B, but a core has {} B of L1 for "
                              "buffers",
                              run.ops.copy.cb_depth, page, bytes, room_of(arch)));
}

}  // namespace tessera::config
