// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode/attention_decode.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/attention/attention.hpp"
#include "ops/expert_rows/tables.hpp"
#include "ops/kv_cache_append/kv_cache_append.hpp"
#include "ops/row_strips/row_strips.hpp"
#include "ops/schedule_fields.hpp"
#include "ops/work_share.hpp"

namespace tessera::ops::attention_decode {
namespace {

using attention::Shapes;
using config::field;
using config::Limits;

constexpr std::uint32_t kMostSplit = 64;

constexpr std::array kFields{
    field<&DecodeSpec::scale>("scale", config::kRequired, "of scores", Limits{1e-30, 1e30}),
    field<&DecodeSpec::page_size>("page_size", "32", "positions of a page of the cache",
                                  Limits{1, 65536}),
    field<&DecodeSpec::block>("block", "4", "key tiles that are worked on together", Limits{1, 16}),
    field<&DecodeSpec::split>("split", "0",
                              "cores that share a token's keys; 0: as its keys ask for",
                              Limits{0, kMostSplit}),
    field<&DecodeSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
};

/// Extents of a call.
struct Extents {
    std::uint32_t tokens, heads, latent, rope;

    [[nodiscard]] std::uint32_t units() const { return tokens * div_up(heads, kTileRows); }
};

Extents extents_of(const Shape& latent, const Shape& rope) {
    const std::uint32_t heads = latent[latent.size() - 2];
    return {num_rows(latent) / heads, heads, row_length(latent), row_length(rope)};
}

/// Lists of −1 alone stand for no operand: one entry a token tells them from the others.
std::uint32_t chosen_width(std::span<const TensorPlan> inputs) {
    return inputs.size() > 5 ? row_length(inputs[5].spec.shape) : 0;
}

Shapes shapes_of(const OpContext& context) {
    const auto& spec = context.params<DecodeSpec>();
    const Extents extents = extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape);
    return {
        .query_tiles = div_up(extents.latent, kTileColumns) + div_up(extents.rope, kTileColumns),
        .value_tiles = div_up(extents.latent, kTileColumns),
        .block = std::max(spec.block, 1U),
        .scale = spec.scale,
        .page_words = context.inputs[3].spec.shape[1],
        .chosen_words = chosen_width(context.inputs)};
}

void judge_lists(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const auto entries = [&](std::size_t operand) {
        return num_elements(context.inputs[operand].spec.shape);
    };
    const auto require_one_each = [&](std::size_t operand) {
        judge.require(entries(operand) == extents.tokens, kInputs[operand].name,
                      fmt::format("has {} entries; it must have one for each of {} tokens",
                                  entries(operand), extents.tokens));
    };
    require_one_each(4);
    if (context.inputs.size() > 5) {
        judge.require(num_rows(context.inputs[5].spec.shape) == extents.tokens, "chosen",
                      fmt::format("has {} rows; it must have one for each of {} tokens",
                                  num_rows(context.inputs[5].spec.shape), extents.tokens));
    }
    if (context.inputs.size() > 6) {
        require_one_each(6);
    }
    const std::uint32_t sequences = context.inputs[3].spec.shape[0];
    judge.require(context.inputs.size() > 6 || extents.tokens % sequences == 0, "page_table",
                  fmt::format("has {} sequences, which do not divide {} tokens; `sequences` can "
                              "say whose each one is",
                              sequences, extents.tokens));
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<DecodeSpec>();
    if (!judge_grid(context.arch, spec.grid, judge)) {
        return;
    }
    const Extents extents = extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape);
    judge.require(extents.latent % kTileColumns == 0, "q_latent",
                  fmt::format("has latents of {} elements; they must be whole tiles of {}",
                              extents.latent, kTileColumns));
    judge_cache_rows(kInputs[2], context.inputs[2].spec, extents.latent + extents.rope,
                     spec.page_size, dram_alignment(context.arch), judge);
    judge.require(spec.scale > 0, "scale", fmt::format("is {}; it must be positive", spec.scale));
    judge.require(spec.page_size > 0, "page_size", "is 0; it must be at least 1");
    judge.require(spec.block > 0, "block", "is 0; it must be at least 1");
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    judge.require(spec.split <= grid.x * grid.y, "split",
                  fmt::format("is {}; the grid has {} cores", spec.split, grid.x * grid.y));
    judge_lists(context, extents, judge);
    attention::judge_buffers(context.arch, shapes_of(context), judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    return {{.spec = context.inputs[0].spec}};
}

/// The cores of a launch: groups of `split` neighbours down the columns.
struct Groups {
    std::vector<CoreCoord> cores;
    std::uint32_t split = 1;

    [[nodiscard]] std::uint32_t count() const {
        return static_cast<std::uint32_t>(cores.size()) / split;
    }
};

/// A core's part of the blocks takes as long to work through as they are many, and merging as many
/// cores as there are: their number is the root of twice the blocks. Tried at 1024, 4096 and 32768
/// positions, 16 heads and all of a Wormhole's cores: 4, 8 and 16 cores were fastest, as here.
std::uint32_t fitting_split(const OpContext& context) {
    const auto& spec = context.params<DecodeSpec>();
    const std::uint32_t chosen = chosen_width(context.inputs);
    const std::uint64_t keys =
        chosen != 0 ? chosen : std::uint64_t{context.inputs[3].spec.shape[1]} * spec.page_size;
    const double blocks = std::ceil(static_cast<double>(keys) / (spec.block * kTileRows));
    return static_cast<std::uint32_t>(std::ceil(std::sqrt(2 * blocks)));
}

Groups groups_of(const OpContext& context, std::uint32_t units) {
    const auto& spec = context.params<DecodeSpec>();
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    const std::uint32_t all = grid.x * grid.y;
    const std::uint32_t most = std::clamp(all / units, 1U, kMostSplit);
    const std::uint32_t split =
        spec.split != 0 ? spec.split : std::min(most, fitting_split(context));
    const std::uint32_t count = std::min(units, all / split) * split;
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, count);
    Groups groups{{}, split};
    for (const WorkShare& share : work.shares) {
        groups.cores.push_back(share.core);
    }
    return groups;
}

CoreRangeSet range_of(const std::vector<CoreCoord>& cores) {
    std::vector<CoreRange> ranges;
    for (const CoreCoord& core : cores) {
        ranges.emplace_back(core);
    }
    return CoreRangeSet(ranges);
}

std::vector<std::uint32_t> reader_words(const OpContext& context, const Shapes& shapes,
                                        const Extents& extents, attention::Handshake handshake) {
    const auto& inputs = context.inputs;
    const bool has_sequences = inputs.size() > 6;
    return {extents.heads,
            2 * extents.latent,
            2 * extents.rope,
            shapes.query_tiles,
            shapes.block,
            context.params<DecodeSpec>().page_size,
            shapes.page_words,
            shapes.chosen_words,
            std::max(extents.tokens / inputs[3].spec.shape[0], 1U),
            handshake.room,
            handshake.arrived,
            shapes.partial_tiles(),
            row_length(inputs[4].spec.shape),
            has_sequences ? row_length(inputs[6].spec.shape) : 0,
            positions_of_row(inputs[2].spec.shape, extents.latent + extents.rope,
                             context.params<DecodeSpec>().page_size)};
}

void set_arguments(Program& program, const ArchSpec& arch, const Groups& groups,
                   KernelHandle reader, KernelHandle writer,
                   const std::vector<std::uint32_t>& addresses, std::uint32_t output,
                   std::uint32_t units) {
    const CoreCoord origin = arch.workers.virtual_origin;
    for (std::uint32_t i = 0; i < groups.cores.size(); ++i) {
        const std::uint32_t slot = i % groups.split;
        std::vector<std::uint32_t> args{i / groups.split, groups.count(), slot, groups.split,
                                        units};
        args.insert(args.end(), addresses.begin(), addresses.end());
        args.push_back(slot == 0 ? groups.split - 1 : 0);
        for (std::uint32_t partner = 1; slot == 0 && partner < groups.split; ++partner) {
            args.push_back(origin.x + groups.cores[i + partner].x);
            args.push_back(origin.y + groups.cores[i + partner].y);
        }
        SetRuntimeArgs(program, reader, groups.cores[i], args);
        const CoreCoord leader = groups.cores[i - slot];
        SetRuntimeArgs(program, writer, groups.cores[i],
                       {output, origin.x + leader.x, origin.y + leader.y});
    }
}

Program make_program(const OpContext& context, std::size_t position) {
    const Shapes shapes = shapes_of(context);
    const Extents extents = extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape);
    const Groups groups = groups_of(context, extents.units());
    const CoreRangeSet cores = range_of(groups.cores);

    Program program = CreateProgram();
    const attention::Handshake handshake{CreateSemaphore(program, cores, 0),
                                         CreateSemaphore(program, cores, 0)};
    attention::add_compute(program, context.arch, cores, shapes);
    std::vector<std::uint32_t> words = reader_words(context, shapes, extents, handshake);
    std::vector<std::uint32_t> addresses;
    for (std::size_t operand = 0; operand < kInputs.size(); ++operand) {
        // The kernel gets words of another tensor for a list that is not there.
        const auto& tensors = context.device_inputs[operand < context.inputs.size() ? operand : 4];
        append_accessors({&tensors[position]}, words);
        addresses.push_back(tensors[position].buffer.address);
    }
    const KernelHandle reader = CreateKernel(program, "ops/attention_decode/kernels/reader.cpp",
                                             cores, ReaderDataMovementConfig(std::move(words)));
    const DeviceTensor& output = context.device_outputs[0][position];
    const KernelHandle writer = attention::add_writer(program, cores, shapes, output, handshake);
    set_arguments(program, context.arch, groups, reader, writer, addresses, output.buffer.address,
                  extents.units());
    return program;
}

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) { return make_program(context, p); });
}

/// The rows of the cache that a token sees.
class SeenRows {
public:
    SeenRows(const ReferenceContext& context, std::size_t tokens)
        : pages_(context.read(3), context.params<DecodeSpec>().page_size),
          positions_(context.read(4)),
          chosen_(context.inputs.size() > 5 ? context.read(5) : HostTensor{}),
          sequences_(context.inputs.size() > 6 ? context.read(6) : HostTensor{}),
          tokens_each_(std::max<std::size_t>(tokens / pages_.num_sequences(), 1)) {}

    [[nodiscard]] std::vector<std::size_t> of(std::size_t token) const {
        const std::size_t sequence =
            sequences_.shape.empty()
                ? token / tokens_each_
                : static_cast<std::size_t>(sequences_.as<std::int32_t>()[token]);
        std::vector<std::size_t> rows;
        for (const std::int32_t position : seen(token)) {
            rows.push_back(pages_.row(sequence, static_cast<std::size_t>(position)));
        }
        return rows;
    }

private:
    [[nodiscard]] std::vector<std::int32_t> seen(std::size_t token) const {
        const std::int32_t own = positions_.as<std::int32_t>()[token];
        std::vector<std::int32_t> positions;
        if (chosen_.shape.empty()) {
            positions.resize(static_cast<std::size_t>(own + 1));
            std::iota(positions.begin(), positions.end(), 0);
            return positions;
        }
        const std::size_t width = row_length(chosen_.shape);
        for (const std::int32_t entry : chosen_.as<std::int32_t>().subspan(token * width, width)) {
            if (entry >= 0 && entry <= own) {
                positions.push_back(entry);
            }
        }
        return positions;
    }

    CachePages pages_;
    HostTensor positions_;
    HostTensor chosen_;
    HostTensor sequences_;
    std::size_t tokens_each_;
};

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const Extents extents = extents_of(context.in(0).shape(), context.in(1).shape());
    const std::vector<float> latent = vector_of(context.read(0));
    const std::vector<float> rope = vector_of(context.read(1));
    const std::vector<float> cache = vector_of(context.read(2));
    const SeenRows seen(context, extents.tokens);
    const std::size_t width = extents.latent + extents.rope;
    HostTensor output = make_host_tensor(context.outputs[0].spec.shape, DataFormat::Float32);
    const auto dot = [](const float* a, const float* b, std::size_t count) {
        return std::inner_product(a, a + count, b, 0.0);
    };
    tbb::parallel_for(std::size_t{0}, std::size_t{extents.tokens}, [&](std::size_t token) {
        const std::vector<std::size_t> rows = seen.of(token);
        for (std::size_t head = token * extents.heads; head < (token + 1) * extents.heads; ++head) {
            std::vector<double> sum(extents.latent);
            attention::attend(
                rows.size(), context.params<DecodeSpec>().scale,
                [&](std::size_t key) {
                    const float* row = &cache[rows[key] * width];
                    return dot(&latent[head * extents.latent], row, extents.latent) +
                           dot(&rope[head * extents.rope], row + extents.latent, extents.rope);
                },
                [&](std::size_t key, double weight) {
                    for (std::size_t i = 0; i < sum.size(); ++i) {
                        sum[i] += weight * static_cast<double>(cache[rows[key] * width + i]);
                    }
                });
            std::transform(sum.begin(), sum.end(),
                           output.as<float>().subspan(head * extents.latent).begin(),
                           [](double value) { return static_cast<float>(value); });
        }
    });
    std::vector<HostTensor> outputs;
    outputs.push_back(std::move(output));
    return outputs;
}

void check_values(const ReferenceContext& context) {
    const HostTensor sequences = context.inputs.size() > 6 ? context.read(6) : HostTensor{};
    check_cache_places(kSpec.name, context.read(3), context.read(4),
                       sequences.shape.empty() ? nullptr : &sequences,
                       context.params<DecodeSpec>().page_size,
                       positions_of(context.in(2).shape(), row_length(context.in(0).shape()) +
                                                               row_length(context.in(1).shape())));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<DecodeSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = programs,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {3, 4, 6}};
    return kOp;
}

}  // namespace tessera::ops::attention_decode
