// SPDX-License-Identifier: Apache-2.0
// Element-wise TTNN ops on all cores of the device, from DRAM to DRAM.
#include "ops/eltwise/eltwise.hpp"

#include <fmt/format.h>

#include <array>

#include "bench/accuracy/bench.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/programs/places.hpp"
#include "bench/accuracy/units.hpp"

namespace tessera::score {
namespace {

using ops::EltwiseFunction;

/// Parses "ttnn.exp", "ttnn.silu from DRAM".
EltwiseFunction function_of(const Row& row) {
    std::string name = row.workload.substr(0, row.workload.find(' '));
    constexpr std::string_view kPrefix = "ttnn.";
    expressible(name.starts_with(kPrefix), "workload {}: not an op of ttnn", row.workload);
    name.erase(0, kPrefix.size());
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTtnnNames{
        {{"multiply", "mul"}, {"subtract", "sub"}, {"divide", "div"}, {"neg", "negative"}}};
    for (const auto& [theirs, ours] : kTtnnNames) {
        name = name == theirs ? ours : name;
    }
    for (const auto& [word, function] : config::kEnumNames<EltwiseFunction>) {
        if (word == name) {
            return function;
        }
    }
    throw NotExpressible(fmt::format("the op eltwise has no {}", name));
}

/// Returns TTNN's approximation mode at the time of the measurement.
/// Source   tt-metal PR 41949: silu by the hardware's table of a piecewise linear sigmoid.
bool is_approximate_in_ttnn(EltwiseFunction function) {
    return function == EltwiseFunction::Silu;
}

TensorSpec tensor_of(const Parameters& parameters) {
    TensorSpec spec{{}, parameters.format("dtype"), Layout::TILE};
    spec.shape = parameters.has("shape")
                     ? parameters.shape("shape")
                     : std::vector<std::uint32_t>{kTileSide, kTileSide * parameters.count("tiles")};
    return spec;
}

}  // namespace

Prediction predict_eltwise(const Row& row, const Parameters& parameters, const Model& model) {
    const std::string storage = parameters.text_or("storage", "DRAM");
    expressible(storage == "DRAM" || storage == "L1", "storage is {}, not DRAM or L1", storage);
    const BufferType memory = storage == "DRAM" ? BufferType::DRAM : BufferType::L1;
    const EltwiseFunction function = function_of(row);
    const TensorSpec spec = tensor_of(parameters);
    Bench bench(model);
    std::vector<DeviceTensor> tensors;
    for (std::uint32_t i = 0; i < num_inputs(function); ++i) {
        tensors.push_back(bench.session().allocate(0, fmt::format("input {}", i), spec, memory));
    }
    const DeviceTensor output = bench.session().allocate(0, "output", spec, memory);
    const ops::EltwiseSpec schedule{
        .function = function,
        .fp32_dest_acc = spec.format == DataFormat::Float32,
        .approximate = parameters.flag_or("approximate", is_approximate_in_ttnn(function))};
    const Replays replays =
        bench.run(ops::call_program(ops::eltwise::op(), model.arch, &schedule, tensors, {output}));
    return as_time(row, replays.kernel_span_cycles(), model);
}

}  // namespace tessera::score
