// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/emulated_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tessera/errors.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera {
namespace {

HostTensor counting(const Shape& shape) {
    HostTensor tensor = make_host_tensor(shape, DataFormat::UInt16);
    auto values = tensor.as<std::uint16_t>();
    std::iota(values.begin(), values.end(), std::uint16_t{1});
    return tensor;
}

class EmulatedSessionTensors : public ::testing::TestWithParam<TensorSpec> {};

TEST_P(EmulatedSessionTensors, GiveBackWhatWasWrittenWhateverWasThere) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    for (const BufferType type : {BufferType::DRAM, BufferType::L1}) {
        const DeviceTensor tensor = session.allocate(0, "values", GetParam(), type);
        session.fill(tensor, std::byte{0xFF});

        session.write(tensor, counting(GetParam().shape));

        EXPECT_EQ(session.read(tensor).bytes, counting(GetParam().shape).bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, EmulatedSessionTensors,
    ::testing::Values(TensorSpec{{1, 1}, DataFormat::UInt16, Layout::ROW_MAJOR},
                      TensorSpec{{31, 33}, DataFormat::UInt16, Layout::TILE},
                      TensorSpec{{3, 40, 80}, DataFormat::UInt16, Layout::TILE},
                      TensorSpec{{3, 40, 80}, DataFormat::UInt16, Layout::ROW_MAJOR},
                      TensorSpec{{32, 32}, DataFormat::UInt16, Layout::TILE}));

// Numbers with few bits: 16 in a row share an exponent and are exact in 7 bits of magnitude.
TEST(EmulatedSession, BlockFormatsTakeAndGiveFloats) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    HostTensor values = make_host_tensor({40, 33}, DataFormat::Float32);
    for (std::size_t i = 0; i < values.as<float>().size(); ++i) {
        values.as<float>()[i] = static_cast<float>(i % 100) - 50;
    }
    const DeviceTensor tensor = session.allocate(
        0, "values", {values.shape, DataFormat::Bfp8_b, Layout::TILE}, BufferType::DRAM);

    session.write(tensor, values);

    EXPECT_EQ(session.read(tensor).format, DataFormat::Float32);
    EXPECT_EQ(session.read(tensor).bytes, values.bytes);
}

// The largest value of the block is 127, so its unit is 1: halves round to even.
TEST(EmulatedSession, BlockFormatsRoundToTheUnitOfTheirBlock) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    HostTensor values = make_host_tensor({1, 16}, DataFormat::Float32);
    values.as<float>()[0] = 127;
    values.as<float>()[1] = 2.5F;
    values.as<float>()[2] = 3.5F;
    values.as<float>()[3] = 0.25F;
    const DeviceTensor tensor = session.allocate(
        0, "values", {values.shape, DataFormat::Bfp8_b, Layout::TILE}, BufferType::DRAM);

    session.write(tensor, values);

    const HostTensor read = session.read(tensor);
    EXPECT_EQ(std::vector<float>(read.as<float>().begin(), read.as<float>().begin() + 4),
              (std::vector<float>{127, 2, 4, 0}));
}

TEST(EmulatedSession, ABlockFormatTakesNoOtherFormatThanFloat32) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    const DeviceTensor tensor = session.allocate(
        0, "values", {{32, 32}, DataFormat::Bfp8_b, Layout::TILE}, BufferType::DRAM);

    try {
        session.write(tensor, make_host_tensor({32, 32}, DataFormat::Float16_b));
        FAIL() << "bfloat16 values went into a bfp8_b tensor";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "writing a tensor (32,32) of bfloat16 into a device tensor (32,32) of bfp8_b, "
                     "whose values are float32 on the host");
    }
}

TEST(EmulatedSession, GivesOneMatrixOfAStack) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    const HostTensor values = counting({3, 40, 80});
    const DeviceTensor tensor = session.allocate(
        0, "values", {values.shape, values.format, Layout::TILE}, BufferType::DRAM);
    session.write(tensor, values);

    const HostTensor second = session.read_matrix(tensor, 1);

    EXPECT_EQ(second.shape, (Shape{1, 40, 80}));
    const std::size_t size = std::size_t{40} * 80 * 2;
    EXPECT_TRUE(std::equal(second.bytes.begin(), second.bytes.end(), values.bytes.begin() + size));
    EXPECT_THROW((void)session.read_matrix(tensor, 3), UsageError);
}

TEST(EmulatedSession, WritingAnotherShapeIsRefused) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    const DeviceTensor tensor = session.allocate(
        0, "values", {{2, 3}, DataFormat::UInt16, Layout::ROW_MAJOR}, BufferType::DRAM);

    try {
        session.write(tensor, counting({3, 2}));
        FAIL() << "a (3,2) tensor went into a (2,3) one";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "writing a tensor (3,2) of uint16 into a device tensor (2,3) of uint16");
    }
}

TEST(EmulatedSession, HandsOutTensorsOfNanIfAsked) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(),
                            {.threads = 1, .unwritten_memory = UnwrittenMemory::Nan});
    const TensorSpec spec{{33, 5}, DataFormat::Float16_b, Layout::TILE};
    for (const BufferType type : {BufferType::DRAM, BufferType::L1}) {
        const HostTensor values = session.read(session.allocate(0, "values", spec, type));

        EXPECT_TRUE(std::ranges::all_of(values.as<std::uint16_t>(),
                                        [](std::uint16_t bits) { return bits == 0xFFFF; }));
    }
}

TEST(EmulatedSession, MemoryComesBackWhenATensorIsFreed) {
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    const TensorSpec half{{7 * 1024, 1024, 1024}, DataFormat::UInt8, Layout::ROW_MAJOR};
    for (int i = 0; i < 3; ++i) {
        const DeviceTensor tensor = session.allocate(0, "half", half, BufferType::DRAM);
        session.deallocate(tensor);
    }
    const DeviceTensor kept = session.allocate(0, "kept", half, BufferType::DRAM);

    EXPECT_THROW((void)session.allocate(0, "too much", half, BufferType::DRAM), UsageError);
    session.deallocate(kept);
}

}  // namespace
}  // namespace tessera
