// SPDX-License-Identifier: Apache-2.0
// Operands that a spec accepts, and the messages for each other operand.
#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

#include "ops/contract.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/check_call.hpp"

namespace tessera::ops {
namespace {

using ::testing::Optional;

constexpr std::array kTwoOperands{Operand{"rows", "any", "any", "any"},
                                  Operand{"counts", "any", "any", "any"}};
static_assert(place_of(kTwoOperands, "rows") == 0);
static_assert(place_of(kTwoOperands, "counts") == 1);

struct Expression {
    std::string name;
    std::string_view expression;
    Shape shape;
    std::optional<std::string> wanted;  ///< message for a shape that does not match
};

/// A group of four devices; (T, H) was (5, 7) in an earlier operand.
class ShapeExpression : public ::testing::TestWithParam<Expression> {};

TEST_P(ShapeExpression, IsMatchedOrSaysWhatItMustBe) {
    ShapeSymbols symbols;
    ASSERT_EQ(symbols.match("(D)", {4}), std::nullopt);
    ASSERT_EQ(symbols.match("(T, H)", {5, 7}), std::nullopt);

    EXPECT_EQ(symbols.match(GetParam().expression, GetParam().shape), GetParam().wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, ShapeExpression,
    ::testing::Values(Expression{"BoundSymbols", "(H, T)", {7, 5}, std::nullopt},
                      Expression{"BoundSymbolsOfOtherExtents", "(H, T)", {5, 7}, "(7,5)"},
                      Expression{"NewSymbols", "(E/D, T, N)", {3, 5, 9}, std::nullopt},
                      Expression{"NewSymbolsBesideAWrongOne", "(E/D, T, N)", {3, 6, 9}, "(3,5,N)"},
                      Expression{"Numbers", "(T, 1)", {5, 1}, std::nullopt},
                      Expression{"NumbersOfOtherExtents", "(T, 1)", {5, 2}, "(5,1)"},
                      Expression{"AnotherRank", "(T, H)", {5, 7, 1}, "(5,7)"},
                      Expression{"NoShape", "(N)", {}, "(N)"},
                      Expression{"AnExtentOfZero", "(N, H)", {0, 7}, "(N,7)"},
                      Expression{"ProductsOfKnownFactors", "(D*T)", {20}, std::nullopt},
                      Expression{"ProductsThatAreNot", "(D*T)", {21}, "(20)"},
                      Expression{"ProductsWithOneUnknownFactor", "(D*R)", {12}, std::nullopt},
                      Expression{"ProductsThatDoNotDivide", "(D*R)", {13}, "(D*R)"},
                      Expression{"OthersInFront", "(..., H)", {2, 3, 7}, std::nullopt},
                      Expression{"OthersInFrontOfNone", "(..., H)", {7}, std::nullopt},
                      Expression{"OthersBehind", "(T, ...)", {5, 2, 3}, std::nullopt},
                      Expression{"OthersWithoutRoom", "(..., T, H)", {7}, "(...,5,7)"},
                      Expression{"Any", "any", {1, 2, 3}, std::nullopt},
                      Expression{"AnyWithoutElements", "any", {1, 0}, ""}),
    [](const auto& row) { return row.param.name; });

TEST(ShapeSymbols, AQuotientOfKnownSymbolsMustDivide) {
    ShapeSymbols symbols;
    ASSERT_EQ(symbols.match("(E, D)", {12, 4}), std::nullopt);

    EXPECT_EQ(symbols.match("(E/D)", {3}), std::nullopt);
    EXPECT_THAT(symbols.match("(E/D)", {4}), Optional(std::string("(3)")));
    EXPECT_EQ(symbols.value("E/D"), 3U);
}

TEST(ShapeSymbols, TheFactorOfAProductIsBound) {
    ShapeSymbols symbols;
    ASSERT_EQ(symbols.match("(D)", {4}), std::nullopt);
    ASSERT_EQ(symbols.match("(D*R, C)", {12, 9}), std::nullopt);

    EXPECT_EQ(symbols.value("R"), 3U);
    EXPECT_THAT(symbols.match("(R, C)", {4, 9}), Optional(std::string("(3,9)")));
}

TEST(ShapeSymbols, OthersAreTheSameEverywhere) {
    ShapeSymbols symbols;
    ASSERT_EQ(symbols.match("(..., M)", {2, 3, 7}), std::nullopt);

    EXPECT_EQ(symbols.match("(..., K)", {2, 3, 9}), std::nullopt);
    EXPECT_THAT(symbols.match("(..., K)", {2, 9}), Optional(std::string("(2,3,9)")));
}

TEST(ShapeSymbols, NoOthersAreNoneEverywhere) {
    ShapeSymbols symbols;
    ASSERT_EQ(symbols.match("(..., M)", {7}), std::nullopt);

    EXPECT_THAT(symbols.match("(..., M)", {3, 7}), Optional(std::string("(7)")));
}

constexpr std::array<std::string_view, 1> kSchedules{"any"};
constexpr std::array kInputs{
    Operand{"a", "(M, K)", "bfloat16 | float32", "TILE"},
    Operand{.name = "b",
            .shape = "(K, N)",
            .format = "=a",
            .layout = "any",
            .presence = Presence::Optional,
            .lies = Lies::Anyhow},
};
constexpr std::array kOutputs{Operand{"output", "(M, K)", "any", "!a"}};
const Op kOp{.spec = {.name = "probe",
                      .summary = "an op of the test",
                      .schedules = kSchedules,
                      .inputs = kInputs,
                      .outputs = kOutputs,
                      .tolerance = kExact}};

DeviceTensor tensor(Shape shape, DataFormat format, Layout layout) {
    return {{std::move(shape), format, layout}, {}};
}

/// A call that satisfies the contract. A test spoils one part.
struct Spoilable {
    DeviceTensor a = tensor({4, 8}, DataFormat::Float16_b, Layout::TILE);
    DeviceTensor b = tensor({8, 6}, DataFormat::Float16_b, Layout::ROW_MAJOR);
    DeviceTensor output = tensor({4, 8}, DataFormat::UInt16, Layout::ROW_MAJOR);
    std::vector<const DeviceTensor*> inputs{&a, &b};
    std::vector<const DeviceTensor*> outputs{&output};

    [[nodiscard]] std::string message() const {
        return usage_error_message(
            [&] { check_call(kOp, testing::small_arch(), nullptr, inputs, outputs); });
    }
};

TEST(OpContract, AcceptsWhatTheOthersSpoil) {
    const Spoilable test;
    EXPECT_EQ(test.message(), "(nothing thrown)");
}

TEST(OpContract, DoesWithoutAnOptionalInput) {
    Spoilable test;
    test.inputs.pop_back();
    EXPECT_EQ(test.message(), "(nothing thrown)");
}

TEST(OpContract, NamesAMissingInput) {
    Spoilable test;
    test.inputs.clear();
    EXPECT_EQ(test.message(), "probe: inputs are 0 tensors; allowed: 1 to 2: a, b");
}

TEST(OpContract, NamesAnOutputTooMany) {
    Spoilable test;
    test.outputs.push_back(&test.output);
    EXPECT_EQ(test.message(), "probe: outputs are 2 tensors; allowed: 1: output");
}

TEST(OpContract, NamesAnotherShape) {
    Spoilable test;
    test.b.spec.shape = {9, 6};
    EXPECT_EQ(test.message(),
              "probe: b is (9,6) bfloat16 ROW_MAJOR; allowed: (8,N) bfloat16 in any layout");
}

TEST(OpContract, NamesAnotherFormat) {
    Spoilable test;
    test.a.spec.format = DataFormat::Int32;
    test.b.spec.format = DataFormat::Int32;
    EXPECT_EQ(test.message(),
              "probe: a is (4,8) int32 TILE; allowed: (4,8) bfloat16 | float32 TILE");
}

TEST(OpContract, NamesAFormatThatIsNotTheOther) {
    Spoilable test;
    test.b.spec.format = DataFormat::Float32;
    EXPECT_EQ(test.message(),
              "probe: b is (8,6) float32 ROW_MAJOR; allowed: (8,6) bfloat16 in any layout");
}

TEST(OpContract, NamesALayoutThatIsTheOther) {
    Spoilable test;
    test.output.spec.layout = Layout::TILE;
    EXPECT_EQ(test.message(),
              "probe: output is (4,8) uint16 TILE; allowed: (4,8) of any format ROW_MAJOR");
}

TEST(OpContract, NamesAnExtentOfZero) {
    Spoilable test;
    test.a.spec.shape = {0, 8};
    test.output.spec.shape = {1, 8};
    EXPECT_EQ(test.message(),
              "probe: a is (0,8) bfloat16 TILE; allowed: (M,K) bfloat16 | float32 TILE, without "
              "an extent of 0");
}

TEST(OpContract, NamesAShardedTensorWhereNoneMayBe) {
    Spoilable test;
    test.b.buffer.layout = TensorMemoryLayout::WIDTH_SHARDED;
    EXPECT_EQ(test.message(), "(nothing thrown)");
    test.a.buffer.layout = TensorMemoryLayout::WIDTH_SHARDED;
    EXPECT_EQ(test.message(), "probe: a is sharded; allowed: interleaved");
}

TEST(OpContract, NamesAllThatDoesNotHold) {
    Spoilable test;
    test.a.spec.layout = Layout::ROW_MAJOR;
    test.output.spec.shape = {4, 9};
    EXPECT_EQ(test.message(),
              "probe: a is (4,8) bfloat16 ROW_MAJOR; allowed: (4,8) bfloat16 | float32 TILE\n"
              "probe: output is (4,9) uint16 ROW_MAJOR; allowed: (4,8) of any format TILE");
}

TEST(OpContract, WantsOneTensorOnEachDeviceInTheirOrder) {
    const MeshSpec mesh{.shape = {1, 2}, .topology = Topology::Line, .device = "test_arch"};
    const Spoilable test;
    std::vector<DeviceTensor> a{test.a, test.a};
    std::vector<DeviceTensor> output{test.output, test.output};
    a[1].buffer.device = output[1].buffer.device = 1;
    const auto message = [&] {
        return usage_error_message([&] {
            check_call(kOp, testing::small_arch(), mesh, {nullptr, {a}, {output}});
        });
    };

    EXPECT_EQ(message(), "(nothing thrown)");
    output[1].buffer.device = 0;
    EXPECT_EQ(message(), "probe: tensors at place 1 are on device 0; allowed: device 1");
    a.pop_back();
    EXPECT_THAT(message(),
                ::testing::StartsWith("probe: tensors are 1; allowed: one for each of 2 devices"));
}

}  // namespace
}  // namespace tessera::ops
