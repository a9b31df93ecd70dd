// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/safetensors.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

std::filesystem::path write_raw(const std::string& name, const std::string& json,
                                const std::string& payload) {
    static const ScratchFolder scratch;
    const auto path = scratch.path() / name;
    std::ofstream out(path, std::ios::binary);
    const std::uint64_t length = json.size();
    out.write(reinterpret_cast<const char*>(&length), 8);
    out << json << payload;
    return path;
}

TEST(SafetensorsFile, ShowsAFileWrittenByTheReferenceImplementation) {
    const SafetensorsFile file(std::string(TESSERA_SOURCE_DIR) +
                               "/tests/golden/tile_layout.safetensors");

    EXPECT_EQ(file.tensors().size(), 8U);
    EXPECT_EQ(file.at("c2.row_major").shape, (Shape{3, 33, 48}));
    EXPECT_EQ(file.at("c2.row_major").dtype, Dtype::BF16);
    EXPECT_EQ(file.at("c2.row_major").bytes.size(), 3U * 33 * 48 * 2);
    EXPECT_EQ(file.at("c3.tiled").shape, (Shape{1024}));
}

TEST(SafetensorsFile, SortsTensorsByTheirPlaceInTheFile) {
    const auto path = write_raw(
        "order.safetensors",
        R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
        R"("a":{"dtype":"U16","shape":[1,1],"data_offsets":[2,4]},"__metadata__":{"k":"v"}}  )",
        "\x01\x02\x03\x04");

    const SafetensorsFile file(path);

    ASSERT_EQ(file.tensors().size(), 2U);
    EXPECT_EQ(file.tensors()[0].name, "b");
    EXPECT_EQ(file.tensors()[1].name, "a");
    EXPECT_EQ(file.metadata(), (FileMetadata{{"k", "v"}}));
    EXPECT_EQ(file.read("a").as<std::uint16_t>()[0], 0x0403);
    EXPECT_EQ(file.read("a").format, DataFormat::UInt16);
    EXPECT_EQ(file.find("c"), nullptr);
}

TEST(SafetensorsFile, TakesEmptyTensorsAndScalars) {
    const auto path = write_raw("empty.safetensors",
                                R"({"none":{"dtype":"F32","shape":[0,7],"data_offsets":[0,0]},)"
                                R"("one":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                                R"("end":{"dtype":"F32","shape":[0],"data_offsets":[4,4]}})",
                                std::string("\0\0\x80\x3f", 4));

    const SafetensorsFile file(path);

    EXPECT_EQ(file.at("none").bytes.size(), 0U);
    EXPECT_EQ(file.read("one").as<float>()[0], 1.0F);
    EXPECT_EQ(file.tensors().back().name, "end");
}

TEST(SafetensorsFile, TakesAFileWithoutTensors) {
    EXPECT_TRUE(SafetensorsFile(write_raw("nothing.safetensors", "{}", "")).tensors().empty());
}

TEST(SafetensorsFile, KeepsItsBytesWhenMoved) {
    SafetensorsFile file(write_raw(
        "moved.safetensors", R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "A"));

    const SafetensorsFile other = std::move(file);

    EXPECT_EQ(other.at("x").bytes[0], std::byte{'A'});
}

// A parser that searches all names for each name takes minutes for this many.
TEST(SafetensorsFile, MayHaveAnyNumberOfTensors) {
    constexpr std::size_t kCount = 200000;
    std::string header = "{";
    for (std::size_t i = 0; i < kCount; ++i) {
        header += fmt::format(R"({}"t{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})",
                              i == 0 ? "" : ",", i, i, i + 1);
    }
    header += "}";

    const SafetensorsFile file(write_raw("many.safetensors", header, std::string(kCount, 'd')));

    EXPECT_EQ(file.tensors().size(), kCount);
}

}  // namespace
}  // namespace tessera
