// SPDX-License-Identifier: Apache-2.0
// Names of the kernel API that public kernels use, each in a kernel whose values are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using ::testing::StartsWith;

/// Computes one tile of two. INIT and CALL come from the test.
constexpr const char* kTwoTiles =
    "#include \"compute_kernel_api/bcast.h\"\n"
    "#include \"compute_kernel_api/eltwise_binary_sfpu.h\"\n"
    "#include \"compute_kernel_api/tile_move_copy.h\"\n"
    "#include \"compute_kernel_api/transpose_wh.h\"\n"
    "void kernel_main() {\n"
    "    binary_op_init_common(0, 1, 16);\n"
    "    cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back(16, 1);\n"
    "    tile_regs_acquire(); INIT; CALL; tile_regs_commit();\n"
    "    tile_regs_wait(); pack_tile(0, 16); tile_regs_release();\n"
    "    cb_pop_front(0, 1); cb_pop_front(1, 1); cb_push_back(16, 1);\n"
    "}\n";
constexpr const char* kBothInDst =
    "copy_tile_to_dst_init_short(0); copy_tile(0, 0, 0); copy_tile_to_dst_init_short(1); "
    "copy_tile(1, 0, 1); ";

struct NameCase {
    const char* name;
    std::string init;
    std::string call;
    const char* second;  ///< shape of y
    const char* reference;
};

class KernelNames : public ::testing::TestWithParam<NameCase> {};

TEST_P(KernelNames, ComputeWhatTheySay) {
    const NameCase& names = GetParam();
    const ScratchFolder folder;
    folder.write("two.cpp", kTwoTiles);

    const Ending ending = run_tessera(
        {"kernel", "run", "two.cpp", "--in", "x=32x32", "--in", std::string("y=") + names.second,
         "--out", "out=32x32", "--define", "INIT=" + names.init, "--define", "CALL=" + names.call,
         "--reference", names.reference, "--quiet"},
        folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked"));
}

INSTANTIATE_TEST_SUITE_P(
    Compute, KernelNames,
    ::testing::Values(NameCase{"MulScalar", "mul_tiles_bcast_scalar_init_short(0, 1)",
                               "mul_tiles_bcast_scalar(0, 1, 0, 0, 0)", "1x1", "x * y"},
                      NameCase{"SubScalar", "sub_tiles_bcast_scalar_init_short(0, 1)",
                               "sub_tiles_bcast_scalar(0, 1, 0, 0, 0)", "1x1", "x - y"},
                      NameCase{"SubColumns", "sub_bcast_cols_init_short(0, 1)",
                               "sub_tiles_bcast_cols(0, 1, 0, 0, 0)", "32x1", "x - y"},
                      NameCase{"MulRows", "mul_bcast_rows_init_short(0, 1)",
                               "mul_tiles_bcast<BroadcastType::ROW>(0, 1, 0, 0, 0)", "1x32",
                               "x * y"},
                      NameCase{"AddColumns", "add_bcast_cols_init_short(0, 1)",
                               "add_tiles_bcast<BroadcastType::COL>(0, 1, 0, 0, 0)", "32x1",
                               "x + y"},
                      NameCase{"AddInDst", std::string(kBothInDst) + "add_binary_tile_init()",
                               "add_binary_tile(0, 1, 0)", "32x32", "x + y"},
                      NameCase{"SubInDst", std::string(kBothInDst) + "sub_binary_tile_init()",
                               "sub_binary_tile(0, 1, 0)", "32x32", "x - y"},
                      NameCase{"MulInDst", std::string(kBothInDst) + "mul_binary_tile_init()",
                               "mul_binary_tile(0, 1, 0)", "32x32", "x * y"},
                      NameCase{"MaxInDst", std::string(kBothInDst) + "binary_max_tile_init()",
                               "binary_max_tile(0, 1, 0)", "32x32", "max(x, y)"},
                      NameCase{"Transpose", "transpose_wh_init_short(0)",
                               "transpose_wh_tile(0, 0, 0)", "32x32", "transpose(x)"},
                      NameCase{"ExpOfItsInit",
                               std::string(kBothInDst) + "exp_tile_init<true, true, 0x40000000>()",
                               "exp_tile<true>(0)", "32x32", "exp(2 * x)"}),
    [](const auto& test) { return std::string(test.param.name); });

// The copy is right only if the kernel's facts are those of the program.
TEST(KernelObjects, OfObjectsAndOfTheCoreMoveATensor) {
    const ScratchFolder folder;
    folder.write("copy.cpp",
                 "#include \"experimental/noc.h\"\n"
                 "#include \"experimental/circular_buffer.h\"\n"
                 "#include \"experimental/tensor.h\"\n"
                 "void kernel_main() {\n"
                 "    const uint32_t src_addr = get_arg_val<uint32_t>(0);\n"
                 "    const uint32_t dst_addr = get_arg_val<uint32_t>(1);\n"
                 "    const uint32_t num_tiles = get_arg_val<uint32_t>(2);\n"
                 "    constexpr auto src_args = TensorAccessorArgs<0>();\n"
                 "    constexpr auto dst_args = "
                 "TensorAccessorArgs<src_args.next_compile_time_args_offset()>();\n"
                 "    const auto src = TensorAccessor(src_args, src_addr);\n"
                 "    const auto dst = TensorAccessor(dst_args, dst_addr);\n"
                 "    experimental::Noc noc;\n"
                 "    experimental::CircularBuffer cb(4);\n"
                 "    const uint32_t zero = get_absolute_logical_x() + get_absolute_logical_y() +\n"
                 "                          get_my_thread_id() + get_num_threads() - 1 +\n"
                 "                          noc.get_noc_id() - NOC_INDEX;\n"
                 "    for (uint32_t t = 0; t < num_tiles; ++t) {\n"
                 "        cb.reserve_back(1);\n"
                 "        noc.async_read(src, cb, get_tile_size(4), {.page_id = t + zero},\n"
                 "                       {.offset_bytes = 0});\n"
                 "        noc.async_read_barrier();\n"
                 "        cb.push_back(1);\n"
                 "        cb.wait_front(1);\n"
                 "        noc.async_write(cb, dst, get_tile_size(4), {}, {.page_id = t});\n"
                 "        noc.async_writes_flushed();\n"
                 "        cb.pop_front(1);\n"
                 "    }\n"
                 "    noc.async_write_barrier();\n"
                 "}\n");

    const Ending ending = run_tessera(
        {"kernel", "run", "copy.cpp", "--in", "x=96x64", "--reference", "x", "--strict", "--quiet"},
        folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked, PCC ≥ 1, relative error ≤ 0"));
}

}  // namespace
}  // namespace tessera::test
