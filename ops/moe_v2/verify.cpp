// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_v2/verify.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

#include "ops/moe_v2/read_rows.hpp"
#include "ops/moe_v2/references.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::ops::moe_v2 {
namespace {

/// An output of a step on one device with its reference.
struct ComparedOutput {
    std::uint32_t device = 0;
    std::string_view name;
    HostTensor test;
    HostTensor reference;
};

/// Consecutive elements of an output that count.
struct ValidRange {
    const ComparedOutput* output = nullptr;
    std::size_t first = 0;  ///< in the output
    std::size_t count = 0;
    std::size_t kept_at = 0;  ///< where keep_valid() put the first
};

bool is_exact(const OpSpec& op) {
    return op.tolerance.max_relative_error == 0;
}

// Tables and rows behind an expert's tokens are padding, but for what to_layout and scatter write.
bool has_padding(const StepPlan& plan, const Shape& shape, std::string_view name) {
    switch (plan.kind) {
        case StepKind::PrepareRouting:
            return name != "num_routed_tokens";
        case StepKind::Scatter:
        case StepKind::ToTile:
        case StepKind::ToRowMajor:
            return false;
        default:
            return shape.size() == 3;
    }
}

void append_ranges(const Step& step, const ComparedOutput& output,
                   std::vector<ValidRange>& ranges) {
    const std::size_t size = num_elements(output.test.shape);
    if (!has_padding(*step.plan, output.test.shape, output.name)) {
        ranges.push_back({&output, 0, size});
        return;
    }
    const auto& counts = step.num_routed_tokens[output.device];
    const std::size_t per_expert = size / counts.size();
    const std::size_t per_token = per_expert / output.test.shape[1];
    for (std::size_t expert = 0; expert < counts.size(); ++expert) {
        ranges.push_back({&output, expert * per_expert, counts[expert] * per_token});
    }
}

void keep_valid(std::span<const ValidRange> ranges, HostTensor& tensor) {
    const std::size_t width = element_bytes(tensor.format);
    std::vector<std::byte> kept;
    for (const ValidRange& range : ranges) {
        const auto begin = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(range.first * width);
        kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(range.count * width));
    }
    tensor.bytes = std::move(kept);
}

// Rows that count are a small part of a tensor that has room for every token: the others need not
// be held until all devices are compared.
std::vector<ValidRange> reduce_to_valid(const Step& step, ComparedOutput& output) {
    std::vector<ValidRange> ranges;
    append_ranges(step, output, ranges);
    std::size_t kept = 0;
    for (ValidRange& range : ranges) {
        range.kept_at = kept;
        kept += range.count;
    }
    for (HostTensor* tensor : {&output.test, &output.reference}) {
        if (kept * element_bytes(tensor->format) < tensor->bytes.size()) {
            keep_valid(ranges, *tensor);
        }
    }
    return ranges;
}

std::string place_of(const ValidRange& range, std::size_t index) {
    return fmt::format("{} of device {} at {}", range.output->name, range.output->device,
                       position_in(range.output->test.shape, range.first + index));
}

StepCheck compare_exactly(std::span<const ValidRange> ranges) {
    StepCheck check;
    for (const ValidRange& range : ranges) {
        const std::size_t width = element_bytes(range.output->test.format);
        const std::byte* test = range.output->test.bytes.data() + range.kept_at * width;
        const std::byte* reference = range.output->reference.bytes.data() + range.kept_at * width;
        check.num_elements += range.count;
        if (std::memcmp(test, reference, range.count * width) != 0) {
            const std::byte* differs =
                std::mismatch(test, test + range.count * width, reference).first;
            check.pcc = 0;
            check.failure = place_of(range, static_cast<std::size_t>(differs - test) / width) +
                            " is not what the reference has";
            return check;
        }
    }
    return check;
}

ComparedPart part_of(const ValidRange& range) {
    const auto& [device, name, test, reference] = *range.output;
    return {Bf16Bits{test.as<std::uint16_t>().subspan(range.kept_at, range.count)},
            reference.as<float>().subspan(range.kept_at, range.count)};
}

std::string failure_of(const Closeness& closeness, const Tolerance& tolerance,
                       std::span<const ValidRange> ranges) {
    if (closeness.first_beyond) {
        const ComparedPair& pair = *closeness.first_beyond;
        return fmt::format(
            "largest relative error {:.3g}, allowed {:.3g}; first beyond: {}: {} "
            "against {}",
            closeness.max_rel_err, tolerance.max_relative_error,
            place_of(ranges[pair.part], pair.index), pair.test, pair.reference);
    }
    return fmt::format("PCC {:.6f} is below {:.6f}", closeness.pcc, tolerance.min_pcc);
}

StepCheck compare_closely(std::span<const ValidRange> ranges, const Tolerance& tolerance) {
    std::vector<ComparedPart> parts;
    for (const ValidRange& range : ranges) {
        parts.push_back(part_of(range));
    }
    const CloseTolerance allowed{.pcc_min = tolerance.min_pcc,
                                 .max_rel_err = tolerance.max_relative_error};
    const Closeness closeness = compare_close(parts, allowed);
    StepCheck check{.num_elements = closeness.num_elements,
                    .pcc = closeness.pcc,
                    .max_relative_error = closeness.max_rel_err,
                    .failure = {}};
    if (!closeness.passes(allowed)) {
        check.failure = failure_of(closeness, tolerance, ranges);
    }
    return check;
}

// Without the padding that is not compared, where that can be left unread.
HostTensor read_compared(const Session& session, const Step& step, std::uint32_t device,
                         std::size_t output) {
    const std::string_view name = step.plan->outputs[output];
    const DeviceTensor& tensor = step.devices[device].find(name)->second;
    const Shape& shape = tensor.spec.shape;
    return shape.size() == 3 && has_padding(*step.plan, shape, name)
               ? read_valid_rows(session, tensor, step.num_routed_tokens[device])
               : session.read(tensor);
}

HostTensor read_output(const Session& session, const Step& step, std::uint32_t device,
                       std::size_t output) {
    return session.read(step.devices[device].find(step.plan->outputs[output])->second);
}

std::vector<ComparedOutput> outputs_of(const Session& session, const Step& step,
                                       std::uint32_t device, const OpsSpec& ops) {
    std::vector<ComparedOutput> outputs;
    auto references = device_references(session, step, device, ops);
    for (std::size_t i = 0; i < references.size(); ++i) {
        outputs.push_back({device, step.plan->outputs[i], read_compared(session, step, device, i),
                           std::move(references[i])});
    }
    return outputs;
}

/// The outputs of one device, reduced to what counts.
struct DeviceOutputs {
    std::vector<ComparedOutput> outputs;
    std::vector<ValidRange> ranges;
    StepCheck exact;  ///< of an exact op, whose values are not kept
};

DeviceOutputs device_outputs(const Session& session, const Step& step, std::uint32_t device,
                             const OpsSpec& ops) {
    DeviceOutputs result{outputs_of(session, step, device, ops), {}, {}};
    for (ComparedOutput& output : result.outputs) {
        const auto ranges = reduce_to_valid(step, output);
        result.ranges.insert(result.ranges.end(), ranges.begin(), ranges.end());
    }
    if (is_exact(*step.plan->op)) {
        result.exact = compare_exactly(result.ranges);
        result.outputs.clear();
    }
    return result;
}

// Devices are independent: what is serial in one of them runs beside the others.
std::vector<DeviceOutputs> all_outputs(const Session& session, const Step& step,
                                       const OpsSpec& ops) {
    std::vector<DeviceOutputs> devices(step.devices.size());
    tbb::parallel_for(std::size_t{0}, devices.size(), [&](std::size_t device) {
        devices[device] = device_outputs(session, step, static_cast<std::uint32_t>(device), ops);
    });
    return devices;
}

StepCheck sum_of(std::span<const DeviceOutputs> devices) {
    StepCheck sum;
    for (const DeviceOutputs& device : devices) {
        sum.num_elements += device.exact.num_elements;
        if (!device.exact.passed()) {
            sum.pcc = device.exact.pcc;
            sum.failure = device.exact.failure;
            break;
        }
    }
    return sum;
}

// Beyond the sum itself: the same bytes everywhere.
StepCheck verify_all_reduce(const Session& session, const Step& step, const Tolerance& tolerance) {
    const ComparedOutput output{0, step.plan->outputs[0], read_output(session, step, 0, 0),
                                all_reduce_reference(session, step)};
    const ValidRange all{&output, 0, num_elements(output.test.shape)};
    StepCheck check = compare_closely({&all, 1}, tolerance);
    for (std::uint32_t device = 1; device < step.devices.size() && check.passed(); ++device) {
        if (read_output(session, step, device, 0).bytes != output.test.bytes) {
            check.failure = fmt::format("device {} holds other bytes than device 0", device);
        }
    }
    return check;
}

}  // namespace

StepCheck verify_step(const Session& session, const Step& step, const OpsSpec& ops,
                      const Tolerance& tolerance) {
    if (step.plan->kind == StepKind::AllReduce) {
        return verify_all_reduce(session, step, tolerance);
    }
    const std::vector<DeviceOutputs> devices = all_outputs(session, step, ops);
    if (is_exact(*step.plan->op)) {
        return sum_of(devices);
    }
    std::vector<ValidRange> ranges;
    for (const DeviceOutputs& device : devices) {
        ranges.insert(ranges.end(), device.ranges.begin(), device.ranges.end());
    }
    return compare_closely(ranges, tolerance);
}

}  // namespace tessera::ops::moe_v2
