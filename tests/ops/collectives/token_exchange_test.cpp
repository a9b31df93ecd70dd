// SPDX-License-Identifier: Apache-2.0
// Tokens reach the devices of their experts. Results return summed in the order of slots or
// devices.
#include <gmock/gmock.h>

#include <map>

#include "ops/moe_combine/moe_combine.hpp"
#include "ops/moe_combine_batched/moe_combine_batched.hpp"
#include "ops/moe_combine_slots/moe_combine_slots.hpp"
#include "ops/moe_dispatch/moe_dispatch.hpp"
#include "ops/moe_dispatch_batched/moe_dispatch_batched.hpp"
#include "tests/ops/all_reduce/mesh_sum.hpp"
#include "tests/ops/collectives/group_run.hpp"
#include "tests/ops/device_fixture.hpp"

namespace tessera {
namespace {

using ops::token_exchange::CombineSpec;
using ops::token_exchange::DispatchSpec;
using ops::token_exchange::Overflow;
using ops::token_exchange::Phases;
using ::testing::ElementsAre;
using testing::from_bf16;
using testing::GroupRun;
using testing::host_tensor;
using testing::to_bf16;
using testing::values_of;

HostTensor ids_of(Shape shape, const std::vector<std::int32_t>& ids) {
    return host_tensor(std::move(shape), DataFormat::Int32, ids);
}

const MeshSpec kPair{{1, 2}, Topology::Line, "wormhole_n150"};

// Device 0 has experts 0 and 1, device 1 has 2 and 3.
struct Small {
    std::vector<HostTensor> tokens{testing::random_bf16({3, 32}, 1),
                                   testing::random_bf16({3, 32}, 2)};
    std::vector<HostTensor> ids{ids_of({3, 2}, {2, 3, -1, 0, 1, 2}),
                                ids_of({3, 2}, {-1, -1, 3, 0, 0, 1})};
    std::vector<HostTensor> weights{
        host_tensor<float>({3, 2}, DataFormat::Float32, {.5F, .25F, 9, .125F, 1, 2}),
        host_tensor<float>({3, 2}, DataFormat::Float32, {9, 9, 3, 4, 5, 6})};
};

TEST(MoeDispatch, SendsATokenOnceToADevice) {
    const Small small;
    GroupRun run(ops::moe_dispatch::op(), kPair, {0, 1});
    run.params<DispatchSpec>() = {.experts = 4, .links = 2};
    run.add(small.tokens);
    run.add(small.ids);
    run.add(small.weights);
    run.launch();

    // Device 0: tokens 1 and 2 of device 0, then 1 and 2 of device 1.
    EXPECT_THAT(values_of<std::uint32_t>(run.output(0, 4)), ElementsAre(4));
    const auto source = values_of<std::uint32_t>(run.output(0, 3));
    EXPECT_EQ(std::vector(source.begin(), source.begin() + 8),
              (std::vector<std::uint32_t>{0, 1, 0, 2, 1, 1, 1, 2}));
    const auto ids = values_of<std::int32_t>(run.output(0, 1));
    EXPECT_EQ(std::vector(ids.begin(), ids.begin() + 8),
              (std::vector<std::int32_t>{-1, 0, 1, -1, -1, 0, 0, 1}));
    const auto weights = values_of<float>(run.output(0, 2));
    EXPECT_EQ(std::vector(weights.begin(), weights.begin() + 8),
              (std::vector<float>{0, .125F, 1, 0, 0, 4, 5, 6}));
    const auto rows = values_of<std::uint16_t>(run.output(0, 0));
    const auto token = values_of<std::uint16_t>(small.tokens[1]);
    EXPECT_TRUE(std::equal(token.begin() + 32, token.end(), rows.begin() + 64));

    // Destinations of device 0's tokens: both slots of token 0 go to row 0 of device 1.
    EXPECT_THAT(values_of<std::int32_t>(run.output(0, 5)), ElementsAre(0, 0, -1, 0, 1, 1));
    EXPECT_THAT(values_of<std::int32_t>(run.output(1, 5)), ElementsAre(-1, -1, 2, 2, 3, 3));
}

TEST(MoeDispatchBatched, SendsATokenToEachOfItsExperts) {
    const Small small;
    GroupRun run(ops::moe_dispatch_batched::op(), kPair, {0, 1});
    run.params<DispatchSpec>() = {.experts = 4};
    run.add(small.tokens);
    run.add(small.ids);
    run.add(small.weights);
    run.launch();

    // Expert 0: slot 1 of token 1 of device 0, slots (1,1,1) and (1,2,0); 6 slots per device.
    EXPECT_THAT(values_of<std::uint32_t>(run.output(0, 2)), ElementsAre(3, 2));
    const auto source = values_of<std::uint32_t>(run.output(0, 1));
    EXPECT_EQ(std::vector(source.begin(), source.begin() + 3),
              (std::vector<std::uint32_t>{3, 6 + 3, 6 + 4}));
    EXPECT_EQ(source[6], 4U);  // expert 1: slot 0 of token 2
    // 6 rows per expert: expert 3 of device 1 is its second.
    EXPECT_THAT(values_of<std::int32_t>(run.output(0, 3)), ElementsAre(0, 6, -1, 0, 6, 1));
}

struct Routing {
    std::string name;
    MeshSpec mesh;
    std::uint32_t tokens;
    std::uint32_t top_k;
    std::uint32_t experts_per_device;
    enum class Kind { Random, OneExpert, Sparse } kind = Kind::Random;
};
void PrintTo(const Routing& routing, std::ostream* out) {
    *out << routing.name;
}

std::vector<HostTensor> random_ids(const Routing& routing, std::uint32_t devices) {
    std::mt19937 random(17);
    const auto experts = static_cast<std::int32_t>(routing.experts_per_device * devices);
    std::vector<HostTensor> ids;
    for (std::uint32_t d = 0; d < devices; ++d) {
        ids.push_back(make_host_tensor({routing.tokens, routing.top_k}, DataFormat::Int32));
        const auto values = ids.back().as<std::int32_t>();
        for (std::uint32_t t = 0; t < routing.tokens; ++t) {
            std::vector<std::int32_t> all(static_cast<std::size_t>(experts));
            std::iota(all.begin(), all.end(), 0);
            std::ranges::shuffle(all, random);
            for (std::uint32_t k = 0; k < routing.top_k; ++k) {
                const bool is_none =
                    routing.kind == Routing::Kind::Sparse && (d % 2 == 0 || random() % 3 == 0);
                values[t * routing.top_k + k] = routing.kind == Routing::Kind::OneExpert
                                                    ? static_cast<std::int32_t>(k)
                                                : is_none ? -1
                                                          : all[k];
            }
        }
    }
    return ids;
}

class ThereAndBack : public ::testing::TestWithParam<Routing> {
protected:
    std::vector<std::uint32_t> devices_ = testing::all_of(GetParam().mesh);
    std::uint32_t size_ = static_cast<std::uint32_t>(devices_.size());
    std::uint32_t experts_ = GetParam().experts_per_device * size_;
    static constexpr std::uint32_t kHidden = 1100;  // rows of two tiles, the second partly filled
    std::vector<HostTensor> ids_ = random_ids(GetParam(), size_);
    std::vector<HostTensor> tokens_;
    std::vector<HostTensor> weights_;

    void SetUp() override {
        for (std::uint32_t d = 0; d < size_; ++d) {
            tokens_.push_back(testing::random_bf16({GetParam().tokens, kHidden}, d + 3));
            weights_.push_back(testing::random_bf16({GetParam().tokens, GetParam().top_k}, d + 99));
        }
    }
    GroupRun dispatched(const ops::Op& op, Phases phases = Phases::Two) {
        GroupRun run(op, GetParam().mesh, devices_);
        run.params<DispatchSpec>() = {.experts = experts_, .phases = phases, .links = 2};
        run.add(tokens_);
        run.add(ids_);
        run.add(weights_);
        run.launch();
        return run;
    }
    std::vector<HostTensor> outputs(const GroupRun& run, std::size_t index) const {
        std::vector<HostTensor> tensors;
        for (std::uint32_t p = 0; p < size_; ++p) {
            tensors.push_back(run.output(p, index));
        }
        return tensors;
    }
};

// Experts return their input. Expected: Σ weight · x over the slots with an expert, in fp32, in
// slot order.
TEST_P(ThereAndBack, BatchesAreWeightedInTheOrderOfSlots) {
    const GroupRun sent = dispatched(ops::moe_dispatch_batched::op());
    GroupRun run(ops::moe_combine_batched::op(), GetParam().mesh, devices_);
    run.params<CombineSpec>() = {.experts = experts_, .links = 2};
    for (const std::size_t index : {0, 1, 2, 3}) {
        run.add(outputs(sent, index));
    }
    run.add(weights_);
    run.launch();
    for (std::uint32_t p = 0; p < size_; ++p) {
        const HostTensor output = run.output(p);
        const std::uint32_t top_k = GetParam().top_k;
        for (std::size_t i = 0; i < std::size_t{GetParam().tokens} * kHidden; ++i) {
            const std::size_t token = i / kHidden;
            const float x = from_bf16(tokens_[p].as<std::uint16_t>()[i]);
            float sum = 0;
            for (std::size_t k = 0, terms = 0; k < top_k; ++k) {
                if (ids_[p].as<std::int32_t>()[token * top_k + k] >= 0) {
                    const float term =
                        x * from_bf16(weights_[p].as<std::uint16_t>()[token * top_k + k]);
                    sum = terms++ == 0 ? term : sum + term;
                }
            }
            ASSERT_EQ(output.as<std::uint16_t>()[i], to_bf16(sum)) << "device " << p << " at " << i;
        }
    }
}

// Every device that received a token returns its row; the sum has this number of terms.
TEST_P(ThereAndBack, RowsAreSummedOverDevices) {
    const GroupRun sent = dispatched(ops::moe_dispatch::op());
    GroupRun run(ops::moe_combine::op(), GetParam().mesh, devices_);
    run.params<CombineSpec>() = {.experts = experts_, .links = 2};
    for (const std::size_t index : {0, 3, 4, 5}) {
        run.add(outputs(sent, index));
    }
    run.add(ids_);
    run.launch();
    for (std::uint32_t p = 0; p < size_; ++p) {
        const HostTensor output = run.output(p);
        const auto ids = ids_[p].as<std::int32_t>();
        for (std::uint32_t token = 0; token < GetParam().tokens; ++token) {
            std::set<std::int32_t> receivers;
            for (std::uint32_t k = 0; k < GetParam().top_k; ++k) {
                const std::int32_t id = ids[token * GetParam().top_k + k];
                if (id >= 0) {
                    receivers.insert(id / static_cast<std::int32_t>(GetParam().experts_per_device));
                }
            }
            for (std::size_t i = 0; i < kHidden; ++i) {
                const float x =
                    from_bf16(tokens_[p].as<std::uint16_t>()[std::size_t{token} * kHidden + i]);
                float sum = 0;
                for (std::size_t r = 0; r < receivers.size(); ++r) {
                    sum += x;
                }
                ASSERT_EQ(output.as<std::uint16_t>()[std::size_t{token} * kHidden + i],
                          to_bf16(sum));
            }
        }
    }
}

// Returns the batch rows of each expert up to its count.
std::vector<std::byte> counted_rows(const HostTensor& batches, const HostTensor& counts) {
    std::vector<std::byte> rows;
    const std::size_t batch = batches.bytes.size() / batches.shape[0];
    const std::size_t row = batch / batches.shape[1];
    for (std::size_t e = 0; e < batches.shape[0]; ++e) {
        const auto begin = batches.bytes.begin() + static_cast<std::ptrdiff_t>(e * batch);
        const std::size_t bytes = counts.as<std::uint32_t>()[e] * row;
        rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
    }
    return rows;
}

// In one phase with space for all tokens of each sender, M is D·T as well.
TEST_P(ThereAndBack, OnePhaseGivesTheRowsOfTwo) {
    const GroupRun two = dispatched(ops::moe_dispatch_batched::op());
    const GroupRun one = dispatched(ops::moe_dispatch_batched::op(), Phases::One);
    for (std::uint32_t p = 0; p < size_; ++p) {
        const HostTensor counts = two.output(p, 2);
        EXPECT_EQ(one.output(p, 2).bytes, counts.bytes);
        EXPECT_EQ(counted_rows(one.output(p, 0), counts), counted_rows(two.output(p, 0), counts));
        EXPECT_EQ(counted_rows(one.output(p, 1), counts), counted_rows(two.output(p, 1), counts));
        EXPECT_EQ(one.output(p, 3).bytes, two.output(p, 3).bytes);
    }
}

TEST_P(ThereAndBack, OnePhaseSendsATokenOnceToADeviceToo) {
    const GroupRun two = dispatched(ops::moe_dispatch::op());
    const GroupRun one = dispatched(ops::moe_dispatch::op(), Phases::One);
    for (std::uint32_t p = 0; p < size_; ++p) {
        const std::uint32_t rows = values_of<std::uint32_t>(two.output(p, 4))[0];
        EXPECT_EQ(one.output(p, 4).bytes, two.output(p, 4).bytes);
        EXPECT_EQ(one.output(p, 5).bytes, two.output(p, 5).bytes);
        for (const std::size_t index : {0, 1, 2, 3}) {
            const HostTensor wanted = two.output(p, index);
            const auto bytes =
                static_cast<std::ptrdiff_t>(wanted.bytes.size() / wanted.shape[0] * rows);
            const HostTensor given = one.output(p, index);
            EXPECT_TRUE(
                std::equal(wanted.bytes.begin(), wanted.bytes.begin() + bytes, given.bytes.begin()))
                << "device " << p << " output " << index;
        }
    }
}

// Experts return their input: each slot with an expert receives the token's own row.
TEST_P(ThereAndBack, SlotsGetTheirRowsBackUnsummed) {
    const GroupRun sent = dispatched(ops::moe_dispatch_batched::op());
    GroupRun run(ops::moe_combine_slots::op(), GetParam().mesh, devices_);
    run.params<CombineSpec>() = {.experts = experts_, .links = 2};
    for (const std::size_t index : {0, 1, 2, 3}) {
        run.add(outputs(sent, index));
    }
    run.launch();
    const std::uint32_t top_k = GetParam().top_k;
    for (std::uint32_t p = 0; p < size_; ++p) {
        const HostTensor output = run.output(p);
        EXPECT_EQ(output.shape, (Shape{GetParam().tokens, top_k, kHidden}));
        for (std::size_t slot = 0; slot < std::size_t{GetParam().tokens} * top_k; ++slot) {
            if (ids_[p].as<std::int32_t>()[slot] < 0) {
                continue;
            }
            const auto row = output.as<std::uint16_t>().subspan(slot * kHidden, kHidden);
            const auto token =
                tokens_[p].as<std::uint16_t>().subspan(slot / top_k * kHidden, kHidden);
            EXPECT_TRUE(std::ranges::equal(row, token)) << "device " << p << " slot " << slot;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Routings, ThereAndBack,
    ::testing::Values(Routing{"OneDevice", {{1, 1}, Topology::Line, "wormhole_n150"}, 5, 2, 4},
                      Routing{
                          "TwoDevicesOneToken", {{1, 2}, Topology::Line, "wormhole_n150"}, 1, 1, 1},
                      Routing{"EightOnARing", {{1, 8}, Topology::Torus, "wormhole_n150"}, 7, 4, 2},
                      Routing{"TwoByThree", {{2, 3}, Topology::Line, "wormhole_n150"}, 9, 3, 3},
                      Routing{"AllToOneDevice",
                              {{2, 2}, Topology::Torus, "wormhole_n150"},
                              6,
                              2,
                              2,
                              Routing::Kind::OneExpert},
                      Routing{"EveryOtherDeviceWithoutTokens",
                              {{1, 4}, Topology::Ring, "wormhole_n150"},
                              6,
                              3,
                              2,
                              Routing::Kind::Sparse}),
    [](const auto& row) { return row.param.name; });

TEST(MoeDispatchCapacity, DropsWhatIsBeyond) {
    const Small small;
    GroupRun run(ops::moe_dispatch_batched::op(), kPair, {0, 1});
    run.params<DispatchSpec>() = {.experts = 4, .capacity = 2, .overflow = Overflow::Drop};
    run.add(small.tokens);
    run.add(small.ids);
    run.add(small.weights);
    run.launch();

    // Expert 0 has the rows of (0,1,1) and (1,1,1); the row of (1,2,0) is dropped.
    EXPECT_THAT(values_of<std::uint32_t>(run.output(0, 2)), ElementsAre(2, 2));
    EXPECT_THAT(values_of<std::int32_t>(run.output(1, 3)), ElementsAre(-1, -1, 3, 1, -1, 3));
}

// One row per sender and expert: device 1 has two rows for expert 0 and the second is dropped.
// Device 0 has one, and none is dropped.
TEST(MoeDispatchCapacity, IsOfEachSenderInOnePhase) {
    const Small small;
    GroupRun run(ops::moe_dispatch_batched::op(), kPair, {0, 1});
    run.params<DispatchSpec>() = {
        .experts = 4, .capacity = 1, .overflow = Overflow::Drop, .phases = Phases::One};
    run.add(small.tokens);
    run.add(small.ids);
    run.add(small.weights);
    run.launch();

    // Expert 0: (0,1,1) and (1,1,1); expert 1: (0,2,0) and (1,2,1). M is 2.
    EXPECT_THAT(values_of<std::uint32_t>(run.output(0, 2)), ElementsAre(2, 2));
    EXPECT_THAT(values_of<std::uint32_t>(run.output(0, 1)), ElementsAre(3, 6 + 3, 4, 6 + 5));
    // The second of device 0's tokens for expert 2 is dropped.
    EXPECT_THAT(values_of<std::int32_t>(run.output(0, 3)), ElementsAre(0, 2, -1, 0, 2, -1));
    EXPECT_THAT(values_of<std::int32_t>(run.output(1, 3)), ElementsAre(-1, -1, 3, 1, -1, 3));
}

TEST(MoeDispatchScales, TravelWithTheirRowsInOnePhase) {
    const Small small;
    const std::vector<HostTensor> scales{
        host_tensor<float>({3, 1}, DataFormat::Float32, {1, 2, 3}),
        host_tensor<float>({3, 1}, DataFormat::Float32, {4, 5, 6})};
    GroupRun run(ops::moe_dispatch::op(), kPair, {0, 1});
    run.params<DispatchSpec>() = {.experts = 4, .phases = Phases::One};
    run.add(small.tokens);
    run.add(small.ids);
    run.add(small.weights);
    run.add(scales);
    run.launch();

    const auto received = values_of<float>(run.output(0, 6));
    EXPECT_EQ(std::vector(received.begin(), received.begin() + 4),
              (std::vector<float>{2, 3, 5, 6}));
}

TEST(MoeDispatchScales, TravelWithTheirRows) {
    const Small small;
    const std::vector<HostTensor> scales{
        host_tensor<float>({3, 1}, DataFormat::Float32, {1, 2, 3}),
        host_tensor<float>({3, 1}, DataFormat::Float32, {4, 5, 6})};
    GroupRun run(ops::moe_dispatch::op(), kPair, {0, 1});
    run.params<DispatchSpec>() = {.experts = 4};
    run.add(small.tokens);
    run.add(small.ids);
    run.add(small.weights);
    run.add(scales);
    run.launch();

    const auto received = values_of<float>(run.output(0, 6));
    EXPECT_EQ(std::vector(received.begin(), received.begin() + 4),
              (std::vector<float>{2, 3, 5, 6}));
}

}  // namespace
}  // namespace tessera
