// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "emu/base/tensor_file/safetensors.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera {
namespace {

std::string with_length(std::uint64_t length, const std::string& rest) {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + rest;
}

struct BadFile {
    std::string name;
    std::string bytes;
    std::string message;  ///< without the leading "<path>: "
};

std::string json_file(const std::string& json, std::size_t data_bytes) {
    return with_length(json.size(), json + std::string(data_bytes, 'd'));
}

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets,
                std::size_t data_bytes) {
    return json_file(R"({"x":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" +
                         offsets + "}}",
                     data_bytes);
}

std::string two_u8(const std::string& first, const std::string& second, std::size_t data_bytes) {
    return json_file(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + first +
                         R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + second + "}}",
                     data_bytes);
}

const char* const kDtypes =
    "BOOL, U8, I8, F8_E4M3, F8_E5M2, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64, F4, "
    "F6_E2M3, F6_E3M2, F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ, C64";

std::vector<BadFile> bad_files() {
    return {
        {"Empty", "", "0 bytes; a safetensors file starts with 8 bytes of header length"},
        {"SevenBytes", "1234567",
         "7 bytes; a safetensors file starts with 8 bytes of header length"},
        {"NumpyFile", std::string("\x93NUMPY\x01\0\x76\0", 10),
         "is a .npy file of NumPy; allowed: a safetensors file, as save_file of safetensors.numpy "
         "or safetensors.torch writes it"},
        {"ZipArchive", std::string("PK\x03\x04\x14\0\0\0\x08\0", 10),
         "is a ZIP archive, as .npz and .pt files are; allowed: a safetensors file, as save_file "
         "of "
         "safetensors.numpy or safetensors.torch writes it"},
        {"LengthBeyondTheFile", with_length(100, "{}"),
         "header length 100 goes beyond the file, which has 2 bytes behind the length"},
        {"LengthAboveTheLimit", with_length(~std::uint64_t{0}, "{}"),
         "header length 18446744073709551615 is above the limit of 100000000"},
        {"NoHeader", with_length(0, ""), "header: does not start with '{', allowed: a JSON object"},
        {"HeaderIsAnArray", json_file("[]", 0),
         "header: does not start with '{', allowed: a JSON object"},
        {"NotJson", json_file("{\"x\":!}", 0), "header is not JSON: error at its byte 6 of 7"},
        {"JsonThatEndsEarly", json_file("{\"x\":", 0),
         "header is not JSON: error at its byte 6 of 5"},
        {"TextBehindTheJson", json_file("{} x", 0), "header is not JSON: error at its byte 4 of 4"},
        {"NumberThatNoDoubleHolds", one("\"U8\"", "[1e400]", "[0,2]", 2),
         "header has the number 1e400 at its byte 33, which is out of range"},
        {"NameTwice",
         json_file(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                   R"("x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                   1),
         "header has the key \"x\" twice; names are unique"},
        {"MemberTwice", json_file(R"({"x":{"dtype":"U8","dtype":"I8"}})", 1),
         "header has the key \"dtype\" twice; names are unique"},
        {"EntryIsANumber", json_file(R"({"x":3})", 0),
         "tensor x: entry: number, allowed: an object"},
        {"UnknownKey", json_file(R"({"x":{"dtype":"U8","shape":[0],"offsets":[0,0]}})", 0),
         "tensor x: unknown key: \"offsets\", allowed: dtype, shape, data_offsets"},
        {"NoDtype", json_file(R"({"x":{"shape":[0],"data_offsets":[0,0]}})", 0),
         "tensor x: dtype is missing"},
        {"NoShape", json_file(R"({"x":{"dtype":"U8","data_offsets":[0,0]}})", 0),
         "tensor x: shape is missing"},
        {"NoOffsets", json_file(R"({"x":{"dtype":"U8","shape":[0]}})", 0),
         "tensor x: data_offsets is missing"},
        {"UnknownDtype", one("\"BF17\"", "[1]", "[0,2]", 2),
         std::string("tensor x: unknown dtype: \"BF17\", allowed: ") + kDtypes},
        {"DtypeIsANumber", one("16", "[1]", "[0,2]", 2),
         "tensor x: dtype: number, allowed: a string"},
        {"ShapeIsANumber", one("\"U8\"", "2", "[0,2]", 2),
         "tensor x: shape: number, allowed: an array"},
        {"NegativeExtent", one("\"U8\"", "[-2]", "[0,2]", 2),
         "tensor x: extent of shape: -2, allowed: integers from 0 to 4294967295"},
        {"FractionalExtent", one("\"U8\"", "[2.5]", "[0,2]", 2),
         "tensor x: extent of shape: 2.5, allowed: integers from 0 to 4294967295"},
        {"HugeExtent", one("\"U8\"", "[4294967296]", "[0,2]", 2),
         "tensor x: data_offsets [0, 2] hold 2 bytes, but shape (4294967296) of U8 takes "
         "4294967296"},
        {"HugeExtentBeyond64Bits", one("\"U8\"", "[18446744073709551615,2]", "[0,2]", 2),
         "tensor x: shape (18446744073709551615,2) of U8 takes 2^64 bytes or more"},
        {"PackedSizeIsNotTheShapes", one("\"F4\"", "[2,3]", "[0,2]", 2),
         "tensor x: data_offsets [0, 2] hold 2 bytes, but shape (2,3) of F4 takes 3"},
        {"PackedElementsDoNotFillBytes", one("\"F6_E2M3\"", "[3]", "[0,3]", 3),
         "tensor x: shape (3) of F6_E2M3 takes 18 bits; allowed: whole bytes"},
        {"NestedExtent", one("\"U8\"", "[[2]]", "[0,2]", 2),
         "tensor x: extent of shape: an array, allowed: integers from 0 to 4294967295"},
        {"ShapeBeyond64Bits", one("\"U8\"", "[4294967295,4294967295,2]", "[0,2]", 2),
         "tensor x: shape (4294967295,4294967295,2) of U8 takes 2^64 bytes or more"},
        {"ThreeOffsets", one("\"U8\"", "[2]", "[0,1,2]", 2),
         "tensor x: data_offsets: an array of 3, allowed: [begin, end] in bytes"},
        {"OffsetsAreAString", one("\"U8\"", "[2]", "\"0,2\"", 2),
         "tensor x: data_offsets: \"0,2\", allowed: [begin, end] in bytes"},
        {"NegativeOffset", one("\"U8\"", "[2]", "[-1,1]", 2),
         "tensor x: data_offsets: -1, allowed: integers from 0 up"},
        {"OffsetsOutsideTheData", one("\"U8\"", "[4]", "[0,4]", 3),
         "tensor x: data_offsets [0, 4] lie outside the 3 bytes of data"},
        {"OffsetsBackwards", one("\"U8\"", "[2]", "[2,0]", 2),
         "tensor x: data_offsets [2, 0] lie outside the 2 bytes of data"},
        {"SizeIsNotTheShapes", one("\"BF16\"", "[2,3]", "[0,10]", 10),
         "tensor x: data_offsets [0, 10] hold 10 bytes, but shape (2,3) of BF16 takes 12"},
        {"Overlap", two_u8("[0,2]", "[1,3]", 3),
         "tensor b: data_offsets [1, 3] overlap the tensor before, which ends at 2"},
        {"SamePlaceTwice", two_u8("[0,2]", "[0,2]", 2),
         "tensor b: data_offsets [0, 2] overlap the tensor before, which ends at 2"},
        {"HoleAtTheStart", one("\"U8\"", "[2]", "[1,3]", 3),
         "tensor x: data_offsets [1, 3] leave a hole from byte 0 on"},
        {"HoleBetween", two_u8("[0,2]", "[3,5]", 5),
         "tensor b: data_offsets [3, 5] leave a hole from byte 2 on"},
        {"RestBehind", one("\"U8\"", "[2]", "[0,2]", 5),
         "3 of the 5 bytes of data belong to no tensor"},
        {"DataWithoutTensors", json_file("{}", 4), "4 of the 4 bytes of data belong to no tensor"},
        {"MetadataIsAString", json_file(R"({"__metadata__":"v"})", 0),
         "__metadata__: string, allowed: an object of strings"},
        {"MetadataHoldsANumber", json_file(R"({"__metadata__":{"k":1}})", 0),
         "__metadata__ \"k\": number, allowed: a string"},
    };
}

class BadSafetensors : public testing::TestWithParam<BadFile> {};

TEST_P(BadSafetensors, IsRefusedByName) {
    const ScratchFolder scratch;
    const auto path = scratch.path() / "bad.safetensors";
    std::ofstream(path, std::ios::binary) << GetParam().bytes;

    EXPECT_EQ(usage_error_message([&] { SafetensorsFile file(path); }),
              path.string() + ": " + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Table, BadSafetensors, testing::ValuesIn(bad_files()),
                         [](const auto& test) { return test.param.name; });

TEST(TruncatedSafetensors, IsRefusedAtEveryLength) {
    const std::string whole = two_u8("[0,2]", "[2,4]", 4);
    const ScratchFolder scratch;
    const auto path = scratch.path() / "truncated.safetensors";

    for (std::size_t length = 0; length < whole.size(); ++length) {
        std::ofstream(path, std::ios::binary) << whole.substr(0, length);
        EXPECT_NE(usage_error_message([&] { SafetensorsFile file(path); }), "(nothing thrown)")
            << length;
    }
}

TEST(NestedSafetensors, IsRefusedAtAnyDepth) {
    const std::string deep(1 << 20, '[');
    const ScratchFolder scratch;
    const auto path = scratch.path() / "deep.safetensors";
    std::ofstream(path, std::ios::binary)
        << one("\"U8\"", "[" + deep + std::string(deep.size(), ']') + "]", "[0,2]", 2);

    EXPECT_EQ(usage_error_message([&] { SafetensorsFile file(path); }),
              path.string() +
                  ": tensor x: extent of shape: an array, allowed: integers from 0 to "
                  "4294967295");
}

TEST(SafetensorsFileErrors, PathsThatAreNoFile) {
    EXPECT_EQ(usage_error_message([] { SafetensorsFile file("/nowhere/x.safetensors"); }),
              "/nowhere/x.safetensors: cannot open: No such file or directory");
    EXPECT_EQ(usage_error_message([] { SafetensorsFile file("/"); }),
              "/: is a folder, allowed: a regular file");
}

TEST(SafetensorsFileErrors, TensorsThatAreMissingOrForeign) {
    const ScratchFolder scratch;
    const auto path = scratch.path() / "foreign.safetensors";
    std::ofstream(path, std::ios::binary) << one("\"I64\"", "[1]", "[0,8]", 8);
    const SafetensorsFile file(path);

    EXPECT_EQ(usage_error_message([&] { (void)file.at("y"); }),
              path.string() + ": tensor y is missing; the file has: x");
    EXPECT_EQ(usage_error_message([&] { (void)file.read("x"); }),
              path.string() +
                  ": tensor x: dtype without a device format: I64, allowed: U8, F8_E4M3, F8_E5M2, "
                  "U16, BF16, U32, I32, F32");
}

// Each other tensor of the file can be read.
TEST(SafetensorsFileErrors, TensorsThatCannotBeRead) {
    const ScratchFolder scratch;
    const auto path = scratch.path() / "scales.safetensors";
    std::ofstream(path, std::ios::binary)
        << json_file(R"({"f4":{"dtype":"F4","shape":[4],"data_offsets":[0,2]},)"
                     R"("f6":{"dtype":"F6_E3M2","shape":[4],"data_offsets":[2,5]},)"
                     R"("e8":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[5,6]},)"
                     R"("c":{"dtype":"C64","shape":[1],"data_offsets":[6,14]},)"
                     R"("huge":{"dtype":"U8","shape":[0,5000000000],"data_offsets":[14,14]},)"
                     R"("x":{"dtype":"U8","shape":[2],"data_offsets":[14,16]}})",
                     16);

    const SafetensorsFile file(path);

    EXPECT_EQ(file.read("x").as<std::uint8_t>()[1], 'd');
    for (const std::string name : {"f4", "f6", "e8", "c"}) {
        EXPECT_NE(usage_error_message([&] {
                      (void)file.read(name);
                  }).find(name + ": dtype without a device format: "),
                  std::string::npos);
    }
    EXPECT_EQ(usage_error_message([&] { (void)file.at("huge"); }),
              path.string() +
                  ": tensor huge: extent of shape: 5000000000, allowed: integers from 0 to "
                  "4294967295");
}

}  // namespace
}  // namespace tessera
