// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode_fp8/attention_decode_fp8.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"
#include "tests/ops/latent_attention/random_rows.hpp"

namespace tessera::ops::attention_decode_fp8 {
namespace {

using attention_decode::DecodeSpec;
using testing::floats_of;
using testing::HeldStep;
using testing::host_tensor;
using testing::ints;
using testing::keeps_its_tolerance;
using testing::OpInput;
using testing::OpRun;
using testing::random_rows;
using testing::run_op;
using testing::test_arch;

struct Call {
    std::uint32_t heads = 3;
    std::vector<std::int32_t> positions{4, 31, 32};  ///< one token per sequence
    std::uint32_t latent = 256;
    std::uint32_t rope = 16;
    std::uint32_t page_size = 16;
    std::uint32_t split = 1;
    std::vector<std::int32_t> chosen;  ///< per token

    [[nodiscard]] std::uint32_t tokens() const {
        return static_cast<std::uint32_t>(positions.size());
    }
    [[nodiscard]] std::uint32_t pages() const {
        const std::int32_t longest = *std::max_element(positions.begin(), positions.end());
        return static_cast<std::uint32_t>(longest) / page_size + 1;
    }
    [[nodiscard]] std::uint32_t rows() const { return tokens() * pages() * page_size; }
    [[nodiscard]] std::uint32_t scales() const { return (latent + 127) / 128; }
};

/// Returns every code that is a number, of all signs and exponents.
HostTensor codes_of(const Call& call) {
    HostTensor codes = make_host_tensor({call.rows(), call.latent}, DataFormat::Fp8_e4m3);
    for (std::size_t i = 0; i < codes.bytes.size(); ++i) {
        const auto code = static_cast<std::uint8_t>(i * 37 % 127 | i * 11 % 2 * 128);
        codes.bytes[i] = static_cast<std::byte>(code);
    }
    return codes;
}

/// Returns scales that are not powers of two, different for each block.
HostTensor scales_of(const Call& call) {
    std::vector<float> scales(std::size_t{call.rows()} * call.scales());
    for (std::size_t i = 0; i < scales.size(); ++i) {
        scales[i] = 0.001F + 0.00037F * static_cast<float>(i % 13);
    }
    return host_tensor({call.rows(), call.scales()}, DataFormat::Float32, scales);
}

std::vector<OpInput> inputs_of(const Call& call) {
    std::vector<std::int32_t> table(std::size_t{call.tokens()} * call.pages());
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<std::int32_t>(table.size() - 1 - i);
    }
    std::vector<OpInput> inputs{{random_rows({call.tokens(), call.heads, call.latent}, 1)},
                                {random_rows({call.tokens(), call.heads, call.rope}, 2)},
                                {codes_of(call)},
                                {ints({call.tokens(), call.pages()}, table)},
                                {ints({call.tokens()}, call.positions)},
                                {scales_of(call)},
                                {random_rows({call.rows(), call.rope}, 3)}};
    if (!call.chosen.empty()) {
        inputs.push_back(
            {ints({call.tokens(), static_cast<std::uint32_t>(call.chosen.size()) / call.tokens()},
                  call.chosen)});
    }
    return inputs;
}

DecodeSpec spec_of(const Call& call) {
    return {.scale = 0.05, .page_size = call.page_size, .split = call.split};
}

OpRun attend(const Call& call, const SessionOptions& options = {.threads = 1}) {
    return run_op(op(), spec_of(call), inputs_of(call), test_arch(), options);
}

class Fp8Calls : public ::testing::TestWithParam<Call> {};

TEST_P(Fp8Calls, AreThoseOfTheReference) {
    EXPECT_TRUE(keeps_its_tolerance(op(), attend(GetParam())));
}

// One position and one head; tile − 1 to tile + 1; latents of less than one scale block, of whole
// blocks, of one block and a part, and of a part of a tile; blocks of keys shared by cores; chosen
// positions.
INSTANTIATE_TEST_SUITE_P(
    Edges, Fp8Calls,
    ::testing::Values(Call{.heads = 1, .positions = {0}}, Call{.positions = {30, 31, 32}},
                      Call{.positions = {127, 128, 0}, .latent = 32, .rope = 32},
                      Call{.heads = 33, .positions = {64}, .latent = 128, .page_size = 7},
                      Call{.positions = {40}, .latent = 160, .rope = 40},
                      Call{.positions = {40, 7}, .latent = 80, .rope = 24},
                      Call{.heads = 17, .positions = {33}, .latent = 131, .rope = 16},
                      Call{.positions = {300, 3}, .latent = 512, .rope = 64, .split = 3},
                      Call{.positions = {90}, .chosen = {70, -1, 3, 90, 91, 33, 12}}));

/// Returns the same caches with pages as rows of their tensors.
std::vector<OpInput> in_pages(const Call& call) {
    std::vector<OpInput> inputs = inputs_of(call);
    for (const std::size_t cache : {2UL, 5UL, 6UL}) {
        Shape& shape = inputs[cache].values.shape;
        shape = {shape[0] / call.page_size, call.page_size * shape[1]};
    }
    return inputs;
}

class Fp8Pages : public ::testing::TestWithParam<Call> {};

TEST_P(Fp8Pages, GiveTheBytesOfPositionsAsRows) {
    const Call& call = GetParam();

    const auto run = run_op(op(), spec_of(call), in_pages(call), test_arch());

    EXPECT_EQ(run.outputs[0].bytes, attend(call).outputs[0].bytes);
}

// Scales of 4, 8, 12 and 16 bytes, which begin at addresses without read alignment.
INSTANTIATE_TEST_SUITE_P(
    Edges, Fp8Pages,
    ::testing::Values(Call{.positions = {100, 31}, .latent = 64, .rope = 32},
                      Call{.positions = {100}, .latent = 256, .rope = 32, .page_size = 7},
                      Call{.positions = {70, 5}, .latent = 384, .page_size = 5},
                      Call{.positions = {70}, .latent = 512, .rope = 64, .page_size = 64},
                      Call{.positions = {70, 31}, .latent = 80, .rope = 24, .page_size = 7},
                      Call{.positions = {70}, .page_size = 24, .chosen = {69, 1, 24, 23}}));

// A single key has the whole weight: the result is its codes times their scales.
TEST(AttentionDecodeFp8, OfOneKeyIsItsCodesTimesTheirScales) {
    Call call{.heads = 2, .positions = {9}, .chosen = {4}};
    std::vector<OpInput> inputs = inputs_of(call);
    std::fill(inputs[2].values.bytes.begin(), inputs[2].values.bytes.end(),
              std::byte{0x3C});  // 1.5

    const auto values = floats_of(run_op(op(), spec_of(call), inputs, test_arch()).outputs[0]);

    const auto scales = floats_of(inputs[5].values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const float expected = 1.5F * scales[4 * 2 + i % 256 / 128];
        EXPECT_NEAR(values[i], expected, expected / 128) << i;
    }
}

TEST(AttentionDecodeFp8, GivesTheSameBytesAtTwoThreadsAndUnderEveryDelivery) {
    const Call call{.positions = {3, 70, 200}, .split = 2};
    const auto bytes = attend(call).outputs[0].bytes;

    for (const NocDelivery delivery :
         {NocDelivery::AtIssue, NocDelivery::AtBarrier, NocDelivery::Random}) {
        EXPECT_EQ(attend(call, {.threads = 2, .delivery = delivery}).outputs[0].bytes, bytes);
    }
}

TEST(AttentionDecodeFp8, NamesAPageOutsideOfTheCache) {
    const Call call{.positions = {31}};
    const DecodeSpec spec = spec_of(call);
    std::vector<std::vector<HostTensor>> held;
    for (const OpInput& input : inputs_of(call)) {
        held.push_back({input.values});
    }
    held[3] = {ints({1, 2}, {0, 2})};

    EXPECT_EQ(usage_error_message([&] { op().check_values(HeldStep(&spec, held).at()); }),
              "attention_decode_fp8: page_table(0,1) is 2; the cache has pages 0 to 1; allowed: "
              "these, or -1 for none");
}

TEST(AttentionDecodeFp8, NamesScalesOfAnotherNumber) {
    const auto rows = [](Shape of, DataFormat format) {
        return DeviceTensor{{std::move(of), format, Layout::ROW_MAJOR}, {}};
    };
    const DeviceTensor latent = rows({2, 3, 256}, DataFormat::Float16_b);
    const DeviceTensor rope = rows({2, 3, 16}, DataFormat::Float16_b);
    const DeviceTensor cache = rows({64, 256}, DataFormat::Fp8_e4m3);
    const DeviceTensor table = rows({2, 1}, DataFormat::Int32);
    const DeviceTensor positions = rows({2}, DataFormat::Int32);
    const DeviceTensor scales = rows({64, 1}, DataFormat::Float32);
    const DeviceTensor rope_cache = rows({64, 16}, DataFormat::Float16_b);
    const DeviceTensor* const in[]{&latent,    &rope,   &cache,     &table,
                                   &positions, &scales, &rope_cache};
    const DeviceTensor* const out[]{&latent};
    const DecodeSpec spec = spec_of({});

    EXPECT_EQ(usage_error_message([&] { check_call(op(), test_arch(), &spec, in, out); }),
              "attention_decode_fp8: cache_scale has rows of 1 elements; allowed: 2 of a position, "
              "or 32 of a page");
}

}  // namespace
}  // namespace tessera::ops::attention_decode_fp8
