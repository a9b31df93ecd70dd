// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/expression.hpp"

#include <gtest/gtest.h>

namespace tessera::pipeline {
namespace {

Scope names() {
    Scope scope;
    scope.set("T", std::int64_t{40});
    scope.set("E", std::int64_t{8});
    scope.set("core.first", std::int64_t{3});
    scope.set("rate", 0.5);
    scope.set("mode", std::string("fused"));
    return scope;
}

std::string refusal_of(const std::string& text) {
    try {
        (void)evaluate_count(text, names());
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(Expression, KeepsToPrecedence) {
    EXPECT_EQ(evaluate_count("2 + 3 * 4", names()), 14U);
    EXPECT_EQ(evaluate_count("(2 + 3) * 4", names()), 20U);
    EXPECT_EQ(evaluate_count("20 - 3 - 4", names()), 13U);
    EXPECT_EQ(evaluate_count("7 % 4 + 0x10", names()), 19U);
    EXPECT_EQ(evaluate_count("-3 + 5", names()), 2U);
}

TEST(Expression, ReadsNamesWithDots) {
    EXPECT_EQ(evaluate_count("T / E", names()), 5U);
    EXPECT_EQ(evaluate_count("core.first * 2", names()), 6U);
}

TEST(Expression, RoundsOnlyWhereAFunctionSaysSo) {
    EXPECT_EQ(evaluate_count("ceil_div(T, 32)", names()), 2U);
    EXPECT_EQ(evaluate_count("floor_div(T, 32)", names()), 1U);
    EXPECT_EQ(evaluate_count("round_up(T, 32)", names()), 64U);
    EXPECT_EQ(evaluate_count("min(T, E) + max(T, E)", names()), 48U);
    EXPECT_EQ(refusal_of("T / 32"), "'T / 32': 32 does not divide 40; use ceil_div or floor_div");
}

TEST(Expression, ComparesNumbersAndWords) {
    EXPECT_TRUE(evaluate_condition("mode == fused", names()));
    EXPECT_FALSE(evaluate_condition("mode == separate", names()));
    EXPECT_TRUE(evaluate_condition("T > 32 && E <= 8 || false", names()));
    EXPECT_TRUE(evaluate_condition("!(T == 41)", names()));
    EXPECT_TRUE(evaluate_condition("rate < 1", names()));
}

TEST(Expression, SubstitutesValuesIntoText) {
    EXPECT_EQ(substitute("gate_${E - 1}.${mode}", names()), "gate_7.fused");
    EXPECT_EQ(substitute("plain", names()), "plain");
}

TEST(Expression, LooksOutwardForNames) {
    const Scope outer = names();
    Scope inner(&outer);
    inner.set("T", std::int64_t{1});

    EXPECT_EQ(evaluate_count("T + E", inner), 9U);
    EXPECT_EQ(evaluate_count("T + E", inner.flat()), 9U);
}

TEST(ExpressionErrors, NameWhatIsWrong) {
    EXPECT_EQ(refusal_of("TT"), "TT is unknown, did you mean T?");
    EXPECT_EQ(refusal_of("TT + 1"), "'TT + 1': TT is unknown, did you mean T?");
    EXPECT_EQ(refusal_of("T +"), "'T +': a number or a name is missing at the end");
    EXPECT_EQ(refusal_of("(T"), "'(T': ')' is missing");
    EXPECT_EQ(refusal_of("T ? 1"), "'T ? 1': '? 1' is not understood");
    EXPECT_EQ(refusal_of("T / 0"), "'T / 0': division by 0");
    EXPECT_EQ(refusal_of("1 - 2"), "'1 - 2' is -1; allowed: a whole number, 0 to 4294967295");
    EXPECT_EQ(refusal_of("rate"), "'rate' is 0.5; allowed: a whole number, 0 to 4294967295");
    EXPECT_EQ(refusal_of("ceil_dif(T, 2)"),
              "'ceil_dif(T, 2)': unknown function ceil_dif, did you mean ceil_div?");
    EXPECT_EQ(refusal_of("min(T)"), "'min(T)': min takes 2 values, found 1");
    EXPECT_EQ(refusal_of("99999999999 * 99999999999"),
              "'99999999999 * 99999999999': the result does not fit in 64 bits");
    EXPECT_EQ(refusal_of(std::string(65, '(') + "1"),
              "'" + std::string(65, '(') + "1': parentheses are nested too deeply");
}

}  // namespace
}  // namespace tessera::pipeline
