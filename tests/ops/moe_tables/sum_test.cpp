// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/moe_sum/moe_sum.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/golden_tensor.hpp"
#include "tests/ops/op_run.hpp"

namespace tessera::ops::moe_sum {
namespace {

using testing::golden_tensor;
using testing::host_tensor;
using testing::OpInput;
using testing::run_op;

struct Rank {
    const char* file;
    int rank;
    friend void PrintTo(const Rank& rank, std::ostream* out) {
        *out << rank.file << " r" << rank.rank;
    }
};

class GoldenSum : public ::testing::TestWithParam<Rank> {
protected:
    [[nodiscard]] HostTensor own(const std::string& name) const {
        return golden_tensor(file_, "r" + std::to_string(GetParam().rank) + "." + name);
    }
    /// Returns the local expert of each choice, or −1. Expert rows ascend in the order of choices.
    [[nodiscard]] HostTensor local_experts() const {
        HostTensor ids = golden_tensor(file_, "topk_ids");
        const HostTensor map = own("expert_map");
        for (std::int32_t& id : ids.as<std::int32_t>()) {
            id = map.as<std::int32_t>()[static_cast<std::size_t>(id)];
        }
        return ids;
    }
    [[nodiscard]] HostTensor sum(const SumSpec& spec, const HostTensor& outputs,
                                 const HostTensor& rows) const {
        const auto run =
            run_op(op(), spec, {{outputs}, {rows}, {golden_tensor(file_, "topk_weights")}},
                   testing::test_arch(), {.threads = 2, .delivery = NocDelivery::AtBarrier});
        EXPECT_EQ(run.outputs[0].bytes, run.references[0].bytes);
        return run.outputs[0];
    }
    golden::GoldenFile file_{GetParam().file};
};

// Both files have 2 to 4 choices per token.
TEST_P(GoldenSum, RoundsEverySumOfAFewChoices) {
    const SumSpec spec{.rows = RowsSay::Presence, .grid = {}, .cb_depth = 2};

    EXPECT_EQ(sum(spec, own("unreduced_bf16"), local_experts()).bytes,
              own("reduce_contiguous_bf16").bytes);
}

TEST_P(GoldenSum, KeepsSumsInFp32WhereAskedTo) {
    const SumSpec spec{
        .accumulator = Accumulator::Fp32, .rows = RowsSay::Presence, .grid = {}, .cb_depth = 2};

    EXPECT_EQ(sum(spec, own("unreduced_bf16"), local_experts()).bytes,
              own("reduce_contiguous_f32acc").bytes);
}

// Batch row of a choice: expert · T + token. Each other row of the tensor is NaN.
TEST_P(GoldenSum, AddsBatchesByExpert) {
    const HostTensor unreduced = own("unreduced_bf16");
    HostTensor rows = local_experts();
    const std::uint32_t tokens = rows.shape[0];
    const std::uint32_t hidden = unreduced.shape[2];
    const std::uint32_t experts = own("expert_num_tokens").shape[0];
    HostTensor batches = make_host_tensor({experts, tokens, hidden}, DataFormat::Float16_b);
    std::ranges::fill(batches.bytes, std::byte{0xFF});
    for (std::size_t i = 0; i < rows.as<std::int32_t>().size(); ++i) {
        std::int32_t& row = rows.as<std::int32_t>()[i];
        if (row < 0) {
            continue;
        }
        row =
            row * static_cast<std::int32_t>(tokens) + static_cast<std::int32_t>(i / rows.shape[1]);
        std::ranges::copy(
            unreduced.as<std::uint16_t>().subspan(i * hidden, hidden),
            batches.as<std::uint16_t>().data() + static_cast<std::size_t>(row) * hidden);
    }
    const SumSpec spec{.accumulator = Accumulator::Bf16,
                       .rows = RowsSay::Place,
                       .order = SumOrder::Row,
                       .grid = {},
                       .cb_depth = 1};

    EXPECT_EQ(sum(spec, batches, rows).bytes, own("reduce_batched_bf16").bytes);
}

INSTANTIATE_TEST_SUITE_P(Ranks, GoldenSum,
                         ::testing::Values(Rank{"modular_ep1", 0}, Rank{"modular_ep2", 0},
                                           Rank{"modular_ep2", 1}));

// Rows of 4097 elements: five tiles, the last of one element, in chunks of three.
TEST(MoeSum, AddsRowsLongerThanDst) {
    HostTensor outputs = make_host_tensor({2, 5, 4097}, DataFormat::Float16_b);
    for (std::size_t i = 0; i < outputs.as<std::uint16_t>().size(); ++i) {
        outputs.as<std::uint16_t>()[i] = i / 4097 % 5 == 0 ? 0x4000 : 0x3F80;  // 2, 1, 1, 1, 1
    }
    const SumSpec spec{.grid = {}, .cb_depth = 2};

    const auto run = run_op(op(), spec, {{outputs}}, testing::test_arch());

    for (const std::uint16_t value : run.outputs[0].as<std::uint16_t>()) {
        ASSERT_EQ(value, 0x40C0);  // 6
    }
}

}  // namespace
}  // namespace tessera::ops::moe_sum
