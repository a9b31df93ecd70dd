// SPDX-License-Identifier: Apache-2.0
// Tensors whose files hold the bytes of their pages: what goes in comes out, and means what the
// vendor's packing says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/golden/golden_file.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::pipeline {
namespace {

class PackedTensors : public ::testing::Test {
protected:
    /// Copies x, with such keys and input, and returns y as the entry of `outputs:` stores it.
    HostTensor copied(const std::string& keys, const HostTensor& input, const std::string& output) {
        write_safetensors(folder_.file("in.safetensors"), {{"x", &input}});
        return copied_from_file(keys, output);
    }
    /// The same of an input that is written already.
    HostTensor copied_from_file(const std::string& keys, const std::string& output) {
        const std::array folders{std::filesystem::path(TESSERA_SOURCE_DIR) / "configs"};
        const config::LoadedRun loaded =
            config::load_run(folder_.write("run.yaml",
                                           "mesh: {device: wormhole_n150, shape: [1, 1]}\n"
                                           "tensors:\n  x: {" +
                                               keys +
                                               "}\nsteps:\n"
                                               "  - {name: s, op: copy, in: [x], out: [y]}\n"
                                               "outputs:\n  - {tensor: y, as: y" +
                                               output + "}\n"),
                             std::vector<std::string>(), folders);
        SafetensorsWriter outputs(folder_.file("out.safetensors"), output_tensors(loaded));
        (void)run_pipeline(
            loaded, {},
            {.inputs = std::make_shared<const SafetensorsFile>(folder_.file("in.safetensors")),
             .outputs = &outputs});
        outputs.finish();
        return SafetensorsFile(folder_.file("out.safetensors")).read("y");
    }

    ScratchFolder folder_;
};

/// Bytes without a pattern that the packer would make: exponents that are too large, NaN, padding.
HostTensor any_bytes(Shape shape) {
    HostTensor bytes = make_host_tensor(std::move(shape), DataFormat::UInt8);
    for (std::size_t i = 0; i < bytes.bytes.size(); ++i) {
        bytes.bytes[i] = static_cast<std::byte>((i * 73 + i / 251) & 0xFFU);
    }
    return bytes;
}

struct PackedForm {
    const char* name;
    const char* keys;
    Shape pages;
    friend void PrintTo(const PackedForm& form, std::ostream* out) { *out << form.name; }
};

class PackedForms : public PackedTensors, public ::testing::WithParamInterface<PackedForm> {};

TEST_P(PackedForms, PassThroughARunByteByByte) {
    const HostTensor bytes = any_bytes(GetParam().pages);

    const HostTensor out =
        copied(std::string(GetParam().keys) + ", packed: true", bytes, ", packed: true");

    EXPECT_EQ(out.shape, bytes.shape);
    EXPECT_EQ(out.bytes, bytes.bytes);
}

// A tile has 1024 elements and, in block formats, 64 exponents; (40, 33) has two by two tiles.
INSTANTIATE_TEST_SUITE_P(
    Formats, PackedForms,
    ::testing::Values(
        PackedForm{"bfp8_b", "shape: [40, 33], dtype: bfp8_b, layout: tile", {4, 1088}},
        PackedForm{"bfp4_b", "shape: [40, 33], dtype: bfp4_b, layout: tile", {4, 576}},
        PackedForm{"fp8_e4m3", "shape: [40, 33], dtype: fp8_e4m3, layout: tile", {4, 1024}},
        PackedForm{"fp8_e5m2", "shape: [40, 33], dtype: fp8_e5m2, layout: tile", {4, 1024}},
        PackedForm{"bfloat16", "shape: [40, 33], dtype: bfloat16, layout: tile", {4, 2048}},
        PackedForm{"rows", "shape: [3, 64], dtype: fp8_e4m3", {3, 64}}),
    [](const auto& test) { return std::string(test.param.name); });

// Packed and unpacked by the vendor's host code, as 32-bit words.
TEST_F(PackedTensors, HaveTheValuesOfTheVendorsPacking) {
    const SafetensorsFile golden(golden::directory() + "bfp8_tiles.safetensors");

    const HostTensor out = copied("shape: [4, 32, 32], dtype: bfp8_b, layout: tile, packed: true",
                                  golden.read("packed"), "");

    EXPECT_EQ(out.bytes, golden.read("value").bytes);
}

// F4 counts codes of 4 bits; a tensor of uint8 has two of them in a byte.
TEST_F(PackedTensors, TakeCodesOfFourBits) {
    const std::vector<std::byte> codes{std::byte{0x21}, std::byte{0x43}, std::byte{0x65},
                                       std::byte{0x87}};
    SafetensorsWriter input(folder_.file("in.safetensors"),
                            std::vector<TensorDeclaration>{{"x", Dtype::F4, {2, 4}}});
    input.append("x", codes);
    input.finish();

    const HostTensor out = copied_from_file("shape: [2, 2], dtype: uint8", "");

    EXPECT_EQ(out.shape, (Shape{2, 2}));
    EXPECT_EQ(out.bytes, codes);
}

TEST_F(PackedTensors, OfAnotherSizeAreRefused) {
    EXPECT_EQ(
        usage_error_message([&] {
            (void)copied("shape: [32, 32], dtype: bfp8_b, layout: tile, packed: true",
                         any_bytes({1024}), "");
        }),
        folder_.file("in.safetensors") + ": x: 1024 B, allowed: 1088 B, packed: 1 pages of 1088 B");
}

}  // namespace
}  // namespace tessera::pipeline
