// SPDX-License-Identifier: Apache-2.0
#include "ops/exchange/collective.hpp"

#include <algorithm>
#include <limits>

#include "ops/expect_tensor.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::exchange {

bool judge_bytes(const TensorPlan& plan, std::string_view operand, RuleJudge& judge) {
    // Pages of rows are padded to at most the 64 bytes of a DRAM access.
    constexpr std::uint64_t kPadding = 64;
    const std::uint64_t bytes =
        std::uint64_t{plan.spec.num_pages()} * (plan.spec.page_size() + kPadding);
    const bool holds = bytes <= std::numeric_limits<std::uint32_t>::max();
    judge.require(
        holds, operand,
        fmt::format("is {}, {} B with the padding of its pages; a collective counts up to "
                    "{} B",
                    describe(plan.spec), bytes, std::numeric_limits<std::uint32_t>::max()));
    return holds;
}

void judge_memory(const OpContext& context, RuleJudge& judge) {
    for (const TensorPlan& output : context.outputs) {
        judge.require(output.memory == context.inputs[0].memory, "output",
                      "lies in another memory than the input; packets keep the padding of pages");
    }
}

std::vector<std::uint32_t> part_rows(const OpContext& context, std::size_t operand,
                                     std::uint32_t rows) {
    if (context.host_inputs.size() <= operand || context.host_inputs[operand].empty()) {
        return std::vector<std::uint32_t>(context.devices.size(), rows);
    }
    const auto counts = context.host_counts(operand, 0);
    return {counts.begin(), counts.end()};
}

std::vector<std::uint32_t> part_rows(const ReferenceContext& context, std::size_t operand,
                                     std::uint32_t rows) {
    if (context.inputs.size() <= operand || context.inputs[operand].empty()) {
        return std::vector<std::uint32_t>(context.inputs[0].size(), rows);
    }
    return context.counts(operand);
}

std::vector<Part> parts_of(std::span<const std::uint32_t> rows, const TensorSpec& spec,
                           std::uint32_t page_stride) {
    std::vector<Part> parts;
    std::uint32_t begin = 0;
    for (const std::uint32_t count : rows) {
        const std::uint64_t pages = std::uint64_t{spec.num_pages()} * count / spec.shape[0];
        parts.push_back({begin, static_cast<std::uint32_t>(pages * page_stride)});
        begin += parts.back().bytes;
    }
    return parts;
}

void check_part_rows(std::string_view op, const ReferenceContext& context, std::size_t operand,
                     std::uint32_t most) {
    if (context.inputs.size() <= operand) {
        return;
    }
    const std::vector<std::uint32_t> counts = context.counts(operand);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        require(counts[i] <= most, "{}: counts[{}] is {}; a device's part has 0 to {} rows", op, i,
                counts[i], most);
    }
}

std::vector<DeviceProgram> make_programs(const OpContext& context, const Transport& transport,
                                         std::uint32_t ways, GroupPlans plans) {
    const std::uint32_t credits = number_credits(plans, context.devices);
    std::vector<DeviceProgram> programs;
    for (std::size_t p = 0; p < context.devices.size(); ++p) {
        const DeviceTensor* workspace =
            context.device_outputs.size() > 1 ? &context.device_outputs[1][p] : nullptr;
        programs.push_back(
            {context.devices[p], make_program(context.arch, transport,
                                              {.device = context.devices[p],
                                               .input = context.device_inputs[0][p],
                                               .output = context.device_outputs[0][p],
                                               .workspace = workspace,
                                               .plans = plans[p],
                                               .ways = ways,
                                               .num_credits = credits})});
    }
    return programs;
}

}  // namespace tessera::ops::exchange
