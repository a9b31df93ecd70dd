// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/read_rows.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "runtime/session/emulated_session.hpp"
#include "tests/arch_fixture.hpp"

namespace tessera::ops::moe_v2 {
namespace {

class ReadRows : public ::testing::TestWithParam<TensorSpec> {};

// Against the whole tensor, read at once.
TEST_P(ReadRows, GivesTheFirstRowsOfEveryExpert) {
    const TensorSpec& spec = GetParam();
    EmulatedSession session(MeshSpec{}, testing::small_arch(), {.threads = 1});
    HostTensor values = make_host_tensor(spec.shape, spec.format);
    std::iota(values.as<std::uint16_t>().begin(), values.as<std::uint16_t>().end(),
              std::uint16_t{1});
    const DeviceTensor tensor = session.allocate(0, "values", spec, BufferType::DRAM);
    session.write(tensor, values);
    const std::vector<std::uint32_t> counts{5, 0, 33, spec.shape[1]};

    const HostTensor kept = read_valid_rows(session, tensor, counts);

    std::vector<std::uint16_t> expected;
    for (std::size_t expert = 0; expert < counts.size(); ++expert) {
        const auto rows = values.as<std::uint16_t>().subspan(expert * spec.shape[1] * spec.shape[2],
                                                             counts[expert] * spec.shape[2]);
        expected.insert(expected.end(), rows.begin(), rows.end());
    }
    const auto got = kept.as<std::uint16_t>();
    EXPECT_EQ(std::vector(got.begin(), got.end()), expected);
    EXPECT_EQ(kept.shape, spec.shape);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ReadRows,
    ::testing::Values(TensorSpec{{4, 64, 40}, DataFormat::UInt16, Layout::TILE},
                      TensorSpec{{4, 40, 33}, DataFormat::UInt16, Layout::TILE},
                      TensorSpec{{4, 96, 8}, DataFormat::UInt16, Layout::ROW_MAJOR}));

}  // namespace
}  // namespace tessera::ops::moe_v2
