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

/// Returns a kernel: `includes`, then a kernel_main with num_tiles and the accessors src and dst,
/// which `body` completes.
std::string on_tensors(const std::string& includes, const std::string& body) {
    return includes +
           "void kernel_main() {\n"
           "    const uint32_t src_addr = get_arg_val<uint32_t>(0);\n"
           "    const uint32_t dst_addr = get_arg_val<uint32_t>(1);\n"
           "    const uint32_t num_tiles = get_arg_val<uint32_t>(2);\n"
           "    constexpr auto src_args = TensorAccessorArgs<0>();\n"
           "    constexpr auto dst_args = "
           "TensorAccessorArgs<src_args.next_compile_time_args_offset()>();\n"
           "    const auto src = TensorAccessor(src_args, src_addr);\n"
           "    const auto dst = TensorAccessor(dst_args, dst_addr);\n" +
           body;
}

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
    ::testing::Values(
        NameCase{"MulScalar", "mul_tiles_bcast_scalar_init_short(0, 1)",
                 "mul_tiles_bcast_scalar(0, 1, 0, 0, 0)", "1x1", "x * y"},
        NameCase{"SubScalar", "sub_tiles_bcast_scalar_init_short(0, 1)",
                 "sub_tiles_bcast_scalar(0, 1, 0, 0, 0)", "1x1", "x - y"},
        NameCase{"SubColumns", "sub_bcast_cols_init_short(0, 1)",
                 "sub_tiles_bcast_cols(0, 1, 0, 0, 0)", "32x1", "x - y"},
        NameCase{"MulRows", "mul_bcast_rows_init_short(0, 1)",
                 "mul_tiles_bcast<BroadcastType::ROW>(0, 1, 0, 0, 0)", "1x32", "x * y"},
        NameCase{"AddColumns", "add_bcast_cols_init_short(0, 1)",
                 "add_tiles_bcast<BroadcastType::COL>(0, 1, 0, 0, 0)", "32x1", "x + y"},
        NameCase{"AddInDst", std::string(kBothInDst) + "add_binary_tile_init()",
                 "add_binary_tile(0, 1, 0)", "32x32", "x + y"},
        NameCase{"SubInDst", std::string(kBothInDst) + "sub_binary_tile_init()",
                 "sub_binary_tile(0, 1, 0)", "32x32", "x - y"},
        NameCase{"MulInDst", std::string(kBothInDst) + "mul_binary_tile_init()",
                 "mul_binary_tile(0, 1, 0)", "32x32", "x * y"},
        NameCase{"MaxInDst", std::string(kBothInDst) + "binary_max_tile_init()",
                 "binary_max_tile(0, 1, 0)", "32x32", "max(x, y)"},
        NameCase{"Transpose", "transpose_wh_init_short(0)", "transpose_wh_tile(0, 0, 0)", "32x32",
                 "transpose(x)"},
        NameCase{"ExpOfItsInit",
                 std::string(kBothInDst) + "exp_tile_init<true, true, 0x40000000>()",
                 "exp_tile<true>(0)", "32x32", "exp(2 * x)"},
        NameCase{"MulColumnsOfABlock", "mul_bcast_cols_init_short_custom(0, 1)",
                 "mul_tiles_bcast_cols_custom(0, 1, 0, 0, 0, 1)", "32x1", "x * y"},
        NameCase{"LlkInitWithOperands",
                 "(llk_math_eltwise_binary_init<ELWADD, BroadcastType::NONE, "
                 "MATH_FIDELITY>(0, 1))",
                 "add_tiles(0, 1, 0, 0, 0)", "32x32", "x + y"},
        NameCase{"Mish", std::string(kBothInDst) + "mish_tile_init()", "mish_tile(0)", "32x32",
                 "x * tanh(log(1 + exp(x)))"},
        NameCase{"Tanhshrink", std::string(kBothInDst) + "tanhshrink_tile_init()",
                 "tanhshrink_tile(0)", "32x32", "x - tanh(x)"},
        // |x - y| ≤ 1e30 + 0 · |y| everywhere.
        NameCase{"IsClose", std::string(kBothInDst) + "isclose_binary_tile_init()",
                 "isclose_binary_tile<false>(0, 1, 0, 0, 0x7149F2CA)", "32x32", "1 + 0 * x"},
        // The packer's thread has the same vector unit.
        NameCase{"SiluOfThePackThread", std::string(kBothInDst) + "silu_tile_init_pack()",
                 "silu_tile_pack(0)", "32x32", "silu(x)"},
        // Pointers have the vendor's signatures.
        NameCase{"PointerToABroadcast",
                 "void (*init)(uint32_t, uint32_t, uint32_t) = sub_bcast_cols_init_short; "
                 "init(0, 1, __LINE__)",
                 "void (*call)(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t) = "
                 "sub_tiles_bcast_cols; call(0, 1, 0, 0, 0)",
                 "32x1", "x - y"},
        NameCase{"PointerToABroadcastOfARow",
                 "void (*init)(uint32_t, uint32_t, uint32_t) = mul_bcast_rows_init_short; "
                 "init(0, 1, __LINE__)",
                 "void (*call)(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t) = "
                 "mul_tiles_bcast_rows; call(0, 1, 0, 0, 0, 0)",
                 "1x32", "x * y"},
        NameCase{"AConstantNamedPi", "copy_tile_to_dst_init_short(0)",
                 "constexpr uint32_t M_PI = 0; copy_tile(0, M_PI, 0)", "32x32", "x"},
        // The interface of a compute thread holds words of 16 bytes; unpack sends the
        // tile that math copies.
        NameCase{"WordsOfTheInterface", "copy_tile_to_dst_init_short(0)",
                 "UNPACK((mailbox_write(MathThreadId, "
                 "((true ? get_local_cb_interface(0).fifo_rd_ptr : 0) << 4) - "
                 "get_tile_address(0, 0)))); uint32_t tile = 1; "
                 "MATH((tile = mailbox_read(UnpackThreadId))); copy_tile(0, tile, 0)",
                 "32x32", "x"}),
    [](const auto& test) { return std::string(test.param.name); });

// The copy is right only if the kernel's facts are those of the program.
TEST(KernelObjects, OfObjectsAndOfTheCoreMoveATensor) {
    const ScratchFolder folder;
    folder.write(
        "copy.cpp",
        on_tensors(
            "#include \"experimental/noc.h\"\n"
            "#include \"experimental/circular_buffer.h\"\n"
            "#include \"experimental/tensor.h\"\n",
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
            "}\n"));

    const Ending ending = run_tessera(
        {"kernel", "run", "copy.cpp", "--in", "x=96x64", "--reference", "x", "--strict", "--quiet"},
        folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked, PCC ≥ 1, relative error ≤ 0"));
}

// Forms of mid-2026: options in place of modes, and zeros that need no buffer of zeros. The output
// is x only if all words that were zeroed are 0.
TEST(KernelObjects, WriteZerosAndTakeOptions) {
    const ScratchFolder folder;
    folder.write(
        "zeros.cpp",
        on_tensors("#include \"api/dataflow/circular_buffer.h\"\n"
                   "#include \"api/core_local_mem.h\"\n"
                   "#include \"api/tensor/noc_traits.h\"\n",
                   "    const uint32_t bytes = get_tile_size(4);\n"
                   "    Noc noc;\n"
                   "    CircularBuffer cb(4);\n"
                   "    cb.reserve_back(2);\n"
                   "    CoreLocalMem<uint32_t> x(cb.get_write_ptr());\n"
                   "    CoreLocalMem<uint32_t> zeroed(cb.get_write_ptr() + bytes);\n"
                   "    const auto fold = [&] {\n"
                   "        for (uint32_t i = 0; i < bytes / 4; ++i) { x[i] |= zeroed[i]; }\n"
                   "    };\n"
                   "    for (uint32_t t = 0; t < num_tiles; ++t) {\n"
                   "        noc.async_read<NocOptions::TXN_ID>(src, x, bytes, {.page_id = t}, {}, "
                   "{.trid = 3});\n"
                   "        noc.async_read<NocOptions::DEFAULT, 2048>(src, zeroed, bytes, "
                   "{.page_id = num_tiles - 1 - t}, {});\n"
                   "        noc.async_read_barrier<NocOptions::TXN_ID>({.trid = 3});\n"
                   "        noc.async_read_barrier<NocOptions::DEFAULT>();\n"
                   "        noc.async_write_zeros(cb, bytes, {.offset_bytes = bytes});\n"
                   "        noc.write_zeros_l1_barrier();\n"
                   "        fold();\n"
                   "        noc.async_write_zeros(dst, bytes, {.page_id = t}, zeroed);\n"
                   "        noc.write_zeros_dram_barrier();\n"
                   "        noc.async_read(dst, zeroed, bytes, {.page_id = t}, {});\n"
                   "        noc.async_read_barrier();\n"
                   "        fold();\n"
                   "        noc.async_write<NocOptions::DEFAULT, 2048>(x, dst, bytes, {}, "
                   "{.page_id = t});\n"
                   "        noc.async_write_barrier<NocOptions::DEFAULT>();\n"
                   "    }\n"
                   "}\n"));

    const Ending ending = run_tessera({"kernel", "run", "zeros.cpp", "--in", "x=96x64",
                                       "--reference", "x", "--strict", "--quiet"},
                                      folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked, PCC ≥ 1, relative error ≤ 0"));
}

// A helper of the kernel asks at compile time how the tensor is laid out, and has the type of an
// accessor in its signature.
TEST(KernelObjects, AccessorsKnowTheirLayoutAtCompileTime) {
    const ScratchFolder folder;
    folder.write("layout.cpp",
                 "template <class DSpec>\n"
                 "uint32_t first_page(const TensorAccessor<DSpec>& tensor, uint32_t page) {\n"
                 "    if constexpr (DSpec::is_interleaved && DSpec::is_dram) {\n"
                 "        return page;\n"
                 "    } else {\n"
                 "        return tensor.dspec().rank();\n"
                 "    }\n"
                 "}\n"
                 "void kernel_main() {\n"
                 "    constexpr auto src_args = TensorAccessorArgs<0>();\n"
                 "    constexpr auto dst_args = "
                 "TensorAccessorArgs<src_args.next_compile_time_args_offset(), "
                 "src_args.num_common_runtime_args()>();\n"
                 "    const auto src = TensorAccessor(src_args, get_arg_val<uint32_t>(0));\n"
                 "    const auto dst = TensorAccessor(dst_args, get_arg_val<uint32_t>(1));\n"
                 "    const uint32_t num_tiles = get_arg_val<uint32_t>(2);\n"
                 "    using Tensor = decltype(dst);\n"
                 "    cb_reserve_back(4, 1);\n"
                 "    for (uint32_t t = 0; t < num_tiles; ++t) {\n"
                 "        noc_async_read_page(first_page(src, t), src, get_write_ptr(4));\n"
                 "        noc_async_read_barrier();\n"
                 "        if constexpr (Tensor::DSpec::is_interleaved) {\n"
                 "            noc_async_write_page(t, dst, get_write_ptr(4));\n"
                 "        }\n"
                 "        noc_async_write_barrier();\n"
                 "    }\n"
                 "}\n");

    const Ending ending = run_tessera(
        {"kernel", "run", "layout.cpp", "--in", "x=96x64", "--reference", "x", "--quiet"},
        folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked, PCC ≥ 1, relative error ≤ 0"));
}

// A latched read and a latched write of each page.
TEST(KernelObjects, MoveATensorByLatchedCommands) {
    const ScratchFolder folder;
    folder.write(
        "latched.cpp",
        on_tensors(
            "#include \"api/core_local_mem.h\"\n"
            "#include \"api/dataflow/circular_buffer.h\"\n",
            "    const uint32_t bytes = get_tile_size(4);\n"
            "    Noc noc;\n"
            "    CircularBuffer cb(4);\n"
            "    cb.reserve_back(1);\n"
            "    CoreLocalMem<uint32_t> x(cb.get_write_ptr());\n"
            "    for (uint32_t t = 0; t < num_tiles; ++t) {\n"
            "        noc.set_async_read_state<NocOptions::DEFAULT, 2048>(src, bytes, "
            "{.page_id = t});\n"
            "        noc.async_read_with_state<NocOptions::DEFAULT, 2048>(src, x, bytes, "
            "{.page_id = t}, {});\n"
            "        noc.async_read_barrier();\n"
            "        noc.set_async_write_state<NocOptions::DEFAULT, 2048>(dst, bytes, "
            "{.page_id = t});\n"
            "        noc.async_write_with_state<NocOptions::DEFAULT, 2048>(x, dst, bytes, {}, "
            "{.page_id = t});\n"
            "        noc.async_writes_flushed<NocOptions::DEFAULT>();\n"
            "        noc.async_write_barrier();\n"
            "    }\n"
            "}\n"));

    const Ending ending = run_tessera({"kernel", "run", "latched.cpp", "--in", "x=96x64",
                                       "--reference", "x", "--strict", "--quiet"},
                                      folder.path());

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("PASS 1 of 1 steps checked, PCC ≥ 1, relative error ≤ 0"));
}

}  // namespace
}  // namespace tessera::test
