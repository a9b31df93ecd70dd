// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/compile_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kOutput =
    "a.cpp:3:5: error: use of undeclared identifier 'foo_tile'\n"
    "a.cpp:4:5: error: use of undeclared identifier 'foo_tile'; did you mean 'floor_tile'?\n"
    "a.cpp:5:5: error: no member named 'bar' in 'experimental::Noc'\n"
    "a.cpp:6:5: error: use of undeclared identifier 'NUM_BLOCKS'\n"
    "a.cpp:7:5: error: expected ';' after expression\n"
    "a.cpp:7:5: note: in the macro\n";

TEST(CompileErrors, NameEachMissingPartOnceByItsKind) {
    const CompileErrors errors = compile_errors(kOutput);

    EXPECT_THAT(errors.names, ElementsAre("foo_tile", "experimental::Noc::bar"));
    EXPECT_THAT(errors.defines, ElementsAre("NUM_BLOCKS"));
    EXPECT_THAT(errors.others, ElementsAre("a.cpp:7:5: error: expected ';' after expression"));
    EXPECT_THAT(errors.vendor_headers, IsEmpty());
}

TEST(CompileErrors, TakeDefinesThatAnAssertionAsksForAsWordsOfTheProgram) {
    const CompileErrors errors = compile_errors(
        "reduce.hpp:33:5: error: static_assert failed due to requirement 'x' \"give the reduction "
        "as template arguments or as -DREDUCE_OP and -DREDUCE_DIM\"\n"
        "a.cpp:2:5: error: static_assert failed due to requirement 'n % 2 == 0' \"odd\"\n");

    EXPECT_THAT(errors.defines, ElementsAre("REDUCE_OP", "REDUCE_DIM"));
    EXPECT_EQ(errors.others.size(), 1U);
}

TEST(CompileErrors, TakeNamespacesOfArgumentsAsWordsOfTheProgram) {
    const CompileErrors errors =
        compile_errors("a.cpp:3:5: error: use of undeclared identifier 'args'\n");

    EXPECT_THAT(errors.defines, ElementsAre("args"));
    EXPECT_THAT(errors.names, IsEmpty());
}

TEST(CompileErrors, TellFunctionsOfComputeKernelsFromMissingNames) {
    const CompileErrors errors = compile_errors(
        "a.cpp:4:5: error: use of undeclared identifier 'pack_tile'; did you mean "
        "'ckernel::pack_tile'?\n"
        "a.cpp:5:5: error: use of undeclared identifier 'pak_tile'; did you mean "
        "'ckernel::pack_tile'?\n");

    EXPECT_THAT(errors.compute_functions, ElementsAre("pack_tile"));
    EXPECT_THAT(errors.names, ElementsAre("pak_tile"));
    EXPECT_FALSE(errors.empty());
}

TEST(CompileErrors, TellHeadersOfTheVendorFromThoseOfTheUser) {
    const CompileErrors errors = compile_errors(
        "a.cpp:1:10: fatal error: 'api/socket_api.h' file not found\n"
        "b.cpp:1:10: fatal error: 'my/layout.hpp' file not found\n");

    EXPECT_THAT(errors.vendor_headers, ElementsAre("api/socket_api.h"));
    EXPECT_THAT(errors.user_headers, ElementsAre("my/layout.hpp"));
}

TEST(CompileErrors, SayWhatToDoAboutAMissingHeader) {
    CompileErrors errors;
    errors.vendor_headers = {"api/socket_api.h"};
    errors.user_headers = {"my/layout.hpp"};
    const std::vector<std::string> roots{"/home/me/kernels"};

    EXPECT_EQ(
        missing_text(errors, roots),
        "\n  'api/socket_api.h' is a header of TT-Metalium that Tessera does not have"
        "\n  'my/layout.hpp' is not a header of the kernel API; searched: the kernel's folder, "
        "/home/me/kernels. Name its root with --include DIR, `include` of the program, or "
        "TT_METAL_HOME");
}

TEST(CompileErrors, ListInstructionsOfTheChipAside) {
    const CompileErrors errors = compile_errors(
        "a.cpp:9:5: warning: TTI_SFPMAD [-W#pragma-messages]\n"
        "a.cpp:9:5: note: expanded from macro 'TTI_SFPMAD'\n");

    EXPECT_THAT(errors.instructions, ElementsAre("TTI_SFPMAD"));
    EXPECT_TRUE(errors.empty()) << "the kernel compiles";
}

TEST(CompileErrors, OfAKernelThatCompilesAreNone) {
    EXPECT_TRUE(compile_errors("").empty());
    EXPECT_EQ(missing_text({}, {}), "");
}

}  // namespace
}  // namespace tessera
