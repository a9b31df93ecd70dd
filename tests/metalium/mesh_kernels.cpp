// SPDX-License-Identifier: Apache-2.0
#include <tt-metalium/tt_metal.hpp>

#include "tests/metalium/mesh_host_programs.hpp"
#include "tests/metalium/mesh_programs.hpp"

using namespace tt;
using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace metalium_programs {
namespace {

/// C = A · B in float, for whole numbers whose sums float holds exactly.
std::vector<float> product(const std::vector<bfloat16>& a, const std::vector<bfloat16>& b,
                           std::size_t m, std::size_t k, std::size_t n) {
    std::vector<float> c(m * n);
    for (std::size_t row = 0; row < m; ++row) {
        for (std::size_t inner = 0; inner < k; ++inner) {
            const float left = a[row * k + inner];
            for (std::size_t column = 0; column < n; ++column) {
                c[row * n + column] += left * b[inner * n + column];
            }
        }
    }
    return c;
}

// Each tile is packed twice, the second time with its first column alone.
bool is_smooth_step(const std::vector<bfloat16>& left, const std::vector<bfloat16>& right,
                    const std::vector<bfloat16>& result) {
    bool is_right = result.size() == 2 * left.size();
    for (std::size_t i = 0; is_right && i < left.size(); ++i) {
        // Quarters, so that bfloat16 holds the results.
        const float share = std::clamp((left[i] + right[i]) / 4, 0.0F, 1.0F);
        const float step = share * share * (3 - 2 * share);
        const std::size_t page = i / constants::TILE_HW * 2 * constants::TILE_HW;
        const std::size_t at = i % constants::TILE_HW;
        // Column 0 begins the rows of the left faces, the first and the third.
        const bool is_kept = at % 16 == 0 && at / constants::FACE_HW % 2 == 0;
        is_right = result[page + at] == step &&
                   result[page + constants::TILE_HW + at] == (is_kept ? step : 0.0F);
    }
    return is_right;
}

}  // namespace

bool matmul_on_many_cores() {
    constexpr std::uint32_t kM = 192;
    constexpr std::uint32_t kK = 128;
    constexpr std::uint32_t kN = 320;
    constexpr std::uint32_t kOutputs = kM * kN / constants::TILE_HW;
    const auto mesh = MeshDevice::create_unit_mesh(0);
    const auto a = replicated(mesh, kM * kK / constants::TILE_HW);
    const auto b = replicated(mesh, kK * kN / constants::TILE_HW);
    const auto c = replicated(mesh, kOutputs);
    const auto [num_cores, all, first_group, second_group, first_tiles, second_tiles] =
        split_work_to_cores(mesh->compute_with_storage_grid_size(), kOutputs);
    Program program = CreateProgram();
    for (const std::uint8_t index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
        add_cb(program, all, index, 2);
    }
    std::vector<std::uint32_t> in_args;
    std::vector<std::uint32_t> out_args;
    TensorAccessorArgs(a).append_to(in_args);
    TensorAccessorArgs(b).append_to(in_args);
    TensorAccessorArgs(c).append_to(out_args);
    const auto reader =
        CreateKernel(program, kernel("read_matmul.cpp"), all, ReaderDataMovementConfig(in_args));
    const auto writer = CreateKernel(program, kernel("write_pages.cpp"), all,
                                     WriterDataMovementConfig(out_args, {{"FROM", "16"}}));
    const auto maths =
        CreateKernel(program, kernel("matmul.cpp"), all, ComputeConfig{.fp32_dest_acc_en = true});
    std::uint32_t next = 0;
    for (const CoreCoord& core : corerange_to_cores(all)) {
        const std::uint32_t tiles = first_group.contains(core) ? first_tiles : second_tiles;
        SetRuntimeArgs(program, reader, core,
                       {std::uint32_t(a->address()), std::uint32_t(b->address()), next, tiles,
                        kK / 32, kN / 32});
        SetRuntimeArgs(program, maths, core, {tiles, kK / 32});
        SetRuntimeArgs(program, writer, core, {std::uint32_t(c->address()), next, tiles});
        next += tiles;
    }
    const std::vector<bfloat16> left = pattern(kM * kK, 7, 5, 2);
    const std::vector<bfloat16> right = pattern(kK * kN, 3, 7, 3);
    EnqueueWriteMeshBuffer(mesh->mesh_command_queue(), a, tilize_nfaces(left, kM, kK), false);
    EnqueueWriteMeshBuffer(mesh->mesh_command_queue(), b, tilize_nfaces(right, kK, kN), false);
    run_on(mesh, std::move(program));
    std::vector<bfloat16> tiles;
    EnqueueReadMeshBuffer(mesh->mesh_command_queue(), tiles, c, true);
    const std::vector<bfloat16> result = untilize_nfaces(tiles, kM, kN);
    const std::vector<float> expected = product(left, right, kM, kK, kN);
    bool is_right = num_cores == kOutputs && next == kOutputs;
    for (std::size_t i = 0; i < result.size(); ++i) {
        is_right = is_right && result[i] == bfloat16(expected[i]);
    }
    return is_right;
}

bool sum_of_rows() {
    constexpr std::uint32_t kTiles = 5;
    constexpr CoreCoord core(4, 4);
    const auto mesh = MeshDevice::create_unit_mesh(0);
    const auto input = replicated(mesh, kTiles);
    const auto output = replicated(mesh, kTiles);
    Program program = CreateProgram();
    for (const std::uint8_t index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
        add_cb(program, core, index, 2);
    }
    std::vector<std::uint32_t> in_args;
    std::vector<std::uint32_t> out_args;
    TensorAccessorArgs(input).append_to(in_args);
    TensorAccessorArgs(input).append_to(in_args);
    TensorAccessorArgs(output).append_to(out_args);
    const std::vector<bfloat16> numbers = pattern(kTiles * constants::TILE_HW, 3, 4);
    // Tile 0 of `ones` is the scaler.
    const auto ones = replicated(mesh, kTiles);
    const auto reader =
        CreateKernel(program, kernel("read_two.cpp"), core, ReaderDataMovementConfig(in_args));
    const auto writer = CreateKernel(program, kernel("write_pages.cpp"), core,
                                     WriterDataMovementConfig(out_args, {{"FROM", "16"}}));
    const auto maths =
        CreateKernel(program, kernel("one_tile.cpp"), core,
                     ComputeConfig{.fp32_dest_acc_en = true, .defines = {{"OPERATION", "1"}}});
    SetRuntimeArgs(program, reader, core,
                   {std::uint32_t(input->address()), std::uint32_t(ones->address()), 0, 1});
    SetRuntimeArgs(program, maths, core, {1});
    SetRuntimeArgs(program, writer, core, {std::uint32_t(output->address()), 0, 1});
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    EnqueueWriteMeshBuffer(queue, input, tilize_nfaces(numbers, kTiles * 32, 32), false);
    EnqueueWriteMeshBuffer(
        queue, ones, std::vector<bfloat16>(kTiles * constants::TILE_HW, bfloat16(1.0F)), false);
    run_on(mesh, std::move(program));
    std::vector<bfloat16> tiles;
    EnqueueReadMeshBuffer(queue, tiles, output, true);
    const std::vector<bfloat16> result = untilize_nfaces(tiles, kTiles * 32, 32);
    bool is_right = true;
    for (std::size_t row = 0; row < 32; ++row) {
        float sum = 0;
        for (std::size_t column = 0; column < 32; ++column) {
            sum += numbers[row * 32 + column];
        }
        is_right = is_right && result[row * 32] == sum;
    }
    return is_right;
}

bool functions_of_examples() {
    constexpr std::uint32_t kTiles = 3;
    constexpr CoreCoord core(1, 2);
    const auto mesh = MeshDevice::create_unit_mesh(0);
    const auto a = replicated(mesh, kTiles);
    const auto b = replicated(mesh, kTiles);
    const auto output = replicated(mesh, 2 * kTiles);
    Program program = CreateProgram();
    for (const std::uint8_t index : {CBIndex::c_0, CBIndex::c_1, CBIndex::c_16}) {
        add_cb(program, core, index, 2);
    }
    std::vector<std::uint32_t> in_args;
    std::vector<std::uint32_t> out_args;
    TensorAccessorArgs(a).append_to(in_args);
    TensorAccessorArgs(b).append_to(in_args);
    TensorAccessorArgs(output).append_to(out_args);
    const auto reader =
        CreateKernel(program, kernel("read_two.cpp"), core, ReaderDataMovementConfig(in_args));
    const auto writer = CreateKernel(program, kernel("write_pages.cpp"), core,
                                     WriterDataMovementConfig(out_args, {{"FROM", "16"}}));
    const auto maths =
        CreateKernel(program, kernel("example_functions.cpp"), core, ComputeConfig{});
    SetRuntimeArgs(program, reader, core,
                   {std::uint32_t(a->address()), std::uint32_t(b->address()), 0, kTiles});
    SetRuntimeArgs(program, maths, core, {kTiles});
    SetRuntimeArgs(program, writer, core, {std::uint32_t(output->address()), 0, 2 * kTiles});
    const std::vector<bfloat16> left = pattern(kTiles * constants::TILE_HW, 3, 7, 3);
    const std::vector<bfloat16> right = pattern(kTiles * constants::TILE_HW, 5, 4);
    MeshCommandQueue& queue = mesh->mesh_command_queue();
    EnqueueWriteMeshBuffer(queue, a, left, false);
    EnqueueWriteMeshBuffer(queue, b, right, false);
    run_on(mesh, std::move(program));
    std::vector<bfloat16> result;
    EnqueueReadMeshBuffer(queue, result, output, true);
    return is_smooth_step(left, right, result);
}

bool semaphore_ring() {
    const auto mesh = MeshDevice::create_unit_mesh(0);
    IDevice* device = mesh->get_device(0, 0);
    const CoreRange cores({0, 0}, {3, 1});
    const std::vector<CoreCoord> ring{{0, 0}, {1, 0}, {2, 0}, {3, 0},
                                      {3, 1}, {2, 1}, {1, 1}, {0, 1}};
    const auto word =
        static_cast<std::uint32_t>(device->allocator()->get_base_allocator_addr(HalMemType::L1));
    Program program = CreateProgram();
    const std::uint32_t semaphore = CreateSemaphore(program, cores, 0);
    const auto pass = CreateKernel(program, kernel("ring.cpp"), cores, WriterDataMovementConfig());
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const CoreCoord next = device->worker_core_from_logical_core(ring[(i + 1) % ring.size()]);
        const std::vector<std::uint32_t> args{
            semaphore, word, std::uint32_t(next.x), std::uint32_t(next.y), std::uint32_t(i + 1),
            i == 0};
        SetRuntimeArgs(program, pass, ring[i], args);
    }
    std::vector<std::uint32_t> start{100, 0, 0, 0};
    tt_metal::detail::WriteToDeviceL1(device, ring.front(), word, start);
    run_on(mesh, std::move(program));
    std::vector<std::uint32_t> end;
    tt_metal::detail::ReadFromDeviceL1(device, ring.front(), word, 4, end);
    return end.front() == 100 + 36;
}

bool kernels_from_strings() {
    const auto mesh = MeshDevice::create_unit_mesh(0);
    const CoreRangeSet cores(std::set<CoreRange>{CoreRange({0, 0}, {2, 0}), CoreRange({5, 5})});
    Program program = CreateProgram();
    const auto base =
        static_cast<std::uint32_t>(mesh->allocator()->get_base_allocator_addr(HalMemType::L1));
    const KernelHandle writer = CreateKernelFromString(
        program,
        "static_assert(noc_mode == DM_DYNAMIC_NOC);\n"
        "void kernel_main() {\n"
        "    *(volatile uint32_t*)get_arg_val<uint32_t>(0) =\n"
        "        get_compile_time_arg_val(0) + get_named_compile_time_arg_val(\"more\") +\n"
        "        get_common_arg_val<uint32_t>(0);\n"
        "}\n",
        cores,
        DataMovementConfig{.noc_mode = NOC_MODE::DM_DYNAMIC_NOC,
                           .compile_args = {1000},
                           .named_compile_args = {{"more", 200}}});
    SetRuntimeArgs(program, writer, cores, {base});
    SetCommonRuntimeArgs(program, writer, {30});
    run_on(mesh, std::move(program));
    bool is_right = cores.merge_ranges().num_cores() == 4;
    for (const CoreCoord& core : corerange_to_cores(cores)) {
        std::vector<std::uint32_t> word;
        tt_metal::detail::ReadFromDeviceL1(mesh.get(), core, base, 4, word);
        is_right = is_right && word.front() == 1230;
    }
    return is_right;
}

}  // namespace metalium_programs
