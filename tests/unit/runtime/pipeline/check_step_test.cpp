// SPDX-License-Identifier: Apache-2.0
// Verdicts on results that are made here: the op's reference rounded to the output's format, which
// is correct, and the same with one fault.
#include "runtime/pipeline/check_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>

#include "emu/base/bf16.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/operand_values.hpp"
#include "runtime/pipeline/tensor_values.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<float>;

/// A step: `tensors` and `steps` of a run file for one device.
struct Step {
    const char* name;
    const char* tensors;
    const char* step;
    std::size_t columns;
};

constexpr Step kMatmul{"matmul",
                       "  a: {shape: [96, 128], dtype: bfloat16, layout: tile}\n"
                       "  b: {shape: [128, 64], dtype: bfloat16, layout: tile}\n",
                       "{name: s, op: matmul, in: [a, b], out: [y], set: {schedule: single_core, "
                       "fp32_dest_acc: true, math_fidelity: HiFi4}}",
                       64};
constexpr Step kDefaultMatmul{"matmul_as_it_is_by_default",
                              "  a: {shape: [96, 128], dtype: bfloat16, layout: tile}\n"
                              "  b: {shape: [128, 64], dtype: bfloat16, layout: tile}\n",
                              "{name: s, op: matmul, in: [a, b], out: [y]}", 64};
constexpr Step kScale{"scale", "  a: {shape: [96, 64], dtype: bfloat16, layout: tile}\n",
                      "{name: s, op: scale, in: [a], out: [y], set: {factor: 0.7}}", 64};
constexpr Step kEltwise{"eltwise_add",
                        "  a: {shape: [96, 64], dtype: bfloat16, layout: tile}\n"
                        "  b: {shape: [96, 64], dtype: bfloat16, layout: tile}\n",
                        "{name: s, op: eltwise, in: [a, b], out: [y], set: {function: add}}", 64};
constexpr Step kFloat32{"eltwise_float32",
                        "  a: {shape: [96, 64], dtype: float32, layout: tile}\n"
                        "  b: {shape: [96, 64], dtype: float32, layout: tile}\n",
                        "{name: s, op: eltwise, in: [a, b], out: [y], set: {function: mul, "
                        "fp32_dest_acc: true}}",
                        64};
constexpr Step kBlocks{"matmul_bfp8",
                       "  a: {shape: [96, 128], dtype: bfp8_b, layout: tile}\n"
                       "  b: {shape: [128, 64], dtype: bfp8_b, layout: tile}\n",
                       "{name: s, op: matmul, in: [a, b], out: [y], set: "
                       "{fp32_dest_acc: true, math_fidelity: HiFi4, "
                       "out: {format: bfp8_b}}}",
                       64};
constexpr Step kCoarseBlocks{"matmul_bfp4",
                             "  a: {shape: [96, 128], dtype: bfp4_b, layout: tile}\n"
                             "  b: {shape: [128, 64], dtype: bfp4_b, layout: tile}\n",
                             "{name: s, op: matmul, in: [a, b], out: [y], set: "
                             "{fp32_dest_acc: true, math_fidelity: HiFi4, "
                             "out: {format: bfp4_b}}}",
                             64};
constexpr Step kSoftmax{"softmax", "  a: {shape: [96, 64], dtype: bfloat16}\n",
                        "{name: s, op: softmax, in: [a], out: [y]}", 64};
constexpr Step kCopy{"copy", "  a: {shape: [96, 64], dtype: float32, layout: tile}\n",
                     "{name: s, op: copy, in: [a], out: [y]}", 64};

/// A step's operands, with a given result in place of a device's.
class CheckedStep {
public:
    explicit CheckedStep(const Step& step, const std::string& origins = "")
        : loaded_(load(step, origins)),
          values_(loaded_.pipeline, 1, nullptr, nullptr),
          operands_{.devices = devices_, .inputs = {}, .outputs = {}} {
        for (const std::string& name : planned().inputs) {
            operands_.inputs.push_back({std::make_shared<HostValues>(
                values_.on(*find_tensor(loaded_.pipeline, name), 0))});
        }
        const HostTensor reference = reference_of(planned(), operands_, 0).front();
        const auto numbers = as_floats(reference);
        result.assign(numbers.begin(), numbers.end());
    }

    /// Returns the verdict on `result`, rounded to the output's format.
    [[nodiscard]] report::StepCheck check() {
        operands_.outputs = {{std::make_shared<HostValues>(rounded())}};
        return check_step(planned(), std::span(&operands_, 1), loaded_.run.verify);
    }

    Values result;

private:
    static config::LoadedRun load(const Step& step, const std::string& origins) {
        static const ScratchFolder folder;
        const std::array folders{std::filesystem::path(TESSERA_SOURCE_DIR) / "configs"};
        const std::string text = "mesh: {device: wormhole_n150, shape: [1, 1]}\ntensors:\n" +
                                 std::string(step.tensors) + "steps:\n  - " + step.step + "\n" +
                                 origins;
        return config::load_run(folder.write("run.yaml", text), std::vector<std::string>(),
                                folders);
    }
    [[nodiscard]] const PipelineStep& planned() const { return loaded_.pipeline.steps.front(); }
    [[nodiscard]] static Values as_floats(const HostTensor& tensor) {
        if (tensor.format == DataFormat::Float32) {
            const auto held = tensor.as<float>();
            return {held.begin(), held.end()};
        }
        Values values;
        for (const std::uint16_t bits : tensor.as<std::uint16_t>()) {
            values.push_back(bf16_to_float(bits));
        }
        return values;
    }
    [[nodiscard]] HostTensor rounded() const {
        const TensorSpec& spec = planned().output_plans.front().spec;
        const bool is_bf16 = spec.format == DataFormat::Float16_b;
        HostTensor tensor =
            make_host_tensor(spec.shape, is_bf16 ? DataFormat::Float16_b : DataFormat::Float32);
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (is_bf16) {
                tensor.as<std::uint16_t>()[i] = float_to_bf16(result[i]);
            } else {
                tensor.as<float>()[i] = result[i];
            }
        }
        round_blocks(spec.format, tensor);
        return tensor;
    }
    // 16 values of a row share the exponent of the largest: 7 bits of magnitude, or 3.
    static void round_blocks(DataFormat format, HostTensor& tensor) {
        if (!is_block_format(format)) {
            return;
        }
        const int bits = format == DataFormat::Bfp8_b ? 6 : 2;
        const auto values = tensor.as<float>();
        for (std::size_t first = 0; first < values.size(); first += 16) {
            float largest = 0;
            for (float value : values.subspan(first, 16)) {
                largest = std::max(largest, std::fabs(value));
            }
            const float step = std::ldexp(1.0F, std::ilogb(largest) - bits);
            for (float& value : values.subspan(first, 16)) {
                value = step * std::nearbyint(value / step);
            }
        }
    }

    std::vector<std::uint32_t> devices_{0};
    config::LoadedRun loaded_;
    TensorValues values_;
    StepValues operands_;
};

double rms_of(const Values& values) {
    double squares = 0;
    for (const float value : values) {
        squares += double{value} * value;
    }
    return std::sqrt(squares / static_cast<double>(values.size()));
}

struct Fault {
    const char* name;
    void (*plant)(Values& values, std::size_t columns);
};

constexpr Fault kFaults[]{
    {"OneElement",
     [](Values& v, std::size_t) { v[v.size() - 3] += static_cast<float>(2 * rms_of(v)); }},
    {"TwoRowsSwapped",
     [](Values& v, std::size_t columns) {
         const auto n = static_cast<std::ptrdiff_t>(columns);
         std::swap_ranges(v.begin() + 5 * n, v.begin() + 6 * n, v.begin() + 40 * n);
     }},
    {"Zeros", [](Values& v, std::size_t) { v.assign(v.size(), 0.0F); }},
    {"OneNan", [](Values& v, std::size_t) { v[77] = std::numeric_limits<float>::quiet_NaN(); }},
    {"ATileLeftOut",
     [](Values& v, std::size_t columns) {
         for (std::size_t row = 32; row < 64; ++row) {
             std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(row * columns + 32), 32, 0.0F);
         }
     }},
    {"ScaleOf101",
     [](Values& v, std::size_t) {
         for (float& value : v) {
             value *= 1.01F;
         }
     }},
};

using Planted = std::tuple<Step, Fault>;
class PlantedInStep : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedInStep, IsFound) {
    const auto& [step, fault] = GetParam();
    CheckedStep checked(step);
    EXPECT_EQ(checked.check().failure, "");

    fault.plant(checked.result, step.columns);

    EXPECT_NE(checked.check().failure, "");
}

std::string name_of_planted(const ::testing::TestParamInfo<Planted>& test) {
    return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).name;
}

INSTANTIATE_TEST_SUITE_P(Steps, PlantedInStep,
                         ::testing::Combine(::testing::Values(kMatmul, kScale, kEltwise, kFloat32,
                                                              kBlocks, kSoftmax, kCopy),
                                            ::testing::ValuesIn(kFaults)),
                         name_of_planted);

// Without the scale fault: a step of bfp4_b is an eighth of the largest value.
INSTANTIATE_TEST_SUITE_P(Coarse, PlantedInStep,
                         ::testing::Combine(::testing::Values(kCoarseBlocks),
                                            ::testing::ValuesIn(std::span(kFaults).first(5))),
                         name_of_planted);

TEST(CheckStep, SeesTheSignOfASmallElementWhereErrorsFollowElements) {
    CheckedStep checked(kScale);
    std::size_t small = 0;
    for (std::size_t i = 0; i < checked.result.size(); ++i) {
        const float size = std::fabs(checked.result[i]);
        small = size > 0.002F && size < std::fabs(checked.result[small]) ? i : small;
    }
    EXPECT_LT(std::fabs(checked.result[small]), 0.01F);

    checked.result[small] = -checked.result[small];

    EXPECT_THAT(checked.check().failure, HasSubstr("largest relative error"));
}

// HiFi2 omits the last bit of one factor, and a 16-bit DST rounds sums of 128 terms.
TEST(CheckStep, AllowsForTheNumberFormatsOfTheStep) {
    CheckedStep exact(kMatmul);
    CheckedStep coarse(kDefaultMatmul);
    exact.result[9] += static_cast<float>(0.012 * rms_of(exact.result));
    coarse.result[9] += static_cast<float>(0.012 * rms_of(coarse.result));

    EXPECT_NE(exact.check().failure, "");
    EXPECT_EQ(coarse.check().failure, "");
}

TEST(CheckStep, NotesNanThatTheReferenceHasToo) {
    Step copy = kCopy;
    CheckedStep checked(copy);
    checked.result[70] = std::numeric_limits<float>::quiet_NaN();

    const report::StepCheck check = checked.check();

    ASSERT_EQ(check.nans.size(), 1U);
    EXPECT_EQ(check.nans[0].tensor, "y");
    EXPECT_EQ(check.nans[0].step, "s");
    EXPECT_EQ(check.nans[0].count, 1U);
    EXPECT_EQ(check.nans[0].num_elements, 96U * 64);
    EXPECT_EQ(check.nans[0].first, "(1,6) of device 0");
    EXPECT_NE(check.failure, "");
}

/// Calls `act` for the elements of the 96 x 64 result that a tile of 32 x 32 has.
template <class Act>
void for_tile(std::size_t tile, const Act& act) {
    for (std::size_t row = 0; row < 32; ++row) {
        for (std::size_t column = 0; column < 32; ++column) {
            act((tile / 2 * 32 + row) * 64 + tile % 2 * 32 + column, row);
        }
    }
}

// A writer that skips the last of three tiles of each core.
TEST(CheckStep, NamesTheTilesThatAreWrong) {
    CheckedStep checked(kScale);
    for (const std::size_t tile : {2, 5}) {
        for_tile(tile, [&](std::size_t i, std::size_t) { checked.result[i] = 0; });
    }

    EXPECT_THAT(checked.check().failure,
                HasSubstr("; wrong: 2048 of 6144 elements, in 2 of 6 tiles, the whole of each: "
                          "tiles 2, 5; all of them are 0"));
}

// Faces 2 and 3 of a tile are its lower rows, and the second half of its bytes.
TEST(CheckStep, NamesThePartOfTilesThatIsWrong) {
    CheckedStep checked(kFloat32);
    for (std::size_t tile = 0; tile < 6; ++tile) {
        for_tile(tile, [&](std::size_t i, std::size_t row) {
            checked.result[i] += row < 16 ? 0.0F : 8.0F;
        });
    }

    EXPECT_THAT(checked.check().failure,
                HasSubstr("; wrong: 3072 of 6144 elements, in 6 of 6 tiles, in each of them "
                          "bytes 2048 to 4095"));
}

TEST(CheckStep, NamesTheRowsThatAreWrong) {
    CheckedStep checked(kSoftmax);
    std::swap_ranges(checked.result.begin() + 64 * 7, checked.result.begin() + 64 * 8,
                     checked.result.begin() + 64 * 9);

    EXPECT_THAT(checked.check().failure, HasSubstr(" elements, in 2 of 96 rows"));
    EXPECT_THAT(checked.check().failure, ::testing::EndsWith(": rows 7, 9"));
}

TEST(CheckStep, ValuesOfTheRunTakeThePlaceOfTheOps) {
    CheckedStep loose(kMatmul, "verify: {max_relative_error: 0.1}\n");
    CheckedStep strict(kMatmul, "verify: {max_relative_error: 0.0001}\n");
    loose.result[9] += static_cast<float>(0.05 * rms_of(loose.result));

    EXPECT_EQ(loose.check().failure, "");
    EXPECT_THAT(strict.check().failure, HasSubstr("allowed 0.0001; first beyond: y of device 0"));
}

}  // namespace
}  // namespace tessera::pipeline
