// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

std::filesystem::path out_path() {
    static const ScratchFolder scratch;
    return scratch.path() / "x.safetensors";
}

TEST(SafetensorsWriterErrors, NamesTwiceOrReserved) {
    const std::vector<TensorDeclaration> twice{{"x", Dtype::U8, {1}}, {"x", Dtype::U8, {1}}};
    const std::vector<TensorDeclaration> reserved{{"__metadata__", Dtype::U8, {1}}};

    EXPECT_EQ(usage_error_message([&] { SafetensorsWriter writer(out_path(), twice); }),
              out_path().string() + ": tensor x is declared twice; names are unique");
    EXPECT_EQ(usage_error_message([&] { SafetensorsWriter writer(out_path(), reserved); }),
              out_path().string() +
                  ": a tensor is named __metadata__, which the format keeps for itself");
}

TEST(SafetensorsWriterErrors, BytesThatDoNotFitTheDeclaration) {
    const std::vector<TensorDeclaration> one{{"x", Dtype::BF16, {1, 3}}};
    const std::vector<std::byte> bytes(8);
    SafetensorsWriter writer(out_path(), one);
    writer.append("x", std::span(bytes).first(4));

    EXPECT_EQ(usage_error_message([&] { writer.append("y", bytes); }),
              out_path().string() + ": tensor y was not declared");
    EXPECT_EQ(usage_error_message([&] { writer.append("x", std::span(bytes).first(3)); }),
              out_path().string() +
                  ": tensor x: 3 bytes more after 4 exceed the 6 of shape (1,3) of BF16");
    EXPECT_EQ(usage_error_message([&] { writer.finish(); }),
              out_path().string() + ": tensor x got 4 of its 6 bytes");
}

TEST(SafetensorsWriterErrors, FolderThatIsNotThere) {
    const std::string message =
        usage_error_message([] { SafetensorsWriter writer("/nowhere/x.safetensors", {}); });

    EXPECT_EQ(message.find("/nowhere/x.safetensors: cannot be created: "), 0U);
    EXPECT_NE(message.find(": No such file or directory"), std::string::npos);
}

TEST(SafetensorsWriterErrors, BlockFormats) {
    const HostTensor tensor{{32, 32}, DataFormat::Bfp8_b, {}};

    EXPECT_EQ(
        usage_error_message([&] {
            write_safetensors(out_path(), {{"x", &tensor}});
        }),
        "safetensors: format without a dtype: bfp8_b, allowed: BOOL, U8, I8, F8_E4M3, F8_E5M2, "
        "U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64, F4, F6_E2M3, F6_E3M2, F8_E8M0, "
        "F8_E4M3FNUZ, F8_E5M2FNUZ, C64");
}

}  // namespace
}  // namespace tessera
