// SPDX-License-Identifier: Apache-2.0
#include "ops/registry.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "ops/contract.hpp"

namespace tessera::ops {
namespace {

TEST(OpRegistry, FindsAnOpByItsName) {
    const Op* op = find_op("to_layout");

    ASSERT_NE(op, nullptr);
    EXPECT_EQ(op->spec.name, "to_layout");
}

TEST(OpRegistry, HasNoOpOfANameThatSortsBetweenItsRows) {
    EXPECT_EQ(find_op("to_layouts"), nullptr);
    EXPECT_EQ(find_op(""), nullptr);
}

TEST(OpRegistry, IsSortedByName) {
    EXPECT_TRUE(std::ranges::is_sorted(all_ops(), {}, [](const Op* op) { return op->spec.name; }));
}

/// Properties of every op.
class EveryOp : public ::testing::TestWithParam<const Op*> {
protected:
    const Op& op_ = *GetParam();
};

/// Returns whether the header of a folder of several ops declares the op called `name`.
bool is_declared_in(const std::filesystem::path& folder, const std::string& name) {
    std::ifstream header(folder / (folder.filename().string() + ".hpp"));
    const std::string text{std::istreambuf_iterator<char>(header), {}};
    return text.find("const Op& " + name + "();") != std::string::npos;
}

TEST_P(EveryOp, IsDeclaredInTheHeaderOfItsFolderOrOfAFolderOfSeveral) {
    const std::string name(op_.spec.name);
    const auto ops = std::filesystem::path(TESSERA_SOURCE_DIR) / "ops";

    EXPECT_TRUE(std::filesystem::exists(ops / name / (name + ".hpp")) ||
                std::ranges::any_of(std::filesystem::directory_iterator(ops),
                                    [&](const auto& entry) {
                                        return entry.is_directory() &&
                                               is_declared_in(entry.path(), name);
                                    }))
        << name;
}

TEST_P(EveryOp, SaysWhatItTakesAndGives) {
    EXPECT_FALSE(op_.spec.summary.empty());
    EXPECT_FALSE(op_.spec.schedules.empty());
    EXPECT_FALSE(op_.spec.inputs.empty());
    EXPECT_FALSE(op_.spec.outputs.empty());
}

TEST_P(EveryOp, InfersRunsAndHasAReference) {
    EXPECT_TRUE(op_.infer);
    EXPECT_NE(op_.programs != nullptr, op_.parts != nullptr);
    EXPECT_TRUE(op_.reference);
}

TEST_P(EveryOp, NamesNoOperandTwice) {
    std::set<std::string_view> names;
    for (const auto operands : {op_.spec.inputs, op_.spec.outputs}) {
        for (const Operand& operand : operands) {
            EXPECT_TRUE(names.insert(operand.name).second) << operand.name;
        }
    }
}

// An expression that cannot be parsed throws; another rank is a mismatch.
TEST_P(EveryOp, HasShapesThatCanBeRead) {
    const Shape of_rank_5{1, 1, 1, 1, 1};
    ShapeSymbols symbols;
    (void)symbols.match("(D)", {1});
    for (const auto operands : {op_.spec.inputs, op_.spec.outputs}) {
        for (const Operand& operand : operands) {
            const bool is_open =
                operand.shape == "any" || operand.shape.find("...") != std::string_view::npos;

            EXPECT_EQ(symbols.match(operand.shape, of_rank_5).has_value(), !is_open)
                << operand.name;
        }
    }
}

TEST_P(EveryOp, CountsValidRowsByAnOperandThatIsThere) {
    for (const auto operands : {op_.spec.inputs, op_.spec.outputs}) {
        for (const Operand& operand : operands) {
            const auto has = [&](std::span<const Operand> among) {
                return std::ranges::find(among, operand.valid_rows, &Operand::name) != among.end();
            };

            EXPECT_TRUE(operand.valid_rows.empty() || has(op_.spec.inputs) || has(op_.spec.outputs))
                << operand.name;
        }
    }
}

// A map of `in:` may leave out an input before others; outputs are always a list.
TEST_P(EveryOp, HasOptionalOutputsBehindTheOthers) {
    const auto is_optional = [](const Operand& operand) {
        return operand.presence == Presence::Optional;
    };
    EXPECT_TRUE(std::ranges::is_partitioned(op_.spec.outputs, std::not_fn(is_optional)));
}

TEST_P(EveryOp, MakesParametersForItsFields) {
    ASSERT_NE(op_.params.make, nullptr);
    EXPECT_NE(op_.params.make().object(), nullptr);
    EXPECT_FALSE(op_.params.fields.empty());
}

TEST(ParameterRef, GivesTheStructToItsOwnTypeOnly) {
    struct Spec {
        int depth = 3;
    };
    struct SameMembers {
        int depth = 3;
    };
    const Spec spec{4};

    EXPECT_EQ(ParameterRef(&spec).as<Spec>().depth, 4);
    EXPECT_THROW((void)ParameterRef(&spec).as<SameMembers>(), InternalError);
    EXPECT_THROW((void)ParameterRef(nullptr).as<Spec>(), InternalError);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryOp, ::testing::ValuesIn(all_ops()),
                         [](const auto& op) { return std::string(op.param->spec.name); });

}  // namespace
}  // namespace tessera::ops
