// SPDX-License-Identifier: Apache-2.0
// Programs of the newer generation that compute in blocks, by rows, and with a vector function of
// their own.
#include "tests/metalium/block_matmul.hpp"
#include "tests/metalium/expected_rows.hpp"
#include "tests/metalium/mesh_host_programs.hpp"
#include "tests/metalium/mesh_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace metalium_programs {
namespace {

constexpr std::uint32_t kTiles = 6;

/// Runs a compute kernel on one core over tiles of the input and of a constant.
std::vector<bfloat16> run_by_rows(const std::string& compute, const std::vector<bfloat16>& input,
                                  float constant) {
    constexpr CoreCoord core(3, 2);
    const auto mesh = MeshDevice::create_unit_mesh(0);
    const auto rows = replicated(mesh, kTiles);
    const auto scaler = replicated(mesh, kTiles);
    const auto output = replicated(mesh, kTiles);
    Program program = CreateProgram();
    for (const std::uint8_t index :
         {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16, CBIndex::c_24, CBIndex::c_25}) {
        add_cb(program, core, index, kTiles);
    }
    std::vector<std::uint32_t> in_args;
    std::vector<std::uint32_t> out_args;
    TensorAccessorArgs(rows).append_to(in_args);
    TensorAccessorArgs(scaler).append_to(in_args);
    TensorAccessorArgs(output).append_to(out_args);
    const auto reader =
        CreateKernel(program, kernel("read_two.cpp"), core, ReaderDataMovementConfig(in_args));
    const auto writer = CreateKernel(program, kernel("write_pages.cpp"), core,
                                     WriterDataMovementConfig(out_args, {{"FROM", "16"}}));
    const auto maths =
        CreateKernel(program, kernel(compute), core, ComputeConfig{.fp32_dest_acc_en = true});
    SetRuntimeArgs(program, reader, core,
                   {std::uint32_t(rows->address()), std::uint32_t(scaler->address()), 0, kTiles});
    SetRuntimeArgs(program, maths, core, {kTiles});
    SetRuntimeArgs(program, writer, core, {std::uint32_t(output->address()), 0, kTiles});
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    EnqueueWriteMeshBuffer(queue, rows, tilize_nfaces(input, kTiles * 32, 32), false);
    EnqueueWriteMeshBuffer(queue, scaler, std::vector<bfloat16>(input.size(), bfloat16(constant)),
                           false);
    run_on(mesh, std::move(program));
    std::vector<bfloat16> tiles;
    EnqueueReadMeshBuffer(queue, tiles, output, true);
    return untilize_nfaces(tiles, kTiles * 32, 32);
}

}  // namespace

bool custom_vector_function() {
    const std::vector<bfloat16> input = pattern(kTiles * constants::TILE_HW, 29, 61);
    return joins_neighbours(run_by_rows("neighbours.cpp", input, 0), input);
}

bool layer_norm_of_rows() {
    const std::vector<bfloat16> input = uneven_rows(kTiles);
    return is_layer_norm(run_by_rows("layer_norm.cpp", input, 1.0F / 32), input);
}

bool matmul_with_reuse() {
    const auto mesh = MeshDevice::create_unit_mesh(0);
    const auto a = replicated(mesh, kRows * kInner / constants::TILE_HW);
    const auto b = replicated(mesh, kInner * kColumns / constants::TILE_HW);
    const auto c = replicated(mesh, kRows * kColumns / constants::TILE_HW);
    const CoreRange cores({0, 0}, {kBlockColumns - 1, kBlockRows - 1});
    Program program = CreateProgram();
    for (const std::uint8_t index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
        add_cb(program, cores, index, 8);
    }
    std::vector<std::uint32_t> in_args;
    std::vector<std::uint32_t> out_args;
    TensorAccessorArgs(a).append_to(in_args);
    TensorAccessorArgs(b).append_to(in_args);
    TensorAccessorArgs(c).append_to(out_args);
    const auto reader =
        CreateKernel(program, kernel("read_blocks.cpp"), cores, ReaderDataMovementConfig(in_args));
    const auto writer =
        CreateKernel(program, kernel("write_block.cpp"), cores, WriterDataMovementConfig(out_args));
    const auto maths = CreateKernel(program, kernel("matmul_blocks.cpp"), cores,
                                    ComputeConfig{.fp32_dest_acc_en = true});
    SetRuntimeArgs(program, maths, cores, {kInnerBlocks});
    for (const CoreCoord& core : cores) {
        const auto row = static_cast<std::uint32_t>(core.y);
        const auto column = static_cast<std::uint32_t>(core.x);
        SetRuntimeArgs(program, reader, core,
                       block_reader_args(a->address(), b->address(), row, column));
        SetRuntimeArgs(program, writer, core,
                       {std::uint32_t(c->address()), row, column, kColumns / 32});
    }
    const std::vector<bfloat16> left = small_numbers(kRows * kInner, 5);
    const std::vector<bfloat16> right = small_numbers(kInner * kColumns, 7);
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    EnqueueWriteMeshBuffer(queue, a, tilize_nfaces(left, kRows, kInner), false);
    EnqueueWriteMeshBuffer(queue, b, tilize_nfaces(right, kInner, kColumns), false);
    run_on(mesh, std::move(program));
    std::vector<bfloat16> tiles;
    EnqueueReadMeshBuffer(queue, tiles, c, true);
    return is_product(untilize_nfaces(tiles, kRows, kColumns), left, right);
}

bool closed_with_held_buffers() {
    auto mesh = MeshDevice::create_unit_mesh(0);
    const std::uint64_t first = replicated(mesh, 12)->address();
    const auto held = replicated(mesh, 12);
    const bool was_open = mesh->close();
    mesh = MeshDevice::create_unit_mesh(0);
    const auto next = replicated(mesh, 12);
    return was_open && held->address() == first && next->address() == first;
}

}  // namespace metalium_programs
