// SPDX-License-Identifier: Apache-2.0
// The outputs that ops infer, with the default parameters of their structs.
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

const std::vector<Inference> kInferences{
    {"all_gather", {{{3, 5}, kBf16, kRows}}, {{{12, 5}, kBf16, kRows}}, 4},
    {"all_reduce", {{{3, 5}, kBf16, kRows}}, {{{3, 5}, kBf16, kRows}}, 4},
    {"copy", {{{2, 3, 5}, DataFormat::Int32, kRows}}, {{{2, 3, 5}, DataFormat::Int32, kRows}}},
    {"eltwise", {{{3, 5}, DataFormat::Bfp8_b, kTile}}, {{{3, 5}, DataFormat::Bfp8_b, kTile}}},
    {"local_reduce_moe_output",
     {{{2, 3, 5}, kBf16, kRows},
      {{2, 3}, DataFormat::UInt32, kRows},
      {{2, 3}, kBf16, kRows},
      counts(2)},
     {{{3, 5}, kBf16, kRows}}},
    {"matmul",
     {{{3, 5}, DataFormat::Float32, kTile}, {{5, 7}, DataFormat::Bfp8_b, kTile}},
     {{{3, 7}, kBf16, kTile}}},
    {"moe_bmm",
     {{{2, 3, 5}, kBf16, kTile}, {{2, 5, 7}, kBf16, kTile}, counts(2)},
     {{{2, 3, 7}, kBf16, kTile}}},
    {"mul",
     {{{2, 3, 5}, kBf16, kTile}, {{2, 3, 5}, kBf16, kTile}, counts(2)},
     {{{2, 3, 5}, kBf16, kTile}}},
    {"prepare_moe_routing_tensors",
     {{{3, 2}, DataFormat::UInt32, kRows}, {{3, 2}, kBf16, kRows}, {{5}, DataFormat::Int32, kRows}},
     {counts(5),
      {{5, 3}, DataFormat::UInt32, kRows},
      {{5, 3}, kBf16, kRows},
      {{5, 3}, DataFormat::UInt32, kRows}}},
    {"reduce_scatter", {{{128, 5}, kBf16, kTile}}, {{{32, 5}, kBf16, kTile}}, 4},
    {"reshard", {{{3, 5}, kBf16, kTile}}, {{{3, 5}, kBf16, kTile}}},
    {"scale", {{{3, 5}, kBf16, kTile}}, {{{3, 5}, kBf16, kTile}}},
    {"scatter_moe_input",
     {{{3, 5}, kBf16, kRows}, counts(2), {{2, 3}, DataFormat::UInt32, kRows}},
     {{{2, 3, 5}, kBf16, kRows}}},
    {"silu", {{{2, 3, 5}, kBf16, kTile}, counts(2)}, {{{2, 3, 5}, kBf16, kTile}}},
    {"silu_mul",
     {{{2, 3, 5}, kBf16, kTile}, {{2, 3, 5}, kBf16, kTile}, counts(2)},
     {{{2, 3, 5}, kBf16, kTile}}},
    {"to_layout", {{{3, 5}, kBf16, kTile}}, {{{3, 5}, kBf16, kRows}}},
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
