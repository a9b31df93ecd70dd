// SPDX-License-Identifier: Apache-2.0
// Functions of the vector unit on the statistics of attention. They take the even columns of a
// face; a kernel here calls each one for the even and for the odd columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using ::testing::StartsWith;

/// x is in tiles 0 and 3 of DST and y in 1 and 4. CALLS has EACH(face), which calls a function for
/// the halves of all faces, or a call of its own. Tile RESULT is the output.
constexpr const char* kColumns =
    "#include \"compute_kernel_api/tile_move_copy.h\"\n"
    "#include HEADER\n"
    "#define EACH(...) \\\n"
    "    MATH((_llk_math_eltwise_unary_sfpu_params_([] { __VA_ARGS__; }, 0, \\\n"
    "                                               (int)VectorMode::RC))); \\\n"
    "    MATH((_llk_math_eltwise_unary_sfpu_params_([] { sfpi::dst_reg++; __VA_ARGS__; }, 0, \\\n"
    "                                               (int)VectorMode::RC)))\n"
    "void kernel_main() {\n"
    "    unary_op_init_common(0, 16);\n"
    "    cb_wait_front(0, 1); cb_wait_front(1, 1); cb_reserve_back(16, 1);\n"
    "    tile_regs_acquire();\n"
    "    copy_tile_to_dst_init_short(0); copy_tile(0, 0, 0); copy_tile(0, 0, 3);\n"
    "    copy_tile_to_dst_init_short(1); copy_tile(1, 0, 1); copy_tile(1, 0, 4);\n"
    "    CALLS;\n"
    "    tile_regs_commit(); tile_regs_wait(); pack_tile(RESULT, 16); tile_regs_release();\n"
    "    cb_pop_front(0, 1); cb_pop_front(1, 1); cb_push_back(16, 1);\n"
    "}\n";
constexpr const char* kSdpa = "\"experimental/llk_sfpu/ckernel_sfpu_sdpa.h\"";
constexpr const char* kSdpaFw = "\"experimental/llk_sfpu/ckernel_sfpu_sdpa_fw.h\"";

struct ColumnCase {
    const char* name;
    const char* header;
    std::string calls;
    const char* result;
    const char* reference;
};

class KernelColumns : public ::testing::TestWithParam<ColumnCase> {};

TEST_P(KernelColumns, ComputeWhatTheySay) {
    const ColumnCase& column = GetParam();
    const ScratchFolder folder;
    folder.write("columns.cpp", kColumns);

    const Ending ending = run_tessera(
        {"kernel", "run", "columns.cpp", "--in", "x=32x32", "--in", "y=32x32", "--out", "out=32x32",
         "--define", std::string("HEADER=") + column.header, "--define",
         std::string("CALLS=") + column.calls, "--define", std::string("RESULT=") + column.result,
         "--reference", column.reference, "--quiet"},
        folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked"));
}

INSTANTIATE_TEST_SUITE_P(
    Compute, KernelColumns,
    ::testing::Values(
        ColumnCase{"Reciprocal", kSdpa,
                   "EACH(ckernel::sfpu::calculate_recip_first_column<false>())", "0", "1 / x"},
        // The older form takes the magnitude.
        ColumnCase{"OldReciprocal", kSdpa, "EACH(ckernel::sfpu::calculate_recip_first_column())",
                   "0", "1 / abs(x)"},
        ColumnCase{"ReciprocalOfTraining", kSdpaFw,
                   "EACH(ckernel::sfpu::calculate_recip_first_column())", "0", "1 / x"},
        // 0x4000 is 2 as a bfloat16.
        ColumnCase{"Exp", kSdpa,
                   "EACH(ckernel::sfpu::calculate_exponential_first_column<false, 0x4000>())", "0",
                   "exp(2 * x)"},
        ColumnCase{"ExpOfTraining", kSdpaFw,
                   "EACH(ckernel::sfpu::calculate_exponential_first_column<0x4000>())", "0",
                   "exp(2 * x)"},
        // 2, 1 / 2 and 20.
        ColumnCase{"Softplus", kSdpa,
                   "EACH(ckernel::sfpu::calculate_softplus_first_column(0x40000000, 0x3F000000, "
                   "0x41A00000))",
                   "0", "log(1 + exp(2 * x)) / 2"},
        ColumnCase{"JointSumOfTwoSoftmaxes", kSdpa,
                   "EACH(ckernel::sfpu::calculate_fused_max_sub_exp_add_tile(0x3F80))", "3",
                   "x * exp(x - max(x, y)) + y * exp(y - max(x, y))"},
        ColumnCase{"JointMaximumOfTwoSoftmaxes", kSdpa,
                   "EACH(ckernel::sfpu::calculate_fused_max_sub_exp_add_tile(0x3F80))", "2",
                   "max(x, y)"},
        // A function by its name in ckernel::sfpu; 0x40400000 is 3.
        ColumnCase{"ProductWithAScalar", kSdpa,
                   "MATH(SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, "
                   "calculate_binop_with_scalar, (APPROX, MUL_UNARY, 8), 1, "
                   "VectorMode::RC, 0x40400000))",
                   "1", "3 * y"},
        ColumnCase{"ScalarLessATile", kSdpa,
                   "MATH(SFPU_UNARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, "
                   "calculate_binop_with_scalar, (APPROX, RSUB_UNARY, 8), 1, "
                   "VectorMode::RC, 0x40400000))",
                   "1", "3 - y"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tessera::test
