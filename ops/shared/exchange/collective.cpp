// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/collective.hpp"

#include <algorithm>
#include <limits>

#include "emu/base/round_up.hpp"
#include "ops/shared/describe_tensor.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::exchange {

namespace {

// Pages of rows are padded to at most the 64 bytes of a DRAM access.
std::uint64_t padded_bytes(const TensorSpec& spec) {
    constexpr std::uint64_t kAlignment = 64;
    const std::uint64_t page = round_up(spec.page_size(), kAlignment);
    return spec.num_pages() * page;
}

bool judge_bytes(const TensorPlan& plan, RuleJudge& judge) {
    // Plans count bytes in 32-bit words of the kernels.
    const std::uint64_t bytes = padded_bytes(plan.spec);
    const bool holds = bytes <= std::numeric_limits<std::uint32_t>::max();
    judge.require(
        holds, "input",
        fmt::format("is {}, {} B with the padding of its pages; a collective counts up to "
                    "{} B",
                    describe(plan.spec), bytes, std::numeric_limits<std::uint32_t>::max()));
    return holds;
}

void judge_memory(const OpContext& context, RuleJudge& judge) {
    for (const TensorPlan& output : context.outputs) {
        // The page stride of DRAM may differ from L1's, and one plan serves both tensors.
        judge.require(output.memory == context.inputs[kFirst].memory, "output",
                      "is in another memory than the input; allowed: the same, since packets keep "
                      "the padding of pages");
    }
}

GroupPlans plans_of(const OpContext& context, const Collective& collective,
                    std::uint32_t page_stride) {
    return collective.plans(
        {context.mesh, context.devices, collective.transport.links, collective.travel},
        page_stride);
}

}  // namespace

std::vector<std::uint32_t> part_rows(const OpContext& context, std::size_t operand,
                                     std::uint32_t rows) {
    // Without counts all parts have the same number of rows.
    if (context.host_inputs.size() <= operand || context.host_inputs[operand].empty()) {
        return std::vector<std::uint32_t>(context.devices.size(), rows);
    }
    const auto counts = context.host_counts(operand, 0);
    return {counts.begin(), counts.end()};
}

std::vector<std::uint32_t> part_rows(const ReferenceContext& context, std::size_t operand,
                                     std::uint32_t rows) {
    if (context.inputs.size() <= operand || context.inputs[operand].empty()) {
        return std::vector<std::uint32_t>(context.inputs[kFirst].size(), rows);
    }
    return context.counts(operand);
}

std::vector<Part> parts_of(std::span<const std::uint32_t> rows, const TensorSpec& spec,
                           std::uint32_t page_stride) {
    std::vector<Part> parts;
    std::uint32_t begin = 0;
    for (const std::uint32_t count : rows) {
        // Pages in 64 bits: the product exceeds 32 bits for large tensors.
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

void judge_collective(const OpContext& context, const Collective& collective,
                      const TensorPlan& counted, RuleJudge& judge) {
    judge_transport(context.arch, collective.transport, ways_of(collective.travel), judge);
    judge_memory(context, judge);
    // Each later rule assumes that a plan exists, so the first broken one ends the checks.
    const bool is_possible =
        collective.travel != Travel::RowsColumns || judge_rows_and_columns(context, judge);
    if (!is_possible || !judge_bytes(counted, judge)) {
        return;
    }
    judge_plan(judge, "devices", [&] {
        GroupPlans plans = plans_of(context, collective, context.inputs[kFirst].spec.page_size());
        judge_buffers(context.arch, collective.transport, acts_of(plans), judge);
        judge_plans(std::move(plans), context.devices, judge);
    });
}

std::vector<TensorPlan> collective_workspaces(const OpContext& context,
                                              const Collective& collective) {
    const TensorPlan& input = context.inputs[kFirst];
    // Only schedules of several phases keep sums between them.
    if (!acts_of(plans_of(context, collective, input.spec.page_size())).keeps_sums) {
        return {};
    }
    const auto units = static_cast<std::uint32_t>(div_up(padded_bytes(input.spec), kUnitBytes));
    return {
        {.spec = {{units, kUnitBytes / 2}, partial_format(collective.transport), Layout::ROW_MAJOR},
         .memory = input.memory}};
}

std::vector<DeviceProgram> collective_programs(const OpContext& context,
                                               const Collective& collective) {
    GroupPlans plans = plans_of(context, collective,
                                context.device_inputs[kFirst].front().buffer.aligned_page_size);
    // Credits are numbered over all devices, because both ends of a link use the same semaphore.
    const std::uint32_t credits = number_credits(plans, context.devices);
    const Acts acts = acts_of(plans);
    std::vector<DeviceProgram> programs;
    for (std::size_t p = 0; p < context.devices.size(); ++p) {
        const DeviceTensor* workspace =
            acts.keeps_sums ? &context.workspaces().front()[p] : nullptr;
        programs.push_back(
            {context.devices[p], make_program(context.arch, collective.transport,
                                              {.device = context.devices[p],
                                               .input = context.device_inputs[kFirst][p],
                                               .output = context.device_outputs[kFirst][p],
                                               .workspace = workspace,
                                               .plans = plans[p],
                                               .acts = acts,
                                               .ways = ways_of(collective.travel),
                                               .num_credits = credits})});
    }
    return programs;
}

}  // namespace tessera::ops::exchange
