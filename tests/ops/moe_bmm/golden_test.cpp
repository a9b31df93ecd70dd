// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "tests/arch_fixture.hpp"
#include "tests/ops/moe_bmm/bmm_run.hpp"
#include "tests/ops/staged_golden.hpp"

namespace tessera::ops::moe_bmm {
namespace {

using testing::GoldenDevice;

/// Returns the weights of one device's experts, in local order.
HostTensor local_weights(const golden::GoldenFile& file, const std::string& name,
                         std::uint32_t device) {
    const HostTensor all = testing::golden_tensor(file, name);
    const HostTensor experts = testing::golden_row(file, "device_expert_mapping", device);
    const std::size_t expert_bytes = all.bytes.size() / all.shape.at(0);
    HostTensor local = make_host_tensor({experts.shape.at(0), all.shape.at(1), all.shape.at(2)},
                                        DataFormat::Float16_b);
    std::size_t written = 0;
    for (const std::int32_t expert : experts.as<std::int32_t>()) {
        std::memcpy(local.bytes.data() + written,
                    all.bytes.data() + static_cast<std::size_t>(expert) * expert_bytes,
                    expert_bytes);
        written += expert_bytes;
    }
    return local;
}

class MoeBmmGolden : public ::testing::TestWithParam<GoldenDevice> {
protected:
    /// Compares one projection of the staged chain with every schedule of the issue.
    static void expect_projection(const char* input, const char* weights, const char* output) {
        const auto& [stem, device_id] = GetParam();
        const golden::GoldenFile file(stem);
        const std::string prefix = GetParam().prefix();
        const BmmInputs inputs{testing::golden_tensor(file, prefix + input),
                               local_weights(file, weights, device_id),
                               testing::golden_counts(file, prefix)};
        const MoeBmmSpec single{.schedule = BmmSchedule::SingleCore,
                                .grid = {},
                                .k_block = 2,
                                .subblock = {1, 2},
                                .cb_depth = 2};
        MoeBmmSpec multi = single;
        multi.schedule = BmmSchedule::MultiCore;
        for (const MoeBmmSpec& schedule : {single, multi}) {
            testing::OneDevice device(testing::test_arch());
            testing::expect_staged(file, prefix + output, run_bmm(device, inputs, schedule).output);
        }
    }
};

TEST_P(MoeBmmGolden, GateProjection) {
    expect_projection("scattered", "gate_weights", "staged.gate");
}
TEST_P(MoeBmmGolden, UpProjection) {
    expect_projection("scattered", "up_weights", "staged.up");
}
TEST_P(MoeBmmGolden, DownProjection) {
    expect_projection("staged.combined", "down_weights", "staged.down");
}

INSTANTIATE_TEST_SUITE_P(OfEveryDevice, MoeBmmGolden,
                         ::testing::ValuesIn(testing::golden_devices()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace tessera::ops::moe_bmm
