// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_toolchain.hpp"

#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

TEST(KernelToolchain, NamesThePackageOfAMissingCompiler) {
    const ScratchFolder empty;

    try {
        static_cast<void>(find_kernel_toolchain(empty.path().string()));
        FAIL() << "found a compiler in an empty folder";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "clang++-14 is needed to compile kernels that are not built in, and is not on "
                     "PATH; on Debian: apt-get install clang-14");
    }
}

TEST(KernelToolchain, FindsKernelsOfTheProjectFromAnyFolder) {
    const std::string kernel = "tests/unit/emu/kernel_pass/kernels/division.cpp";

    EXPECT_TRUE(std::filesystem::equivalent(find_kernel_file(kernel),
                                            std::filesystem::path(TESSERA_SOURCE_DIR) / kernel));
}

TEST(KernelToolchain, NamesThePlacesSearchedForAKernel) {
    try {
        static_cast<void>(find_kernel_file("no/such/kernel.cpp"));
        FAIL() << "found a kernel that does not exist";
    } catch (const UsageError& error) {
        const std::string message = error.what();
        EXPECT_EQ(message.find("no/such/kernel.cpp not found; searched ., " TESSERA_SOURCE_DIR ","),
                  0U)
            << message;
    }
}

}  // namespace
}  // namespace tessera
