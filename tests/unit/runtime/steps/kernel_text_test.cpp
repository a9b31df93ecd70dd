// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/kernel_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/steps/argument_meaning.hpp"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::vector<std::string> variables_of(const KernelText& text) {
    std::vector<std::string> variables;
    for (const KernelArgument& argument : text.arguments) {
        variables.push_back(argument.key() + " " + argument.variable);
    }
    return variables;
}

TEST(KernelText, FollowsIndicesOfArguments) {
    const KernelText text = scan_kernel(
        "constexpr uint32_t base = 2;\n"
        "constexpr uint32_t width = get_compile_time_arg_val(base + 1);\n"
        "constexpr uint32_t named = get_named_compile_time_arg_val(\"blocks\");\n"
        "void kernel_main() {\n"
        "    uint32_t i = 0;\n"
        "    auto a = get_arg_val<uint32_t>(i++);\n"
        "    auto b = get_arg_val<uint32_t>(i++);\n"
        "    i += 3;\n"
        "    auto c = get_arg_val<uint32_t>(i);\n"
        "}\n",
        {});

    EXPECT_THAT(variables_of(text), ElementsAre("compile_arg 3 width", "compile_arg blocks named",
                                                "arg 0 a", "arg 1 b", "arg 5 c"));
    EXPECT_TRUE(text.unclear.empty());
}

// The entry of kernels before tt-metal #35691.
TEST(KernelText, ReadsKernelsThatBeginWithMain) {
    const KernelText text = scan_kernel(
        "namespace NAMESPACE {\nvoid MAIN {\n"
        "    uint32_t num_tiles = get_arg_val<uint32_t>(0);\n}\n}\n",
        {});

    EXPECT_THAT(variables_of(text), ElementsAre("arg 0 num_tiles"));
}

TEST(KernelText, ReportsArgumentsAtUnknownIndices) {
    const KernelText text = scan_kernel(
        "void kernel_main() {\n"
        "    uint32_t i = 0;\n"
        "    for (uint32_t k = 0; k < 4; ++k) {\n"
        "        use(get_arg_val<uint32_t>(i++));\n"
        "    }\n"
        "}\n",
        {});

    EXPECT_THAT(text.unclear, ElementsAre(4U));
}

TEST(KernelText, LeavesOutCommentsAndExcludedBranches) {
    constexpr const char* kText =
        "// get_arg_val<uint32_t>(7)\n"
        "/* get_arg_val<uint32_t>(8) */\n"
        "#ifdef WIDE\n"
        "auto w = get_arg_val<uint32_t>(1);\n"
        "#else\n"
        "auto n = get_arg_val<uint32_t>(2);\n"
        "#endif\n"
        "#if SIZE > 3\n"
        "auto s = get_arg_val<uint32_t>(3);\n"
        "#endif\n";

    EXPECT_THAT(variables_of(scan_kernel(kText, {})), ElementsAre("arg 2 n", "arg 3 s"));
    EXPECT_THAT(variables_of(scan_kernel(kText, {{"WIDE", "1"}})),
                ElementsAre("arg 1 w", "arg 3 s"));
}

TEST(KernelText, KnowsBuffersByNumberByArgumentAndByObject) {
    const KernelText text = scan_kernel(
        "constexpr auto cb_a = tt::CBIndex::c_3;\n"
        "constexpr uint32_t cb_b = get_compile_time_arg_val(1);\n"
        "void kernel_main() {\n"
        "    experimental::CircularBuffer b(cb_b);\n"
        "    cb_reserve_back(cb_a, 2);\n"
        "    b.wait_front(1);\n"
        "    cb_push_back(tt::CB::c_out1, 1);\n"
        "}\n",
        {});

    ASSERT_EQ(text.buffers.size(), 3U);
    EXPECT_EQ(text.buffers[0].index, "3");
    EXPECT_THAT(text.buffers[0].counts, ElementsAre("2"));
    EXPECT_TRUE(text.buffers[0].is_pushed);
    EXPECT_EQ(text.buffers[1].index, "compile_arg 1");
    EXPECT_TRUE(text.buffers[1].is_awaited);
    EXPECT_EQ(text.buffers[2].index, "17");
}

TEST(KernelText, TracesTransfersToAddressesAndBuffers) {
    const KernelText text = scan_kernel(
        "void kernel_main() {\n"
        "    auto from = get_arg_val<uint32_t>(0);\n"
        "    auto to = get_arg_val<uint32_t>(1);\n"
        "    const InterleavedAddrGenFast<true> s = {.bank_base_address = from, .page_size = 64};\n"
        "    constexpr auto d_args = TensorAccessorArgs<0>();\n"
        "    const auto d = TensorAccessor(d_args, to);\n"
        "    uint32_t l1 = get_write_ptr(4);\n"
        "    noc_async_read_tile(0, s, l1);\n"
        "    uint64_t place = d.get_noc_addr(0);\n"
        "    noc_async_write(l1, place, 64);\n"
        "}\n",
        {});

    EXPECT_THAT(text.addresses, UnorderedElementsAre("arg 0", "arg 1"));
    ASSERT_EQ(text.accessors.size(), 1U);
    EXPECT_EQ(text.accessors[0].address, "arg 1");
    ASSERT_EQ(text.transfers.size(), 2U);
    EXPECT_FALSE(text.transfers[0].is_write);
    EXPECT_THAT(text.transfers[0].arguments, ElementsAre("arg 0"));
    EXPECT_THAT(text.transfers[0].buffers, ElementsAre("4"));
    EXPECT_TRUE(text.transfers[1].is_write);
    EXPECT_THAT(text.transfers[1].arguments, ElementsAre("arg 1"));
}

TEST(ArgumentMeaning, FollowsTheNamesOfTheVendorsExamples) {
    using M = ArgumentMeaning;
    for (const auto& [name, meaning] :
         std::vector<std::pair<std::string, M>>{{"src0_addr", M::Address},
                                                {"l1_buffer_addr", M::Scratch},
                                                {"sender_semaphore_addr", M::Semaphore},
                                                {"src_is_dram", M::InDram},
                                                {"dst_bank_id", M::Bank},
                                                {"cb_id_in0", M::Buffer},
                                                {"output_tile_start_id", M::First},
                                                {"num_output_tiles", M::Count},
                                                {"per_core_block_cnt", M::Count},
                                                {"per_core_block_dim", M::One},
                                                {"page_size_bytes", M::PageBytes},
                                                {"Kt", M::InnerTiles},
                                                {"core_x", M::CoreX},
                                                {"scaler", M::Unknown}}) {
        EXPECT_EQ(meaning_of(name), meaning) << name;
    }
}

}  // namespace
}  // namespace tessera::pipeline
