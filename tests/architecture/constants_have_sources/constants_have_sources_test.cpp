// SPDX-License-Identifier: Apache-2.0
// Each number of configs/arch has a source. Reads the YAML itself, not through runtime/config, to
// find binders that do not require a source.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cctype>
#include <filesystem>
#include <ostream>

namespace tessera {
namespace {

const std::filesystem::path kArchs = std::filesystem::path(TESSERA_SOURCE_DIR) / "configs" / "arch";

bool is_number(const YAML::Node& scalar) {
    const std::string text = scalar.Scalar();
    return scalar.Tag() != "!" && !text.empty() && (text[0] == '-' || std::isdigit(text[0]) != 0);
}

bool has_source(const YAML::Node& map) {
    const YAML::Node source = map["source"];
    if (!source || !source.IsScalar() || source.Scalar().empty()) {
        return false;
    }
    const std::string text = source.Scalar();
    const std::string assumed = "assumed — ";
    return !text.starts_with("assumed") ||
           (text.starts_with(assumed) && text.size() > assumed.size());
}

/// Fails for each number below `node` that has no map with a source above it. Returns the number of
/// numbers.
int check(const YAML::Node& node, const std::string& path) {
    if (node.IsMap() && node["value"] && has_source(node)) {
        return 1;
    }
    int count = 0;
    if (node.IsScalar() && is_number(node)) {
        ADD_FAILURE() << path << ": " << node.Scalar() << " has no source";
    }
    if (node.IsMap()) {
        for (const auto& entry : node) {
            count += check(entry.second, path + "." + entry.first.Scalar());
        }
    }
    if (node.IsSequence()) {
        for (const auto& element : node) {
            count += check(element, path + "[]");
        }
    }
    return count;
}

TEST(ArchFiles, HaveASourceForEveryNumber) {
    int num_files = 0;
    for (const auto& file : std::filesystem::directory_iterator(kArchs)) {
        ++num_files;
        const std::string path = file.path().string();
        EXPECT_GE(check(YAML::LoadFile(path), file.path().filename().string()), 30) << path;
    }
    EXPECT_GE(num_files, 2);
}

/// Fails for each assumed constant below `node` that states no range. Returns the number of assumed
/// constants.
int check_ranges(const YAML::Node& node, const std::string& path) {
    if (!node.IsMap()) {
        return 0;
    }
    if (node["value"]) {
        const bool is_assumed = node["source"].Scalar().starts_with("assumed");
        EXPECT_TRUE(!is_assumed || node["range"]) << path << " is assumed and has no range";
        return is_assumed ? 1 : 0;
    }
    int count = 0;
    for (const auto& entry : node) {
        count += check_ranges(entry.second, path + "." + entry.first.Scalar());
    }
    return count;
}

// Intervals are computed from ranges: an assumption without a range would count as exact.
TEST(ArchFiles, HaveARangeForEveryAssumedConstantOfTime) {
    for (const auto& file : std::filesystem::directory_iterator(kArchs)) {
        const std::string path = file.path().string();
        EXPECT_GE(check_ranges(YAML::LoadFile(path)["timing"], "timing"), 20) << path;
    }
}

TEST(ArchFiles, WithoutASourceWouldShow) {
    EXPECT_FALSE(has_source(YAML::Load("{value: 3}")));
    EXPECT_FALSE(has_source(YAML::Load("{value: 3, source: assumed}")));
    EXPECT_TRUE(has_source(YAML::Load("{value: 3, source: assumed — no one says}")));
    EXPECT_TRUE(is_number(YAML::Load("3 KiB")));
    EXPECT_FALSE(is_number(YAML::Load("wormhole")));
}

}  // namespace
}  // namespace tessera
