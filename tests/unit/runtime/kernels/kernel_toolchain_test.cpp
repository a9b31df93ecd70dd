// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/kernel_toolchain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

std::string refusal_of(const KernelToolchain& toolchain) {
    try {
        toolchain.require_complete();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(KernelToolchain, NamesThePackageOfAMissingCompiler) {
    const ScratchFolder empty;

    EXPECT_EQ(refusal_of(find_kernel_toolchain(empty.path().string())),
              "clang++-" TESSERA_CLANG_VERSION
              " is needed to compile kernels that are not built in, and is not on PATH; on Debian: "
              "apt-get install clang-" TESSERA_CLANG_VERSION);
}

TEST(KernelToolchain, RefusesAPlainCompilerOfAnotherVersion) {
    const ScratchFolder folder;
    for (const std::string name : {"clang++", "ld.lld"}) {
        folder.write(name, "#!/bin/sh\necho 13.0.1");
        std::filesystem::permissions(folder.path() / name, std::filesystem::perms{0700});
    }

    EXPECT_EQ(refusal_of(find_kernel_toolchain(folder.path().string())),
              folder.file("clang++") + " is version 13.0.1; allowed: " TESSERA_CLANG_VERSION
                                       ", for which the compiler plugin was built");
}

TEST(KernelToolchain, OfABuildTreeHasItsOwnPlugin) {
    EXPECT_EQ(find_kernel_toolchain("").package.pass, TESSERA_BUILT_PASS);
}

TEST(KernelToolchain, FindsKernelsOfTheProjectFromAnyFolder) {
    const std::string kernel = "tests/unit/emu/kernel_pass/kernels/division.cpp";

    EXPECT_TRUE(std::filesystem::equivalent(find_kernel_file(kernel),
                                            std::filesystem::path(TESSERA_SOURCE_DIR) / kernel));
}

TEST(KernelToolchain, NamesThePlacesSearchedForAKernel) {
    EXPECT_THAT([] { static_cast<void>(find_kernel_file("no/such/kernel.cpp")); },
                testing::ThrowsMessage<UsageError>(
                    "no/such/kernel.cpp not found; searched ., " TESSERA_SOURCE_DIR));
}

TEST(KernelToolchain, DoesNotFindAKernelWhoseNameIsTooLongForTheHost) {
    const std::string name(5000, 'k');

    EXPECT_THAT(
        [&] { static_cast<void>(find_kernel_file(name)); },
        testing::ThrowsMessage<UsageError>(name + " not found; searched ., " TESSERA_SOURCE_DIR));
}

}  // namespace
}  // namespace tessera
