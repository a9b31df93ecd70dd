// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/emulated_session.hpp"

#include <gtest/gtest.h>

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
