// SPDX-License-Identifier: Apache-2.0
#include "emu/base/tensor_file/safetensors_writer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

class SafetensorsWriterTest : public testing::Test {
protected:
    [[nodiscard]] std::filesystem::path path(const std::string& name = "f.safetensors") const {
        return folder_.path() / name;
    }
    [[nodiscard]] std::size_t num_files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
    }

private:
    ScratchFolder folder_;
};

std::string content_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

TEST_F(SafetensorsWriterTest, WritesTheFormatByteForByte) {
    SafetensorsWriter writer(
        path(), std::vector<TensorDeclaration>{{"a", Dtype::U8, {3}}, {"w", Dtype::U16, {1, 2}}});
    writer.append("a", bytes_of("xyz"));
    writer.append("w", bytes_of("1234"));
    writer.finish();

    const std::string json = R"({"w":{"dtype":"U16","shape":[1,2],"data_offsets":[0,4]},)"
                             R"("a":{"dtype":"U8","shape":[3],"data_offsets":[4,7]}})";
    const std::string padded = json + std::string((8 - json.size() % 8) % 8, ' ');
    const char length = static_cast<char>(padded.size());
    EXPECT_EQ(content_of(path()),
              std::string(1, length) + std::string(7, '\0') + padded + "1234xyz");
}

TEST_F(SafetensorsWriterTest, TakesPiecesOfTensorsInAnyOrder) {
    SafetensorsWriter writer(
        path(), std::vector<TensorDeclaration>{{"a", Dtype::U8, {4}}, {"b", Dtype::U8, {2}}});
    writer.append("b", bytes_of("5"));
    writer.append("a", bytes_of("123"));
    writer.append("b", bytes_of("6"));
    writer.append("a", bytes_of(""));
    writer.append("a", bytes_of("4"));
    writer.finish();

    const SafetensorsFile file(path());
    EXPECT_EQ(std::memcmp(file.at("a").bytes.data(), "1234", 4), 0);
    EXPECT_EQ(std::memcmp(file.at("b").bytes.data(), "56", 2), 0);
}

TEST_F(SafetensorsWriterTest, AlignsEveryTensorToItsElements) {
    SafetensorsWriter writer(path(), std::vector<TensorDeclaration>{{"a", Dtype::U8, {3}},
                                                                    {"b", Dtype::F32, {1}},
                                                                    {"c", Dtype::I64, {1}},
                                                                    {"d", Dtype::BF16, {1}}});
    writer.append("a", bytes_of("abc"));
    writer.append("b", bytes_of("bbbb"));
    writer.append("c", bytes_of("cccccccc"));
    writer.append("d", bytes_of("dd"));
    writer.finish();

    const SafetensorsFile file(path());
    for (const StoredTensor& tensor : file.tensors()) {
        const auto address = reinterpret_cast<std::uintptr_t>(tensor.bytes.data());
        EXPECT_EQ(address % (element_bits(tensor.dtype) / 8), 0U) << tensor.name;
    }
}

TEST_F(SafetensorsWriterTest, GivesEqualBytesForAnyOrderOfDeclaration) {
    const HostTensor one = make_host_tensor({2, 2}, DataFormat::Float32);
    const HostTensor two = make_host_tensor({3}, DataFormat::UInt32);

    write_safetensors(path("1"), {{"x", &one}, {"y", &two}}, {{"made", "here"}});
    SafetensorsWriter writer(
        path("2"),
        std::vector<TensorDeclaration>{{"y", Dtype::U32, {3}}, {"x", Dtype::F32, {2, 2}}},
        {{"made", "here"}});
    writer.append("y", two.bytes);
    writer.append("x", one.bytes);
    writer.finish();

    EXPECT_EQ(content_of(path("1")), content_of(path("2")));
    EXPECT_EQ(SafetensorsFile(path("1")).metadata().at("made"), "here");
}

TEST_F(SafetensorsWriterTest, LeavesTheOldFileAndNoOtherIfItIsNotFinished) {
    std::ofstream(path()) << "old";
    {
        SafetensorsWriter writer(path(), std::vector<TensorDeclaration>{{"a", Dtype::U8, {4}}});
        writer.append("a", bytes_of("123"));
        EXPECT_EQ(num_files(), 2U);
    }
    EXPECT_EQ(content_of(path()), "old");
    EXPECT_EQ(num_files(), 1U);
}

TEST_F(SafetensorsWriterTest, ReplacesTheOldFileWhenFinished) {
    std::ofstream(path()) << "old";

    SafetensorsWriter(path(), {}).finish();

    EXPECT_TRUE(SafetensorsFile(path()).tensors().empty());
    EXPECT_EQ(num_files(), 1U);
}

}  // namespace
}  // namespace tessera
