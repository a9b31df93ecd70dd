// SPDX-License-Identifier: Apache-2.0
#include "ops/bound.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::ops {
namespace {

using Counts = std::vector<std::uint32_t>;

double elements_after(const Shape& shape, std::size_t axis) {
    double product = 1;
    for (std::size_t i = axis; i < shape.size(); ++i) {
        product *= shape[i];
    }
    return product;
}

/// Returns "E/D" of "(E/D, T, H)".
std::string_view first_term(std::string_view shape) {
    const std::string_view inner = shape.starts_with('(') ? shape.substr(1) : shape;
    return inner.substr(0, inner.find_first_of(",)"));
}

/// Returns the elements of a tensor of which `counts` state valid rows.
double counted_elements(const Operand& operand, const Shape& shape, const Counts& counts) {
    const double all = elements_after(shape, 0);
    if (counts.empty()) {
        return all;
    }
    if (operand.rows_are != ValidRows::OfEachMatrix || shape.size() < 2) {
        const double rows = std::accumulate(counts.begin(), counts.end(), 0.0);
        return std::min(all, rows * elements_after(shape, 1));
    }
    double rows = 0;
    for (const std::uint32_t count : counts) {
        rows += std::min(count, shape[1]);  // values may exceed the tensor; its size is the limit
    }
    return std::min(all, rows * elements_after(shape, 2));
}

/// Returns an operand with valid rows of each matrix; null if the op has none.
const Operand* counted_operand(const OpSpec& spec) {
    for (const auto operands : {spec.inputs, spec.outputs}) {
        const auto found = std::ranges::find_if(operands, [](const Operand& operand) {
            return !operand.valid_rows.empty() && operand.rows_are == ValidRows::OfEachMatrix;
        });
        if (found != operands.end()) {
            return &*found;
        }
    }
    return nullptr;
}

/// Returns the elements of an input that a device has to read.
double read_elements(const BoundContext& context, const Operand& operand, const Shape& shape) {
    const Counts counts = context.counts(operand);
    const Operand* counted = counted_operand(context.spec);
    const bool has_matrices = counted != nullptr && counts.empty() && shape.size() > 2 &&
                              first_term(operand.shape) == first_term(counted->shape);
    if (!has_matrices) {
        return counted_elements(operand, shape, counts);
    }
    // The weights of an expert without a token need not be read.
    const Counts rows = context.counts(*counted);
    const auto busy = rows.empty() ? static_cast<double>(shape[0])
                                   : static_cast<double>(std::ranges::count_if(
                                         rows, [](std::uint32_t count) { return count > 0; }));
    return std::min<double>(busy, shape[0]) * elements_after(shape, 1);
}

bool counts_for(const TensorPlan& plan, const Operand& operand,
                std::initializer_list<std::string_view> except) {
    // Operands in L1 cost DRAM nothing.
    return plan.memory == BufferType::DRAM && !plan.spec.shape.empty() &&
           std::ranges::find(except, operand.name) == except.end();
}

}  // namespace

std::vector<std::int32_t> BoundContext::integers(std::size_t operand) const {
    const HostTensor tensor = inputs[operand].at(position)->all();
    const auto words = tensor.as<std::int32_t>();
    return {words.begin(), words.end()};
}

double valid_elements(const BoundContext& context, std::size_t output) {
    const Operand& operand = context.spec.outputs[output];
    if (output < context.valid.size()) {
        double valid = 0;
        for (const ElementRange& range : context.valid[output]) {
            valid += static_cast<double>(range.count);
        }
        return valid;
    }
    return counted_elements(operand, context.out(output).shape, context.counts(operand));
}

double bytes_of_elements(double elements, DataFormat format) {
    return elements * tile_bytes(format) / kTileElements;
}

LeastWork operand_bytes(const BoundContext& context,
                        std::initializer_list<std::string_view> except) {
    LeastWork work;
    const auto add = [&](double elements, const TensorPlan& plan) {
        work.dram_bytes += bytes_of_elements(elements, plan.spec.format);
    };
    for (std::size_t i = 0; i < context.input_plans.size(); ++i) {
        const TensorPlan& plan = context.input_plans[i];
        if (counts_for(plan, context.spec.inputs[i], except)) {
            add(read_elements(context, context.spec.inputs[i], plan.spec.shape), plan);
        }
    }
    for (std::size_t i = 0; i < context.output_plans.size(); ++i) {
        const TensorPlan& plan = context.output_plans[i];
        const Operand& operand = context.spec.outputs[i];
        if (counts_for(plan, operand, except)) {
            add(valid_elements(context, i), plan);
        }
    }
    return work;
}

LeastWork row_wise_bytes(const BoundContext& context) {
    LeastWork work = operand_bytes(context, {context.spec.inputs[kFirst].name});
    const TensorPlan& input = context.input_plans[kFirst];
    if (input.memory == BufferType::DRAM) {
        const double share =
            valid_elements(context, kFirst) / elements_after(context.out(kFirst).shape, 0);
        work.dram_bytes +=
            bytes_of_elements(share * elements_after(input.spec.shape, 0), input.spec.format);
    }
    return work;
}

LeastWork copied_bytes(const BoundContext& context, std::string_view from) {
    LeastWork work = operand_bytes(context, {from});
    const auto found = std::ranges::find(context.spec.inputs, from, &Operand::name);
    const auto operand = static_cast<std::size_t>(found - context.spec.inputs.begin());
    if (context.input_plans[operand].memory == BufferType::DRAM) {
        work.dram_bytes +=
            bytes_of_elements(valid_elements(context, kFirst), context.in(operand).format);
    }
    return work;
}

LeastWork expert_work(const BoundContext& context, std::size_t operand, double busy, double depth) {
    // Scales, lists and biases are small; rows may be read by several experts from L1.
    LeastWork work;
    const TensorSpec& output = context.out(kFirst);
    work.products = depth * valid_elements(context, kFirst);
    work.dram_bytes = bytes_of_elements(valid_elements(context, kFirst), output.format);
    const TensorSpec& weights = context.in(operand);
    if (context.input_plans[operand].memory == BufferType::DRAM) {
        work.dram_bytes +=
            bytes_of_elements(busy * elements_after(weights.shape, 1), weights.format);
    }
    return work;
}

LeastWork product_work(const BoundContext& context, double depth) {
    LeastWork work = operand_bytes(context);
    work.products = depth * valid_elements(context, kFirst);
    return work;
}

double zero_bytes(const BoundContext& context) {
    const TensorPlan& plan = context.output_plans[kFirst];
    if (plan.memory != BufferType::DRAM) {
        return 0;
    }
    return bytes_of_elements(elements_after(plan.spec.shape, 0) - valid_elements(context, kFirst),
                             plan.spec.format);
}

double share_of_others(const BoundContext& context) {
    const auto devices = static_cast<double>(context.num_devices);
    return (devices - 1) / devices;
}

double num_present(const BoundContext& context, std::size_t operand) {
    const std::vector<std::int32_t> entries = context.integers(operand);
    return static_cast<double>(
        std::ranges::count_if(entries, [](std::int32_t entry) { return entry >= 0; }));
}

double sum_of(const BoundContext& context, std::size_t operand) {
    const std::vector<std::int32_t> entries = context.integers(operand);
    return std::accumulate(entries.begin(), entries.end(), 0.0);
}

LeastWork least_work(const Op& op, const BoundContext& context) {
    return op.bound ? op.bound(context) : operand_bytes(context);
}

}  // namespace tessera::ops
