// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/package.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

TEST(Package, IsTheOneThatTheProgramWasLinkedAgainst) {
    const Package package = package_on({"/usr/lib", "/opt/x/" TESSERA_LIBDIR "/tessera"});

    EXPECT_EQ(package.pass, "/opt/x/" TESSERA_LIBDIR "/tessera/tessera_kernel_pass.so");
    EXPECT_EQ(package.include_dir, "/opt/x/include");
    EXPECT_EQ(package.share_dir, "/opt/x/share/tessera");
}

TEST(Package, IsNotInFoldersThatMerelyLookLikeIt) {
    EXPECT_EQ(package_on({"/usr/lib", TESSERA_LIBDIR "/tessera", "/opt/tessera"}).pass, "");
}

class PackageAtHome : public testing::Test {
protected:
    PackageAtHome() {
        for (const char* part : {TESSERA_LIBDIR "/tessera", "include", "share/tessera"}) {
            fs::create_directories(prefix_ / part);
        }
        std::ofstream(prefix_ / TESSERA_LIBDIR "/tessera/tessera_kernel_pass.so") << "plugin";
    }
    ~PackageAtHome() override { unsetenv("TESSERA_HOME"); }

    static std::string refusal_of(const std::string& home) {
        setenv("TESSERA_HOME", home.c_str(), 1);
        try {
            static_cast<void>(find_package());
        } catch (const UsageError& error) {
            return error.what();
        }
        return "none";
    }

    const ScratchFolder folder_;
    const fs::path prefix_ = folder_.path() / "prefix";
};

TEST_F(PackageAtHome, IsTheOneThatTheEnvironmentNames) {
    setenv("TESSERA_HOME", prefix_.c_str(), 1);

    const Package package = find_package();

    EXPECT_EQ(package.pass, prefix_ / TESSERA_LIBDIR "/tessera/tessera_kernel_pass.so");
    EXPECT_EQ(package.include_dir, prefix_ / "include");
    EXPECT_EQ(package.share_dir, prefix_ / "share/tessera");
}

TEST_F(PackageAtHome, DoesNotDependOnTheWorkingDirectory) {
    EXPECT_EQ(refusal_of("prefix"), "TESSERA_HOME=prefix: allowed: an absolute path");
}

TEST_F(PackageAtHome, IsRefusedIfAPartIsMissing) {
    fs::remove(prefix_ / "share/tessera");

    EXPECT_EQ(refusal_of(prefix_), "TESSERA_HOME=" + prefix_.string() + ": there is no " +
                                       prefix_.string() + "/share/tessera");
}

// A plugin installed at `prefix`.
class PluginPlace : public testing::Test {
protected:
    PluginPlace() {
        fs::create_directories(plugin_.parent_path());
        std::ofstream(plugin_) << "plugin";
        fs::permissions(plugin_, fs::perms{0644});
    }
    [[nodiscard]] std::string refusal() const {
        try {
            require_trusted(plugin_);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "none";
    }

    const ScratchFolder folder_;
    const fs::path prefix_ = folder_.path() / "prefix";
    const fs::path plugin_ = prefix_ / "lib" / "tessera_kernel_pass.so";
};

TEST_F(PluginPlace, IsTrustedBelowAStickyFolder) {
    EXPECT_EQ(refusal(), "none") << "the temporary folder is sticky";
}

TEST_F(PluginPlace, IsRefusedIfAnybodyMayWriteTheFile) {
    fs::permissions(plugin_, fs::perms{0666});

    EXPECT_EQ(refusal(), "the compiler plugin " + plugin_.string() +
                             " is not used: everybody may write " + plugin_.string() +
                             " (mode 0666)");
}

TEST_F(PluginPlace, IsRefusedIfAnybodyMayWriteAFolderAboveIt) {
    fs::permissions(prefix_, fs::perms{0777});

    EXPECT_EQ(refusal(), "the compiler plugin " + plugin_.string() +
                             " is not used: everybody may write " + prefix_.string() +
                             " (mode 0777)");
}

TEST_F(PluginPlace, IsRefusedIfSomebodyElseOwnsIt) {
    if (chown(plugin_.c_str(), 65534, 65534) != 0) {
        GTEST_SKIP() << "only root may give files away";
    }

    EXPECT_EQ(refusal(), "the compiler plugin " + plugin_.string() +
                             " belongs to user 65534; allowed: root, you or the owner of this "
                             "program");
}

TEST_F(PluginPlace, NamesAPluginThatIsNotThere) {
    fs::remove(plugin_);

    EXPECT_EQ(refusal(), "the compiler plugin " + plugin_.string() + " cannot be used: " +
                             plugin_.string() + ": No such file or directory");
}

}  // namespace
}  // namespace tessera
