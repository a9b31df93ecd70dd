// SPDX-License-Identifier: Apache-2.0
// Weights under a model's own names: shards, stacks, transposed matrices, codes with scales.
#include "runtime/pipeline/checkpoint_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "emu/base/bf16.hpp"
#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Stored {
    TensorDeclaration declaration;
    std::vector<std::byte> bytes;
};

template <class T>
Stored stored(const std::string& name, Dtype dtype, Shape shape, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {{name, dtype, std::move(shape)}, {bytes.begin(), bytes.end()}};
}

Stored bf16(const std::string& name, Shape shape, const std::vector<float>& values) {
    std::vector<std::uint16_t> bits;
    for (const float value : values) {
        bits.push_back(float_to_bf16(value));
    }
    return stored(name, Dtype::BF16, std::move(shape), bits);
}

void write_file(const std::string& path, const std::vector<Stored>& tensors) {
    std::vector<TensorDeclaration> declarations;
    for (const Stored& tensor : tensors) {
        declarations.push_back(tensor.declaration);
    }
    SafetensorsWriter writer(path, declarations);
    for (const Stored& tensor : tensors) {
        writer.append(tensor.declaration.name, tensor.bytes);
    }
    writer.finish();
}

PipelineTensor tensor_of(Shape shape, std::vector<std::string> names, bool transposed = false) {
    PipelineTensor tensor{.name = "w", .spec = {.shape = std::move(shape)}};
    tensor.spec.format = DataFormat::Float16_b;
    tensor.origin.kind = OriginKind::Checkpoint;
    tensor.origin.tensors = std::move(names);
    tensor.origin.transposed = transposed;
    return tensor;
}

std::vector<float> floats(const HostTensor& tensor) {
    std::vector<float> values;
    for (const std::uint16_t bits : tensor.as<std::uint16_t>()) {
        values.push_back(bf16_to_float(bits));
    }
    return values;
}

std::vector<float> read(const std::string& path, const PipelineTensor& tensor) {
    const Checkpoint files(path);
    return floats(CheckpointValues(files, tensor).all());
}

std::string message_of(const std::string& path, const PipelineTensor& tensor) {
    try {
        (void)read(path, tensor);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(CheckpointValues, JoinGateAndUpOfEachExpertFromShards) {
    const ScratchFolder folder;
    write_file(folder.file("a.safetensors"),
               {bf16("e.0.gate", {1, 2}, {1, 2}), bf16("e.0.up", {1, 2}, {3, 4})});
    write_file(folder.file("b.safetensors"),
               {bf16("e.1.gate", {1, 2}, {5, 6}), bf16("e.1.up", {1, 2}, {7, 8})});
    (void)folder.write("model.safetensors.index.json", R"({"weight_map": {
        "e.0.gate": "a.safetensors", "e.0.up": "a.safetensors",
        "e.1.gate": "b.safetensors", "e.1.up": "b.safetensors"}})");
    const PipelineTensor tensor = tensor_of({2, 2, 2}, {"e.*.gate", "e.*.up"});

    EXPECT_THAT(read(folder.path(), tensor), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));

    const Checkpoint files(folder.path());
    const std::array<std::uint32_t, 1> second{1};
    EXPECT_THAT(floats(CheckpointValues(files, tensor).slices(second)), ElementsAre(5, 6, 7, 8));
}

TEST(CheckpointValues, TurnStackedMatrices) {
    const ScratchFolder folder;
    const std::string file = folder.file("model.safetensors");
    write_file(file, {bf16("down", {2, 3, 2}, {1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12})});

    EXPECT_THAT(read(folder.path(), tensor_of({2, 2, 3}, {"down"}, true)),
                ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

// 0x38 is 1 in e4m3, 0x40 is 2. Row 128 is in the second block of rows.
TEST(CheckpointValues, MultiplyFp8CodesByTheScalesOfTheirBlocks) {
    const ScratchFolder folder;
    std::vector<std::uint8_t> codes(129, 0x38);
    codes[1] = 0x40;
    write_file(folder.file("model.safetensors"),
               {stored("w", Dtype::F8_E4M3, {129, 1}, codes),
                stored("w_scale_inv", Dtype::F32, {2, 1}, std::vector<float>{0.5F, 4.F})});

    const auto values = read(folder.path(), tensor_of({129, 1}, {"w"}));

    EXPECT_EQ(values[0], 0.5F);
    EXPECT_EQ(values[1], 1.F);
    EXPECT_EQ(values[127], 0.5F);
    EXPECT_EQ(values[128], 4.F);
}

// The low nibble is the even column; code 1 is 0.5, 7 is 6, 9 is -0.5; the scale is 2^(128-127).
TEST(CheckpointValues, ConvertMxfp4) {
    const ScratchFolder folder;
    std::vector<std::uint8_t> codes(16, 0);
    codes[0] = 0x71;
    codes[15] = 0x90;
    write_file(folder.file("model.safetensors"),
               {stored("w_blocks", Dtype::U8, {1, 1, 16}, codes),
                stored("w_scales", Dtype::U8, {1, 1}, std::vector<std::uint8_t>{128})});

    const auto values = read(folder.path(), tensor_of({1, 32}, {"w"}));

    EXPECT_EQ(values[0], 1.F);
    EXPECT_EQ(values[1], 12.F);
    EXPECT_EQ(values[30], 0.F);
    EXPECT_EQ(values[31], -1.F);
}

// 0x71 is 0.5 and 6, 0x90 is 0 and -0.5; e4m3 0x40 is 2 and 0x38 is 1.
TEST(CheckpointValues, ConvertNvfp4UnderBothNames) {
    const ScratchFolder folder;
    std::vector<std::uint8_t> codes(16, 0);
    codes[0] = 0x71;
    codes[15] = 0x90;
    const std::vector<std::uint8_t> scales{0x40, 0x38};
    write_file(
        folder.file("model.safetensors"),
        {stored("w", Dtype::U8, {1, 16}, codes), stored("w_scale", Dtype::F8_E4M3, {1, 2}, scales),
         stored("w_scale_2", Dtype::F32, {}, std::vector<float>{0.25F}),
         stored("v_packed", Dtype::U8, {1, 16}, codes),
         stored("v_scale", Dtype::F8_E4M3, {1, 2}, scales),
         stored("v_global_scale", Dtype::F32, {1}, std::vector<float>{4.F})});

    for (const char* name : {"w", "v"}) {
        const auto values = read(folder.path(), tensor_of({1, 32}, {name}));

        EXPECT_EQ(values[0], 0.25F);
        EXPECT_EQ(values[1], 3.F);
        EXPECT_EQ(values[30], 0.F);
        EXPECT_EQ(values[31], -0.125F);
    }
}

Stored number(const std::string& name, float value) {
    return stored(name, Dtype::F32, {}, std::vector<float>{value});
}

/// A tensor of single numbers.
PipelineTensor numbers_of(std::uint32_t count, std::vector<std::string> names) {
    PipelineTensor tensor = tensor_of({count}, std::move(names));
    tensor.spec.format = DataFormat::Float32;
    return tensor;
}

TEST(CheckpointValues, TakeANumberOfEachExpertOrTheLargestOfAll) {
    const ScratchFolder folder;
    write_file(folder.file("model.safetensors"),
               {number("e.0.gate", 0.5F), number("e.0.up", 0.5F), number("e.1.gate", 0.25F),
                number("e.1.up", 0.25F)});
    const Checkpoint files(folder.path());
    PipelineTensor each = numbers_of(2, {"e.*.gate", "e.*.up"});
    PipelineTensor one = numbers_of(1, {"e.*.gate", "e.*.up"});
    one.origin.largest = true;

    const auto values_of = [&](const PipelineTensor& tensor) {
        const HostTensor all = CheckpointValues(files, tensor).all();
        return std::vector<float>(all.as<float>().begin(), all.as<float>().end());
    };

    EXPECT_THAT(values_of(each), ElementsAre(0.5F, 0.25F));
    EXPECT_THAT(values_of(one), ElementsAre(0.5F));
    one.origin.inverse = true;
    EXPECT_THAT(values_of(one), ElementsAre(4.F));
}

TEST(CheckpointMistakes, NameNumbersOfGateAndUpThatDiffer) {
    const ScratchFolder folder;
    const std::string file = folder.file("model.safetensors");
    write_file(file, {number("e.0.gate", 0.5F), number("e.0.up", 0.25F)});

    EXPECT_EQ(message_of(folder.path(), numbers_of(1, {"e.*.gate", "e.*.up"})),
              file +
                  ": e.0.up gives 0.25, and e.0.gate gives 0.5; allowed: one number for the rows "
                  "of a matrix; --set params.quantisation=none converts each by its own");
}

TEST(CheckpointMistakes, NameScalesOfNvfp4OfAnotherShape) {
    const ScratchFolder folder;
    write_file(folder.file("model.safetensors"),
               {stored("w", Dtype::U8, {1, 16}, std::vector<std::uint8_t>(16, 0)),
                stored("w_scale", Dtype::F8_E4M3, {1, 1}, std::vector<std::uint8_t>{0x38}),
                number("w_scale_2", 1.F)});

    EXPECT_EQ(message_of(folder.path(), tensor_of({1, 32}, {"w"})),
              folder.file("model.safetensors") +
                  ": w_scale: F8_E4M3 (1,1), allowed: F8_E4M3 (1,2), one for 16 of 32 columns");
}

/// The bytes of a tensor that keeps codes of that format.
std::vector<std::byte> codes_of(const std::string& path, PipelineTensor tensor, DataFormat format,
                                std::span<const std::uint32_t> indices) {
    tensor.spec.format = format;
    const Checkpoint files(path);
    return CheckpointValues(files, tensor).slices(indices).bytes;
}

TEST(CheckpointValues, KeepCodesOfGateAndUpAsTheyAreStored) {
    const ScratchFolder folder;
    const auto codes = [](const char* name, std::uint8_t first, std::uint8_t second) {
        return stored(name, Dtype::F8_E4M3, {1, 2}, std::vector<std::uint8_t>{first, second});
    };
    write_file(folder.file("model.safetensors"),
               {codes("e.0.gate", 1, 2), codes("e.0.up", 3, 4), codes("e.1.gate", 5, 0x7F),
                codes("e.1.up", 0x80, 8)});
    const std::array<std::uint32_t, 1> second{1};

    EXPECT_THAT(codes_of(folder.path(), tensor_of({2, 2, 2}, {"e.*.gate", "e.*.up"}),
                         DataFormat::Fp8_e4m3, second),
                ElementsAre(std::byte{5}, std::byte{0x7F}, std::byte{0x80}, std::byte{8}));
}

// Two experts of a row with one block of 32 columns: 16 bytes each.
TEST(CheckpointValues, KeepBlocksOfMxfp4AsRowsOfBytes) {
    const ScratchFolder folder;
    std::vector<std::uint8_t> codes(32);
    std::iota(codes.begin(), codes.end(), std::uint8_t{100});
    write_file(folder.file("model.safetensors"),
               {stored("w_blocks", Dtype::U8, {2, 1, 1, 16}, codes)});
    const std::array<std::uint32_t, 1> second{1};

    const auto kept =
        codes_of(folder.path(), tensor_of({2, 1, 16}, {"w_blocks"}), DataFormat::UInt8, second);

    ASSERT_EQ(kept.size(), 16U);
    EXPECT_EQ(kept.front(), std::byte{116});
    EXPECT_EQ(kept.back(), std::byte{131});
}

TEST(CheckpointMistakes, NameCodesOfAnotherDtype) {
    const ScratchFolder folder;
    write_file(folder.file("model.safetensors"), {bf16("w", {1, 2}, {1, 2})});
    PipelineTensor tensor = tensor_of({1, 2}, {"w"});
    tensor.spec.format = DataFormat::Fp8_e4m3;

    EXPECT_EQ(message_of(folder.path(), tensor),
              folder.file("model.safetensors") +
                  ": w: dtype BF16, allowed: F8_E4M3, as the tensor w keeps codes");
}

// 0x3C00 is 1 in IEEE half, 0xC000 is -2, 0x0001 is 2^-24.
TEST(CheckpointValues, ConvertHalves) {
    const ScratchFolder folder;
    write_file(folder.file("model.safetensors"),
               {stored("w", Dtype::F16, {3}, std::vector<std::uint16_t>{0x3C00, 0xC000, 0x0001})});

    EXPECT_THAT(read(folder.path(), tensor_of({3}, {"w"})),
                ElementsAre(1.F, -2.F, 1.F / 16777216.F));
}

TEST(CheckpointMistakes, NameFileTensorAndShape) {
    const ScratchFolder folder;
    const std::string file = folder.file("model.safetensors");
    write_file(file, {bf16("gate.weight", {1, 2}, {1, 2}),
                      stored("ids", Dtype::I64, {1, 2}, std::vector<std::int64_t>{1, 2})});

    EXPECT_EQ(message_of(folder.path(), tensor_of({1, 3}, {"gate.weight"})),
              file + ": gate.weight: shape (1,2), allowed: (1,3)");
    EXPECT_EQ(message_of(folder.path(), tensor_of({1, 2}, {"gate.weights"})),
              file + ": tensor gate.weights is missing; nearest: gate.weight");
    EXPECT_EQ(message_of(folder.path(), tensor_of({1, 2}, {"ids"})),
              file + ": ids: dtype I64, allowed: BF16, F16, F32, F8_E4M3, I8");
}

TEST(CheckpointMistakes, NameShardsThatAreMissingOrLackATensor) {
    const ScratchFolder folder;
    const std::string index = folder.file("model.safetensors.index.json");
    write_file(folder.file("a.safetensors"), {bf16("x", {1}, {1})});
    (void)folder.write("model.safetensors.index.json",
                       R"({"weight_map": {"w": "a.safetensors", "v": "gone.safetensors"}})");

    EXPECT_EQ(message_of(folder.path(), tensor_of({1}, {"v"})),
              folder.file("gone.safetensors") + ": missing; " + index + " has v in it");
    EXPECT_EQ(
        message_of(folder.path(), tensor_of({1}, {"w"})),
        folder.file("a.safetensors") + ": tensor w is missing, which " + index + " has in it");
}

TEST(CheckpointMistakes, NameFoldersWithoutAModel) {
    const ScratchFolder folder;

    EXPECT_EQ(message_of(folder.path(), tensor_of({1}, {"w"})),
              folder.path().string() +
                  ": holds neither model.safetensors.index.json nor model.safetensors");
    (void)folder.write("model.safetensors.index.json", "{\"metadata\": {}}");
    EXPECT_EQ(message_of(folder.path(), tensor_of({1}, {"w"})),
              folder.file("model.safetensors.index.json") +
                  ": has no weight_map; allowed: {\"weight_map\": {tensor: file}}");
    EXPECT_EQ(message_of(folder.file("no"), tensor_of({1}, {"w"})),
              folder.file("no") + ": no such folder or file");
}

TEST(CheckpointMistakes, NameScalesOfAnotherShape) {
    const ScratchFolder folder;
    write_file(folder.file("model.safetensors"),
               {stored("w", Dtype::F8_E4M3, {129, 1}, std::vector<std::uint8_t>(129, 0x38)),
                stored("w_scale_inv", Dtype::F32, {3, 1}, std::vector<float>{1, 1, 1})});

    EXPECT_THAT(message_of(folder.path(), tensor_of({129, 1}, {"w"})),
                HasSubstr(": w_scale_inv: F32 (3,1), allowed: F32 or BF16 with 2 scales of 128 × "
                          "128 blocks, 129 of rows, or 1"));
}

}  // namespace
}  // namespace tessera::pipeline
