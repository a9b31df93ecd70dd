// SPDX-License-Identifier: Apache-2.0
#include "ops/rotary_table/rotary_table.hpp"

#include <bit>
#include <cmath>

#include "ops/rotary_table/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::rotary_table {
namespace {

using config::field;
using config::Limits;

// Frequencies are arguments, which saves a tensor and a read of it by each core.
constexpr std::uint32_t kMostElements = 256;  // whose frequencies fit in a kernel's arguments

constexpr std::array kFields{
    field<&RotaryTableSpec::layout>("layout", "interleaved",
                                    "elements that rotate together, and their order in the output"),
    field<&RotaryTableSpec::dim>("dim", config::kRequired, "elements of a head that are rotated",
                                 Limits{.least = 2, .most = kMostElements, .multiple_of = 2}),
    field<&RotaryTableSpec::theta>("theta", "10000", "base of the frequencies", Limits{1, 1e30}),
    field<&RotaryTableSpec::yarn_factor>(
        "yarn_factor", "1", "YaRN: by how much the context is longer; 1: no YaRN", Limits{1, 1e6}),
    field<&RotaryTableSpec::yarn_beta_fast>("yarn_beta_fast", "32",
                                            "YaRN: turns from which on a pair keeps its frequency",
                                            Limits{1e-6, 1e6}),
    field<&RotaryTableSpec::yarn_beta_slow>("yarn_beta_slow", "1",
                                            "YaRN: turns up to which a pair's frequency is divided",
                                            Limits{1e-6, 1e6}),
    field<&RotaryTableSpec::yarn_original_positions>(
        "yarn_original_positions", "4096", "YaRN: positions that the model was trained with",
        Limits{1, 4294967295.0}),
    field<&RotaryTableSpec::yarn_truncate>("yarn_truncate", "true",
                                           "YaRN: whether the ends of the blend are whole pairs"),
    field<&RotaryTableSpec::attention_factor>(
        "attention_factor", "0", "factor of cosines and sines; 0: 0.1 ln(yarn_factor) + 1",
        Limits{0, 1e6}),
    field<&RotaryTableSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// The pair that turns `turns` times over the original positions, as a real number.
double pair_of_turns(const RotaryTableSpec& spec, double turns) {
    constexpr double kTwoPi = 6.283185307179586;
    return spec.dim * std::log(spec.yarn_original_positions / (turns * kTwoPi)) /
           (2 * std::log(spec.theta));
}

/// The part of a frequency that YaRN divides: 0 for pairs that turn fast, 1 for those that turn
/// slowly.
double divided_part(const RotaryTableSpec& spec, std::size_t pair) {
    double first = pair_of_turns(spec, spec.yarn_beta_fast);
    double last = pair_of_turns(spec, spec.yarn_beta_slow);
    if (spec.yarn_truncate) {
        first = std::floor(first);
        last = std::ceil(last);
    }
    first = std::max(first, 0.0);
    last = std::min(last, static_cast<double>(spec.dim - 1));
    constexpr double kSmallest = 0.001;  // as in the published code: the ends must differ
    const double width = first == last ? kSmallest : last - first;
    return std::clamp((static_cast<double>(pair) - first) / width, 0.0, 1.0);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<RotaryTableSpec>();
    judge_grid(context.arch, spec.grid, judge);
    // Pairs turn together, so that an odd element would have no partner.
    judge.require(spec.dim >= 2 && spec.dim % 2 == 0 && spec.dim <= kMostElements, "dim",
                  fmt::format("is {}; allowed: an even number, 2 to {}: elements turn in pairs",
                              spec.dim, kMostElements));
    judge.require(spec.yarn_factor == 1 || spec.theta > 1, "theta",
                  fmt::format("is {}; allowed with YaRN: more than 1", spec.theta));
    judge.require(spec.yarn_beta_fast >= spec.yarn_beta_slow, "yarn_beta_fast",
                  fmt::format("is {}; allowed: at least yarn_beta_slow, which is {}",
                              spec.yarn_beta_fast, spec.yarn_beta_slow));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const auto& spec = context.params<RotaryTableSpec>();
    // Outputs at the end may be left out; their extents are known nevertheless.
    const auto positions =
        static_cast<std::uint32_t>(num_elements(context.inputs[only(kInputs)].spec.shape));
    const auto plan = [&](std::uint32_t width) {
        return TensorPlan{.spec = {{positions, width}, DataFormat::Float32, Layout::ROW_MAJOR}};
    };
    // A `dim` of 0 or 1 is refused by rules(); until then one pair keeps the arithmetic defined.
    const std::uint32_t pairs = std::max(spec.dim / 2, 1U);
    return {plan(pairs),
            plan(pairs),
            plan(2 * part_width(spec.dim)),
            {.spec = {{pairs}, DataFormat::Float32, Layout::ROW_MAJOR}}};
}

/// Returns what all cores share: addresses, frequencies, and the address of the frequencies'
/// output.
std::vector<std::uint32_t> common_args(const RotaryTableSpec& spec, const TableTensors& tensors,
                                       bool is_extended) {
    std::vector<std::uint32_t> common =
        words_of(OutputAddresses{.cos = address_of(tensors.cos),
                                 .sin = address_of(tensors.sin),
                                 .table = address_of(tensors.table)});
    for (const float frequency : frequencies_of(spec)) {
        common.push_back(std::bit_cast<std::uint32_t>(frequency));
    }
    if (is_extended) {
        common.push_back(address_of(tensors.frequencies));
    }
    return common;
}

TableArgs table_args(const RotaryTableSpec& spec, const Shape& positions,
                     std::uint32_t num_outputs) {
    return {.position_width = row_length(positions),
            .dim = spec.dim,
            .part = part_width(spec.dim),
            .layout = static_cast<std::uint32_t>(spec.layout),
            .num_outputs = num_outputs,
            .factor = float_word(attention_factor(spec))};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<RotaryTableSpec>();
    const DeviceTensor& positions = context.device_inputs[only(kInputs)][position];
    const auto count = static_cast<std::uint32_t>(num_elements(positions.spec.shape));
    const auto num_outputs = static_cast<std::uint32_t>(context.outputs.size());
    // Rows are positions, all of the same work: an even share leaves no core waiting.
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, count);
    const std::uint32_t pairs = spec.dim / 2;
    const Scratch scratch[]{{Cb::Positions, 64},
                            {Cb::Cos, std::uint64_t{4} * pairs},
                            {Cb::Sin, std::uint64_t{4} * pairs},
                            {Cb::Table, std::uint64_t{8} * part_width(spec.dim)}};

    Program program = CreateProgram();
    add_scratch(program, work.cores, scratch, dram_alignment(context.arch));
    const auto output = [&](std::size_t i) {
        return i < num_outputs ? &context.device_outputs[i][position].buffer : nullptr;
    };
    const TableTensors tensors{.positions = &positions.buffer,
                               .cos = output("cos"_out),
                               .sin = output("sin"_out),
                               .table = output("table"_out),
                               .frequencies = output("frequencies"_out)};
    // YaRN and the output of frequencies have a second kernel, so that a plain table keeps the
    // instructions, and thus the predicted time, of its first one.
    const bool is_extended = attention_factor(spec) != 1 || num_outputs > "frequencies"_out;
    const KernelHandle kernel = CreateKernel(
        program,
        is_extended ? "ops/rotary_table/kernels/extended_table.cpp"
                    : "ops/rotary_table/kernels/table.cpp",
        work.cores, reader_config(table_args(spec, positions.spec.shape, num_outputs), tensors));
    SetCommonRuntimeArgs(program, kernel, common_args(spec, tensors, is_extended));
    for (const WorkShare& share : work.shares) {
        set_args(program, kernel, share.core,
                 TableRange{.first_row = share.first,
                            .num_rows = share.count,
                            .positions_address = positions.buffer.address});
    }
    return program;
}

HostTensor floats(Shape shape) {
    return make_host_tensor(std::move(shape), DataFormat::Float32);
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<RotaryTableSpec>();
    const HostTensor positions = context.read(only(kInputs));
    const std::vector<float> frequencies = frequencies_of(spec);
    const double factor = attention_factor(spec);
    const std::size_t pairs = frequencies.size();
    const std::uint32_t part = part_width(spec.dim);
    const auto count = static_cast<std::uint32_t>(num_elements(positions.shape));
    std::vector<HostTensor> outputs;
    outputs.push_back(floats({count, spec.dim / 2}));
    outputs.push_back(floats({count, spec.dim / 2}));
    outputs.push_back(floats({count, 2 * part}));
    // Angles are in double: a float holds an angle of 100 000 to 2^-8 radian only.
    for (std::size_t p = 0; p < count; ++p) {
        const auto angle = [&](std::size_t i) {
            return static_cast<double>(positions.as<std::int32_t>()[p]) *
                   static_cast<double>(frequencies[i]);
        };
        for (std::size_t i = 0; i < pairs; ++i) {
            outputs["cos"_out].as<float>()[p * pairs + i] =
                static_cast<float>(factor * std::cos(angle(i)));
            outputs["sin"_out].as<float>()[p * pairs + i] =
                static_cast<float>(factor * std::sin(angle(i)));
        }
        const auto row =
            outputs["table"_out].as<float>().subspan(p * 2 * part, std::size_t{2} * part);
        for (std::uint32_t element = 0; element < spec.dim; ++element) {
            const RotatedPair pair = rotated_pair(spec.layout, spec.dim, element);
            const double sine = factor * std::sin(angle(pair.frequency));
            row[element] = static_cast<float>(factor * std::cos(angle(pair.frequency)));
            // The first element of a pair gets minus the sine, the second plus.
            row[part + element] = static_cast<float>(pair.is_second ? sine : -sine);
        }
    }
    HostTensor own = floats({spec.dim / 2});
    std::copy(frequencies.begin(), frequencies.end(), own.as<float>().begin());
    outputs.push_back(std::move(own));
    outputs.resize(context.outputs.size());
    return outputs;
}

}  // namespace

// Powers are computed on the host in double; the kernel gets one word a frequency.
std::vector<float> frequencies_of(const RotaryTableSpec& spec) {
    std::vector<float> frequencies(spec.dim / 2);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double own =
            std::pow(spec.theta, -2.0 * static_cast<double>(i) / static_cast<double>(spec.dim));
        const double part = spec.yarn_factor == 1 ? 0 : divided_part(spec, i);
        frequencies[i] = static_cast<float>(own * (1 - part) + own / spec.yarn_factor * part);
    }
    return frequencies;
}

double attention_factor(const RotaryTableSpec& spec) {
    return spec.attention_factor != 0 ? spec.attention_factor
                                      : 0.1 * std::log(spec.yarn_factor) + 1;
}

RotatedPair rotated_pair(RopeLayout layout, std::uint32_t dim, std::uint32_t element) {
    const std::uint32_t half = dim / 2;
    switch (layout) {
        case RopeLayout::Interleaved:
            return {element, element ^ 1U, element / 2, element % 2 == 1};
        case RopeLayout::Half:
            return {element, (element + half) % dim, element % half, element >= half};
        case RopeLayout::Deinterleaved:
            break;
    }
    // Deinterleaved: the result has all first elements, then all second ones.
    const bool is_second = element >= half;
    const std::uint32_t own = 2 * (element % half) + (is_second ? 1 : 0);
    return {own, own ^ 1U, element % half, is_second};
}

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<RotaryTableSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::rotary_table
