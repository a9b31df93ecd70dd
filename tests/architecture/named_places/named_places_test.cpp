// SPDX-License-Identifier: Apache-2.0
// Checks that ops name their operands, and that kernels name their arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/architecture/source_files.hpp"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Expressions that take an operand by its number: context.inputs[1], context.read(0),
/// valid_elements(context, 0).
const std::regex& operand_by_number() {
    static const std::regex kPattern(
        R"re((inputs|outputs|input_plans|output_plans)\[(\w+ \? )?\d)re"
        R"re(|context\.(in|out|read|read_all|has|integers|counts|host_counts)\(\d)re"
        R"re(|\b(valid_elements|part_rows|named_table)\([^;]*context, \d)re");
    return kPattern;
}

/// Expressions that take a kernel's argument by its number.
const std::regex& argument_by_number() {
    static const std::regex kPattern(
        R"re(get_arg_val<[\w:]+>\(\d|get_compile_time_arg_val\(\d|TensorAccessorArgs<\d)re");
    return kPattern;
}

/// Returns the lines of `text` with a match, as "file:line: text".
std::vector<std::string> matches_of(const std::regex& pattern, const std::string& file,
                                    const std::string& text) {
    std::vector<std::string> found;
    std::istringstream stream(text);
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (std::regex_search(line, pattern)) {
            found.push_back(file + ":" + std::to_string(number) + ": " + line);
        }
    }
    return found;
}

std::vector<std::string> matches_below(const std::regex& pattern,
                                       const std::vector<std::string>& folders) {
    std::vector<std::string> found;
    for (const std::string& file : source_files(folders)) {
        // It turns names into positions, and the first position is 0.
        if (file != "ops/shared/kernels/named_args.hpp") {
            const std::vector<std::string> lines = matches_of(pattern, file, text_of(file));
            found.insert(found.end(), lines.begin(), lines.end());
        }
    }
    return found;
}

TEST(NamedPlaces, OpsTakeOperandsByName) {
    EXPECT_THAT(matches_below(operand_by_number(), {"ops", "examples"}), IsEmpty())
        << R"(write inputs["name"_in], outputs["name"_out], or only(kInputs) of one operand)";
}

TEST(NamedPlaces, KernelsTakeArgumentsByName) {
    EXPECT_THAT(matches_below(argument_by_number(), {"ops", "bench"}), IsEmpty())
        << "name the argument in the kernels' args.hpp";
}

TEST(NamedPlaces, FindsNumbersAndLeavesNames) {
    EXPECT_THAT(matches_of(operand_by_number(), "a.cpp",
                           "context.device_inputs[0][p]\n"
                           "context.inputs[only(kInputs)]\n"
                           "context.read(0)\n"
                           "context.inputs[gathers ? 7 : 0]\n"
                           "context.read(\"a\"_in)\n"
                           "valid_elements(context, 0)\n"
                           "shape[0]\n"),
                ElementsAre("a.cpp:1: context.device_inputs[0][p]", "a.cpp:3: context.read(0)",
                            "a.cpp:4: context.inputs[gathers ? 7 : 0]",
                            "a.cpp:6: valid_elements(context, 0)"));
    EXPECT_THAT(
        matches_of(argument_by_number(), "a.cpp",
                   "get_arg_val<uint32_t>(2)\n"
                   "get_arg_val<uint32_t>(i)\n"
                   "get_compile_time_arg_val(0)\n"
                   "TensorAccessorArgs<1>()\n"),
        ElementsAre("a.cpp:1: get_arg_val<uint32_t>(2)", "a.cpp:3: get_compile_time_arg_val(0)",
                    "a.cpp:4: TensorAccessorArgs<1>()"));
}

}  // namespace
}  // namespace tessera
