// SPDX-License-Identifier: Apache-2.0
// Outputs that ops infer with the default parameters of their structs.
#include <gmock/gmock.h>

#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "ops/registry.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::ops {
namespace {

constexpr auto kBf16 = DataFormat::Float16_b;
constexpr auto kFp8 = DataFormat::Fp8_e4m3;
constexpr auto kFloat = DataFormat::Float32;
constexpr auto kInt = DataFormat::Int32;
constexpr auto kTile = Layout::TILE;
constexpr auto kRows = Layout::ROW_MAJOR;

struct Inference {
    std::string op;
    std::vector<TensorSpec> inputs;
    std::vector<TensorSpec> outputs;
    std::uint32_t devices = 1;
};
void PrintTo(const Inference& row, std::ostream* out) {
    *out << row.op;
}

TensorSpec counts(std::uint32_t experts) {
    return {{experts, 1}, DataFormat::UInt32, kRows};
}

TensorSpec ints(Shape shape) {
    return {std::move(shape), DataFormat::Int32, kRows};
}

const std::vector<Inference> kInferences{
    {"activation", {{{3, 5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}},
    {"all_gather", {{{3, 5}, kBf16, kRows}}, {{{12, 5}, kBf16, kRows}}, 4},
    {"all_reduce", {{{3, 5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}, 4},
    {"batched_moe_align_block_size", {ints({4})}, {ints({64}), ints({4}), ints({1})}},
    {"all_to_all", {{{12, 5}, kBf16, kRows}}, {{{12, 5}, kBf16, kRows}}, 4},
    {"attention_decode",
     {{{2, 3, 32}, kBf16, kRows},
      {{2, 3, 8}, kBf16, kRows},
      {{64, 40}, kBf16, kRows},
      ints({2, 1}),
      ints({2})},
     {{{2, 3, 32}, kBf16, kRows}}},
    {"attention_decode_fp8",
     {{{2, 3, 256}, kBf16, kRows},
      {{2, 3, 8}, kBf16, kRows},
      {{64, 256}, kFp8, kRows},
      ints({2, 1}),
      ints({2}),
      {{64, 2}, kFloat, kRows},
      {{64, 8}, kBf16, kRows}},
     {{{2, 3, 256}, kBf16, kRows}}},
    {"attention_prefill",
     {{{6, 3, 32}, kBf16, kRows},
      {{6, 3, 8}, kBf16, kRows},
      {{6, 144}, kBf16, kRows},
      {{6, 8}, kBf16, kRows},
      ints({2})},
     {{{6, 3, 16}, kBf16, kRows}}},
    {"broadcast", {{{3, 5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}, 4},
    {"copy", {{{2, 3, 5}, DataFormat::Int32, kRows}}, {{{2, 3, 5}, DataFormat::Int32, kRows}}},
    {"eltwise", {{{3, 5}, DataFormat::Bfp8_b, kTile}}, {{{3, 5}, DataFormat::Bfp8_b, kTile}}},
    {"fp8_dequantise",
     {{{4, 200}, kFp8, kRows}, {{4, 2}, kFloat, kRows}},
     {{{4, 200}, kFloat, kRows}}},
    {"fp8_grouped_matmul",
     {{{3, 256}, kFp8, kRows},
      {{2, 3}, kFloat, kRows},
      {{2, 384, 256}, kFp8, kTile},
      {{2, 3, 2}, kFloat, kRows},
      {{5}, kInt, kRows},
      {{5}, kInt, kRows},
      {{1}, kInt, kRows}},
     {{{40, 384}, kFp8, kRows}, {{3, 40}, kFloat, kRows}}},
    {"quantise", {{{3, 200}, kBf16, kRows}}, {{{3, 200}, kFp8, kRows}, {{3, 2}, kFloat, kRows}}},
    {"fp8_swiglu",
     {{{16, 512}, kFp8, kRows}, {{4, 16}, kFloat, kRows}, {{2}, kInt, kRows}, {{1}, kInt, kRows}},
     {{{16, 256}, kFp8, kRows}, {{2, 16}, kFloat, kRows}}},
    {"gate_linear", {{{3, 5}, kBf16, kRows}, {{7, 5}, kBf16, kRows}}, {{{3, 7}, kFloat, kRows}}},
    {"gather_columns", {{{3, 5}, kFloat, kRows}, {{4}, kInt, kRows}}, {{{4, 3}, kFloat, kRows}}},
    {"fused_moe",
     {{{3, 5}, kBf16, kRows},
      {{4, 14, 5}, kBf16, kTile},
      {{4, 5, 7}, kBf16, kTile},
      ints({3, 2}),
      {{3, 2}, DataFormat::Float32, kRows},
      ints({4})},
     {{{3, 5}, kBf16, kRows}}},
    {"gather_rows", {{{3, 5}, kBf16, kRows}, ints({2, 4})}, {{{2, 4, 5}, kBf16, kRows}}},
    {"grouped_mm",
     {{{3, 5}, kBf16, kRows}, {{2, 7, 5}, kBf16, kTile}, ints({8}), ints({1}), ints({1})},
     {{{3, 7}, kBf16, kRows}}},
    {"hadamard", {{{3, 64}, kBf16, kRows}}, {{{3, 64}, kBf16, kRows}}},
    {"head_product",
     {{{3, 2, 5}, kBf16, kRows}, {{10, 7}, kBf16, kRows}},
     {{{3, 2, 7}, kBf16, kRows}}},
    {"index_scores",
     {{{2, 3, 32}, kBf16, kRows},
      {{2, 3}, kBf16, kRows},
      {{64, 32}, kBf16, kRows},
      ints({2, 1}),
      ints({2})},
     {{{2, 32}, kFloat, kRows}, {{2, 3}, kFloat, kRows}}},
    {"join_columns", {{{3, 5}, kBf16, kRows}, {{3, 2}, kBf16, kRows}}, {{{3, 7}, kBf16, kRows}}},
    {"kv_cache_append",
     {{{3, 5}, kBf16, kRows}, {{64, 5}, kBf16, kRows}, ints({1, 2}), ints({3})},
     {{{64, 5}, kBf16, kRows}}},
    {"layer_norm",
     {{{3, 5}, kBf16, kRows}, {{5}, kBf16, kRows}, {{5}, kBf16, kRows}},
     {{{3, 5}, kBf16, kRows}}},
    {"linear", {{{2, 3, 5}, kBf16, kRows}, {{7, 5}, kBf16, kTile}}, {{{2, 3, 7}, kBf16, kRows}}},
    {"local_reduce_moe_output",
     {{{2, 3, 5}, kBf16, kRows},
      {{2, 3}, DataFormat::UInt32, kRows},
      {{2, 3}, kBf16, kRows},
      counts(2)},
     {{{3, 5}, kBf16, kRows}}},
    {"masked_mm",
     {{{2, 3, 5}, kBf16, kRows}, {{2, 7, 5}, kBf16, kTile}, ints({2})},
     {{{2, 3, 7}, kBf16, kRows}}},
    {"matmul",
     {{{3, 5}, DataFormat::Float32, kTile}, {{5, 7}, DataFormat::Bfp8_b, kTile}},
     {{{3, 7}, kBf16, kTile}}},
    {"moe_align_block_size", {ints({3, 2})}, {ints({96}), ints({6}), ints({1}), ints({3, 2})}},
    {"moe_batch_tokens",
     {ints({3, 2}), ints({8})},
     {ints({4}), ints({4, 8}), ints({3, 2}), counts(4)}},
    {"moe_bmm",
     {{{2, 3, 5}, kBf16, kTile}, {{2, 5, 7}, kBf16, kTile}, counts(2)},
     {{{2, 3, 7}, kBf16, kTile}}},
    {"moe_finalize",
     {{{16, 5}, kBf16, kRows}, {{6}, kInt, kRows}, {{3, 2}, kBf16, kRows}},
     {{{3, 5}, kBf16, kRows}}},
    // One expert: three rows in one CTA of 8.
    {"moe_permutation",
     {{{3, 2}, kInt, kRows}},
     {{{1}, kInt, kRows},
      {{1}, kInt, kRows},
      {{1}, kInt, kRows},
      {{2}, kInt, kRows},
      {{6}, kInt, kRows},
      {{8}, kInt, kRows},
      {{8}, kInt, kRows},
      {{1}, kInt, kRows},
      {{1}, kInt, kRows},
      {{1}, kInt, kRows}}},
    {"moe_place_ids", {ints({5, 2}), ints({4})}, {ints({5, 2}), ints({4})}, 4},
    {"moe_select_experts",
     {{{3, 4}, kFloat, kRows}},
     {{{3, 1}, kInt, kRows},
      {{3, 1}, kFloat, kRows},
      {{3, 1}, kBf16, kRows},
      {{3, 1}, kInt, kRows},
      {{3, 1}, kFloat, kRows},
      {{3, 4}, kFloat, kRows},
      {{3, 4}, kFloat, kRows}}},
    {"moe_sum", {{{3, 2, 5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}},
    {"moe_combine",
     {{{24, 5}, kBf16, kRows},
      {{24, 2}, DataFormat::UInt32, kRows},
      {{1, 1}, DataFormat::UInt32, kRows},
      {{6, 2}, DataFormat::Int32, kRows},
      {{6, 2}, DataFormat::Int32, kRows}},
     {{{6, 5}, kBf16, kRows}},
     4},
    {"moe_combine_batched",
     {{{2, 24, 5}, kBf16, kRows},
      {{2, 24}, DataFormat::UInt32, kRows},
      counts(2),
      {{6, 2}, DataFormat::Int32, kRows}},
     {{{6, 5}, kBf16, kRows}},
     4},
    {"moe_combine_slots",
     {{{2, 24, 5}, kBf16, kRows},
      {{2, 24}, DataFormat::UInt32, kRows},
      counts(2),
      {{6, 2}, DataFormat::Int32, kRows}},
     {{{6, 2, 5}, kBf16, kRows}},
     4},
    {"moe_dispatch",
     {{{6, 5}, kBf16, kRows},
      {{6, 2}, DataFormat::Int32, kRows},
      {{6, 2}, DataFormat::Float32, kRows}},
     {{{24, 5}, kBf16, kRows},
      {{24, 2}, DataFormat::Int32, kRows},
      {{24, 2}, DataFormat::Float32, kRows},
      {{24, 2}, DataFormat::UInt32, kRows},
      {{1, 1}, DataFormat::UInt32, kRows},
      {{6, 2}, DataFormat::Int32, kRows}},
     4},
    {"moe_dispatch_batched",
     {{{6, 5}, kBf16, kRows},
      {{6, 2}, DataFormat::Int32, kRows},
      {{6, 2}, DataFormat::Float32, kRows}},
     {{{1, 24, 5}, kBf16, kRows},
      {{1, 24}, DataFormat::UInt32, kRows},
      {{1, 1}, DataFormat::UInt32, kRows},
      {{6, 2}, DataFormat::Int32, kRows}},
     4},
    {"mul",
     {{{2, 3, 5}, kBf16, kTile}, {{2, 3, 5}, kBf16, kTile}, counts(2)},
     {{{2, 3, 5}, kBf16, kTile}}},
    {"prepare_moe_routing_tensors",
     {{{3, 2}, DataFormat::UInt32, kRows}, {{3, 2}, kBf16, kRows}, {{5}, DataFormat::Int32, kRows}},
     {counts(5),
      {{5, 3}, DataFormat::UInt32, kRows},
      {{5, 3}, kBf16, kRows},
      {{5, 3}, DataFormat::UInt32, kRows}}},
    {"put_rows", {{{3, 5}, kBf16, kRows}}, {{{8, 5}, kBf16, kRows}}},
    {"reduce_scatter", {{{128, 5}, kBf16, kTile}}, {{{32, 5}, kBf16, kTile}}, 4},
    {"reshard", {{{3, 5}, kBf16, kTile}}, {{{3, 5}, kBf16, kTile}}},
    {"residual_add", {{{3, 5}, kBf16, kRows}, {{3, 5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}},
    {"rms_norm", {{{3, 5}, kBf16, kRows}, {{5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}},
    {"rope", {{{3, 8}, kBf16, kRows}, {{3, 32}, kFloat, kRows}}, {{{3, 8}, kBf16, kRows}}},
    {"rotary_table",
     {ints({3})},
     {{{3, 1}, kFloat, kRows},
      {{3, 1}, kFloat, kRows},
      {{3, 32}, kFloat, kRows},
      {{1}, kFloat, kRows}}},
    {"token_positions", {ints({2}), ints({2})}, {ints({1}), ints({1}), ints({2})}},
    {"scale", {{{3, 5}, kBf16, kTile}}, {{{3, 5}, kBf16, kTile}}},
    {"scatter_moe_input",
     {{{3, 5}, kBf16, kRows}, counts(2), {{2, 3}, DataFormat::UInt32, kRows}},
     {{{2, 3, 5}, kBf16, kRows}}},
    {"silu", {{{2, 3, 5}, kBf16, kTile}, counts(2)}, {{{2, 3, 5}, kBf16, kTile}}},
    {"silu_mul",
     {{{2, 3, 5}, kBf16, kTile}, {{2, 3, 5}, kBf16, kTile}, counts(2)},
     {{{2, 3, 5}, kBf16, kTile}}},
    {"slice_columns", {{{3, 5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}},
    {"slice_rows", {{{3, 5}, kBf16, kRows}}, {{{1, 5}, kBf16, kRows}}},
    {"softmax", {{{3, 5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}},
    {"split_zero_experts", {ints({3, 5})}, {ints({3, 5}), ints({3, 5})}},
    {"to_block_format", {{{3, 5}, kBf16, kTile}}, {{{3, 5}, DataFormat::Bfp8_b, kTile}}},
    {"to_layout", {{{3, 5}, kBf16, kTile}}, {{{3, 5}, kBf16, kRows}}},
    {"top_k", {{{3, 5}, kFloat, kRows}}, {ints({3, 1})}},
    {"transpose", {{{2, 3, 5}, kBf16, kTile}}, {{{2, 5, 3}, kBf16, kTile}}},
    {"widen_bytes", {{{3, 5}, DataFormat::UInt8, kRows}}, {{{3, 5}, kBf16, kRows}}},
};

class OpInference : public ::testing::TestWithParam<Inference> {};

TEST_P(OpInference, GivesTheOutputsOfTheInputs) {
    const Op& op = *find_op(GetParam().op);
    const ArchSpec arch = testing::small_arch();
    const MeshSpec mesh{.shape = {1, GetParam().devices}};
    std::vector<std::uint32_t> devices(GetParam().devices);
    std::iota(devices.begin(), devices.end(), 0U);
    std::vector<TensorPlan> inputs;
    for (const TensorSpec& spec : GetParam().inputs) {
        inputs.push_back({.spec = spec});
    }
    const auto parameters = op.params.make();

    std::vector<TensorSpec> outputs;
    for (const TensorPlan& plan : op.infer({.arch = arch,
                                  .mesh = mesh,
                                  .devices = devices,
                                  .parameters = parameters.get(),
                                  .inputs = inputs})) {
        outputs.push_back(plan.spec);
    }

    EXPECT_EQ(outputs, GetParam().outputs);
}

INSTANTIATE_TEST_SUITE_P(Ops, OpInference, ::testing::ValuesIn(kInferences),
                         [](const auto& row) { return row.param.op; });

TEST(OpInferenceTable, HasARowForEveryOp) {
    for (const Op* op : all_ops()) {
        EXPECT_TRUE(std::ranges::any_of(kInferences, [&](const Inference& row) {
            return row.op == op->spec.name;
        })) << op->spec.name;
    }
}

}  // namespace
}  // namespace tessera::ops
