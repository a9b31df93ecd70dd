// SPDX-License-Identifier: Apache-2.0
#include "ops/eltwise/eltwise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "emu/base/bf16.hpp"
#include "tessera/tensor_compare.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/device_fixture.hpp"
#include "tests/ops/op_reference.hpp"

namespace tessera::ops::eltwise {
namespace {

using testing::OneDevice;

struct Case {
    EltwiseFunction function = EltwiseFunction::Add;
    DataFormat format = DataFormat::Float16_b;
    Shape shape{3, 40, 80};
    EltwiseSpec schedule;
    BufferType input_memory = BufferType::DRAM;
    BufferType output_memory = BufferType::DRAM;
};

/// Returns values of magnitude 0.5 to 2.5, for which every function is finite.
HostTensor make_values(const Shape& shape, DataFormat format, std::uint32_t step, Domain domain) {
    const bool is_bf16 = format == DataFormat::Float16_b;
    HostTensor tensor = make_host_tensor(shape, is_bf16 ? format : DataFormat::Float32);
    for (std::uint32_t i = 0; i < num_elements(shape); ++i) {
        const bool is_negative = domain != Domain::Positive && i % 3 == 0;
        const float value =
            (0.5F + static_cast<float>(i * step % 257) / 128) * (is_negative ? -1.0F : 1.0F);
        if (is_bf16) {
            tensor.as<std::uint16_t>()[i] = float_to_bf16(value);
        } else {
            tensor.as<float>()[i] = value;
        }
    }
    return tensor;
}

struct Result {
    std::vector<HostTensor> inputs;  ///< as the device holds them
    HostTensor output;
    LaunchResult launch;
};

Result run(OneDevice& device, const Case& test) {
    const TensorSpec spec{test.shape, test.format, Layout::TILE};
    Result result;
    std::vector<DeviceTensor> tensors;
    for (std::uint32_t i = 0; i < num_inputs(test.function); ++i) {
        tensors.push_back(device.make("input", spec, test.input_memory));
        device.write(tensors.back(),
                     make_values(test.shape, test.format, 7 + 4 * i, domain_of(test.function)));
        result.inputs.push_back(device.get(tensors.back()));
    }
    const DeviceTensor output = device.make("output", spec, test.output_memory);
    EltwiseSpec schedule = test.schedule;
    schedule.function = test.function;
    result.launch =
        device.run("eltwise", call_program(op(), device.arch(), &schedule, tensors, {output}));
    result.output = device.get(output);
    return result;
}

HostTensor expected(const Case& test, const Result& result) {
    const EltwiseSpec schedule{.function = test.function};
    return testing::reference_of(op(), &schedule, result.inputs);
}

void expect_close(const Case& test, const CloseTolerance& tolerance) {
    OneDevice device(testing::small_arch());
    const Result result = run(device, test);

    const Closeness closeness = compare_close(result.output, expected(test, result), tolerance);

    EXPECT_TRUE(closeness.passes(tolerance))
        << "pcc " << closeness.pcc << ", error " << closeness.max_rel_err;
}

class Eltwise : public ::testing::TestWithParam<EltwiseFunction> {};

TEST_P(Eltwise, AgreesWithTheReferenceInBfloat16) {
    expect_close({.function = GetParam()},
                 {kSpec.tolerance.min_pcc, kSpec.tolerance.max_relative_error});
}

TEST_P(Eltwise, AgreesWithTheReferenceInBlockFloats) {
    // Half of a block's unit is 2^-7 of its largest element, which is at most 5 times the rms of
    // any result here. Roots span a factor of 2, so rounding errors are a larger part of their
    // variance.
    expect_close({.function = GetParam(), .format = DataFormat::Bfp8_b}, {0.9995, 5.0 / 128});
}

TEST_P(Eltwise, IsExactToSingleUlpsInFloat32) {
    expect_close({.function = GetParam(),
                  .format = DataFormat::Float32,
                  .schedule = {.fp32_dest_acc = true}},
                 {0.9999999, 1e-5});
}

std::vector<EltwiseFunction> all_functions() {
    std::vector<EltwiseFunction> functions;
    for (const auto& [name, function] : config::kEnumNames<EltwiseFunction>) {
        functions.push_back(function);
    }
    return functions;
}

INSTANTIATE_TEST_SUITE_P(Functions, Eltwise, ::testing::ValuesIn(all_functions()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

struct NamedCase {
    const char* name;
    Case test;
};

class EltwiseSchedule : public ::testing::TestWithParam<NamedCase> {};

TEST_P(EltwiseSchedule, GivesTheSameBytesAsTheDefault) {
    OneDevice device(testing::small_arch());
    Case plain = GetParam().test;
    plain.schedule = {};
    plain.input_memory = BufferType::DRAM;
    plain.output_memory = BufferType::DRAM;

    EXPECT_EQ(run(device, GetParam().test).output.bytes, run(device, plain).output.bytes);
}

// 3·2·3 = 18 tiles over 4 cores: 5, 5, 4, 4. Pushes of 4 leave 1 tile; a push of 8 is never full.
INSTANTIATE_TEST_SUITE_P(
    Schedules, EltwiseSchedule,
    ::testing::Values(
        NamedCase{"PushesOfFour", {.schedule = {.tiles_per_push = 4}}},
        NamedCase{"PushesLargerThanTheShare", {.schedule = {.tiles_per_push = 8}}},
        NamedCase{"OneCore", {.schedule = {.grid = {1, 1}, .tiles_per_push = 4}}},
        NamedCase{"BuffersOfOnePush", {.schedule = {.tiles_per_push = 2, .cb_depth = 1}}},
        NamedCase{"Approximate",
                  {.function = EltwiseFunction::Exp, .schedule = {.approximate = true}}},
        NamedCase{"UnaryPushesOfFour",
                  {.function = EltwiseFunction::Silu, .schedule = {.tiles_per_push = 4}}},
        NamedCase{"VectorBinaryPushesOfFour",
                  {.function = EltwiseFunction::Max, .schedule = {.tiles_per_push = 4}}},
        NamedCase{"FromL1", {.input_memory = BufferType::L1}},
        NamedCase{"ToL1", {.output_memory = BufferType::L1}},
        NamedCase{"OneElement", {.shape = {1, 1}, .schedule = {.tiles_per_push = 2}}},
        NamedCase{"OneTile", {.shape = {32, 32}, .schedule = {.tiles_per_push = 2}}}),
    [](const auto& test) { return test.param.name; });

TEST(EltwiseMachine, ShowsNeitherDeliveryNorThreads) {
    const Case test{.schedule = {.tiles_per_push = 2}};
    OneDevice plain(testing::small_arch());
    const std::vector<std::byte> expected = run(plain, test).output.bytes;
    for (const SessionOptions& options :
         {SessionOptions{.threads = 2, .delivery = NocDelivery::AtIssue},
          SessionOptions{.threads = 5, .delivery = NocDelivery::Random, .seed = 3}}) {
        OneDevice device(testing::small_arch(), options);
        EXPECT_EQ(run(device, test).output.bytes, expected) << options.threads << " threads";
    }
}

TEST(EltwiseWork, EachCorePacksItsShareOfTheTiles) {
    OneDevice device(testing::small_arch());

    const LaunchResult launch = run(device, {}).launch;

    std::vector<std::uint64_t> packed;
    for (const CoreActivity& core : launch.cores) {
        packed.push_back(core.tiles_packed);
    }
    // 18 tiles; the first two cores in column order have one more. Listed by (y, x).
    EXPECT_EQ(packed, (std::vector<std::uint64_t>{5, 4, 5, 4}));
}

TEST(EltwiseWork, ReadsEveryInputOnceAndWritesTheOutputOnce) {
    OneDevice device(testing::small_arch());

    const LaunchResult launch = run(device, {}).launch;

    std::uint64_t read = 0;
    std::uint64_t written = 0;
    for (const CoreActivity& core : launch.cores) {
        read += core.bytes_read;
        written += core.bytes_written;
    }
    EXPECT_EQ(read, 2U * 18 * 2048);
    EXPECT_EQ(written, 18U * 2048);
}

// Products of 8-bit significands: LoFi multiplies 5 bits of one by 7 bits of the other.
TEST(EltwiseFidelity, LoFiDropsLowBitsOfProducts) {
    OneDevice device(testing::small_arch());
    const Case test{.function = EltwiseFunction::Mul,
                    .schedule = {.math_fidelity = MathFidelity::LoFi}};

    const Result result = run(device, test);

    const Closeness closeness = compare_close(result.output, expected(test, result), {0, 0});
    EXPECT_GT(closeness.max_rel_err, 1.0 / 64);
    EXPECT_LT(closeness.max_rel_err, 1.0 / 8);
}

}  // namespace
}  // namespace tessera::ops::eltwise
