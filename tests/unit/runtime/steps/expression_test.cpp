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
    EXPECT_EQ(refusal_of("T / 32"),
              "'T / 32': 32 does not divide 40; use ceil_div or floor_div, or ratio for a decimal");
}

TEST(Expression, SaysThatTheValueOfANameIsAWord) {
    EXPECT_EQ(refusal_of("mode - E"), "'mode - E': fused is a word, allowed: numbers");
    EXPECT_EQ(refusal_of("mod - E"), "'mod - E': mod is unknown, did you mean mode?");
}

double decimal(const std::string& text) {
    return std::get<double>(evaluate(text, names()));
}

TEST(Expression, HasPowersThatBindMoreTightlyThanASign) {
    EXPECT_EQ(evaluate_integer("-2 ** 2", names()), -4);
    EXPECT_EQ(evaluate_integer("2 ** 3 ** 2", names()), 512);
    EXPECT_EQ(evaluate_integer("3 * 2 ** 4", names()), 48);
    EXPECT_EQ(evaluate_integer("pow(T, 2)", names()), 1600);
    EXPECT_DOUBLE_EQ(decimal("T ** -1"), 0.025);
    EXPECT_DOUBLE_EQ(decimal("4 ** 0.5"), 2.0);
}

// 3^39 is above 2^53, the limit from which doubles cannot represent odd numbers.
TEST(Expression, KeepsPowersOfWholeNumbersExact) {
    EXPECT_EQ(evaluate_integer("3 ** 39", names()), 4052555153018976267);
    EXPECT_EQ(evaluate_integer("(-1) ** 99999999999", names()), -1);
    EXPECT_EQ(evaluate_integer("0 ** 99999999999", names()), 0);
}

// The values of DeepSeek-V3: 192 columns of a key, YaRN factor 40.
TEST(Expression, ComputesScalesOfModels) {
    EXPECT_DOUBLE_EQ(decimal("1 / sqrt(128 + 64)"), 0.07216878364870323);
    EXPECT_DOUBLE_EQ(decimal("192 ** -0.5 * (0.1 * ln(40) + 1) ** 2"), 0.1352337788608801);
    EXPECT_DOUBLE_EQ(decimal("ratio(1, 3)"), 1.0 / 3);
    EXPECT_DOUBLE_EQ(decimal("exp(1)"), 2.718281828459045);
    EXPECT_DOUBLE_EQ(decimal("max(rate, 1 / 4.0)"), 0.5);
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
    EXPECT_EQ(refusal_of("1.5"), "is 1.5; allowed: a whole number, 0 to 4294967295");
    EXPECT_EQ(refusal_of("rate"), "'rate' is 0.5; allowed: a whole number, 0 to 4294967295");
    EXPECT_EQ(refusal_of("ceil_dif(T, 2)"),
              "'ceil_dif(T, 2)': unknown function ceil_dif, did you mean ceil_div?");
    EXPECT_EQ(refusal_of("min(T)"), "'min(T)': min takes 2 values, found 1");
    EXPECT_EQ(refusal_of("99999999999 * 99999999999"),
              "'99999999999 * 99999999999': the result does not fit in 64 bits");
    EXPECT_EQ(refusal_of("sqrt(2, 3)"), "'sqrt(2, 3)': sqrt takes 1 value, found 2");
    EXPECT_EQ(refusal_of("sqrt(1 - 2)"), "'sqrt(1 - 2)': sqrt of -1; allowed: 0 or more");
    EXPECT_EQ(refusal_of("ln(0)"), "'ln(0)': ln of 0; allowed: more than 0");
    EXPECT_EQ(refusal_of("1 / 0.0"), "'1 / 0.0': division by 0");
    EXPECT_EQ(refusal_of("0 ** -1"), "'0 ** -1': division by 0");
    EXPECT_EQ(refusal_of("(1 - 2) ** 0.5"),
              "'(1 - 2) ** 0.5': -1 to the power of 0.5; allowed: a base of 0 or more");
    EXPECT_EQ(refusal_of("2 ** 64"), "'2 ** 64': the result does not fit in 64 bits");
    EXPECT_EQ(refusal_of("exp(1000)"),
              "'exp(1000)': the result does not fit in a decimal of 64 bits");
    EXPECT_EQ(refusal_of("min(TT, 2)"), "'min(TT, 2)': TT is unknown, did you mean T?");
    std::string powers = "1";
    for (int i = 0; i < 65; ++i) {
        powers += "**1";
    }
    EXPECT_EQ(refusal_of(powers),
              "'" + powers + "': powers are nested too deeply, allowed: 64 levels");
    EXPECT_EQ(
        refusal_of(std::string(65, '(') + "1"),
        "'" + std::string(65, '(') + "1': parentheses are nested too deeply, allowed: 64 levels");
}

}  // namespace
}  // namespace tessera::pipeline
