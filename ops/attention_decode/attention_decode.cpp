// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_decode/attention_decode.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "emu/base/bf16.hpp"
#include "ops/attention/attention.hpp"
#include "ops/expert_rows/tables.hpp"
#include "ops/fp8_blocks/fp8_blocks.hpp"
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

/// A cache in fp8 comes with its scales and rotated parts, in front of optional lists.
constexpr std::size_t kScales = 5;
constexpr std::size_t kRopeCache = 6;

bool is_fp8(DataFormat cache) {
    return cache == DataFormat::Fp8_e4m3;
}
std::size_t place_of_chosen(DataFormat cache) {
    return is_fp8(cache) ? 7 : 5;
}
std::size_t place_of_sequences(DataFormat cache) {
    return place_of_chosen(cache) + 1;
}
std::span<const Operand> operands_of(DataFormat cache) {
    return is_fp8(cache) ? std::span<const Operand>(kFp8Inputs) : kInputs;
}

/// Extents of a call.
struct Extents {
    std::uint32_t tokens, heads, latent, rope;

    [[nodiscard]] std::uint32_t units() const { return tokens * div_up(heads, kTileRows); }
};

Extents extents_of(const Shape& latent, const Shape& rope) {
    const std::uint32_t heads = latent[latent.size() - 2];
    return {num_rows(latent) / heads, heads, row_length(latent), row_length(rope)};
}

std::uint32_t chosen_width(std::span<const TensorPlan> inputs) {
    const std::size_t chosen = place_of_chosen(inputs[2].spec.format);
    return inputs.size() > chosen ? row_length(inputs[chosen].spec.shape) : 0;
}

/// Blocks of a latent that have a scale each; 0 in bfloat16.
std::uint32_t scales_of(DataFormat cache, const Extents& extents) {
    return is_fp8(cache) ? div_up(extents.latent, fp8::kBlock) : 0;
}

Shapes shapes_of(const OpContext& context) {
    const auto& spec = context.params<DecodeSpec>();
    const Extents extents = extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape);
    return {
        .query_tiles = div_up(extents.latent, kTileColumns) + div_up(extents.rope, kTileColumns),
        .value_tiles = div_up(extents.latent, kTileColumns),
        .block = std::max(spec.block, 1U),
        .scale_tiles = scales_of(context.inputs[2].spec.format, extents),
        .scale = spec.scale,
        .page_words = context.inputs[3].spec.shape[1],
        .chosen_words = chosen_width(context.inputs)};
}

void judge_lists(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const auto entries = [&](std::size_t operand) {
        return num_elements(context.inputs[operand].spec.shape);
    };
    const DataFormat cache = context.inputs[2].spec.format;
    const std::size_t chosen = place_of_chosen(cache);
    const std::size_t lists = place_of_sequences(cache);
    const auto require_one_each = [&](std::size_t operand) {
        judge.require(entries(operand) == extents.tokens, operands_of(cache)[operand].name,
                      fmt::format("has {} entries; it must have one for each of {} tokens",
                                  entries(operand), extents.tokens));
    };
    require_one_each(4);
    if (context.inputs.size() > chosen) {
        const std::uint32_t rows = num_rows(context.inputs[chosen].spec.shape);
        judge.require(rows == extents.tokens, "chosen",
                      fmt::format("has {} rows; it must have one for each of {} tokens", rows,
                                  extents.tokens));
    }
    if (context.inputs.size() > lists) {
        require_one_each(lists);
    }
    const std::uint32_t sequences = context.inputs[3].spec.shape[0];
    judge.require(context.inputs.size() > lists || extents.tokens % sequences == 0, "page_table",
                  fmt::format("has {} sequences, which do not divide {} tokens; `sequences` can "
                              "say whose each one is",
                              sequences, extents.tokens));
}

void judge_caches(const OpContext& context, const Extents& extents, RuleJudge& judge) {
    const std::uint32_t page_size = context.params<DecodeSpec>().page_size;
    const std::uint32_t alignment = dram_alignment(context.arch);
    const TensorSpec& cache = context.inputs[2].spec;
    if (!is_fp8(cache.format)) {
        judge_cache_rows(kInputs[2], cache, extents.latent + extents.rope, page_size, alignment,
                         judge);
        return;
    }
    const std::uint32_t scales = scales_of(cache.format, extents);
    judge_cache_rows(kFp8Inputs[2], cache, extents.latent, page_size, alignment, judge);
    judge_cache_rows(kFp8Inputs[kScales], context.inputs[kScales].spec, scales, page_size, 1,
                     judge);
    judge_cache_rows(kFp8Inputs[kRopeCache], context.inputs[kRopeCache].spec, extents.rope,
                     page_size, alignment, judge);
    constexpr std::uint32_t kMostScales = 16;  // the reader's place for those of a key
    judge.require(scales <= kMostScales, "q_latent",
                  fmt::format("has latents of {} elements; in fp8 they may have {}", extents.latent,
                              kMostScales * fp8::kBlock));
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
    judge_caches(context, extents, judge);
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
    const DataFormat cache = inputs[2].spec.format;
    const std::size_t lists = place_of_sequences(cache);
    const std::uint32_t columns = extents.latent + (is_fp8(cache) ? 0 : extents.rope);
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
            inputs.size() > lists ? row_length(inputs[lists].spec.shape) : 0,
            positions_of_row(inputs[2].spec.shape, columns, context.params<DecodeSpec>().page_size),
            scales_of(cache, extents)};
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
    const DataFormat cache = context.inputs[2].spec.format;
    const std::size_t none = context.inputs.size();
    for (const std::size_t operand :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4},
          place_of_chosen(cache), place_of_sequences(cache), is_fp8(cache) ? kScales : none,
          is_fp8(cache) ? kRopeCache : none}) {
        // The kernel gets words of another tensor for one that is not there.
        const auto& tensors = context.device_inputs[operand < none ? operand : 4];
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

HostTensor read_if_there(const ReferenceContext& context, std::size_t operand) {
    return context.inputs.size() > operand ? context.read(operand) : HostTensor{};
}

/// The rows of the cache that a token sees.
class SeenRows {
public:
    SeenRows(const ReferenceContext& context, std::size_t tokens)
        : pages_(context.read(3), context.params<DecodeSpec>().page_size),
          positions_(context.read(4)),
          chosen_(read_if_there(context, place_of_chosen(context.read(2).format))),
          sequences_(read_if_there(context, place_of_sequences(context.read(2).format))),
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

/// [latent | rope] of each position: a code times its scale is rounded to bfloat16.
std::vector<float> rows_of_cache(const ReferenceContext& context, const Extents& extents) {
    const HostTensor cache = context.read(2);
    if (!is_fp8(cache.format)) {
        return vector_of(cache);
    }
    const auto codes = cache.as<std::uint8_t>();
    const HostTensor scale_tensor = context.read(kScales);
    const auto scales = scale_tensor.as<float>();
    const std::vector<float> rope = vector_of(context.read(kRopeCache));
    const std::size_t blocks = scales_of(cache.format, extents);
    std::vector<float> rows;
    rows.reserve(codes.size() + rope.size());
    for (std::size_t position = 0; position < codes.size() / extents.latent; ++position) {
        for (std::size_t i = 0; i < extents.latent; ++i) {
            const float value = fp8::value_of(codes[position * extents.latent + i]) *
                                scales[position * blocks + i / fp8::kBlock];
            rows.push_back(bf16_to_float(float_to_bf16(value)));
        }
        const auto own = rope.begin() + static_cast<std::ptrdiff_t>(position * extents.rope);
        rows.insert(rows.end(), own, own + extents.rope);
    }
    return rows;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const Extents extents = extents_of(context.in(0).shape(), context.in(1).shape());
    const std::vector<float> latent = vector_of(context.read(0));
    const std::vector<float> rope = vector_of(context.read(1));
    const std::vector<float> cache = rows_of_cache(context, extents);
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

/// `cache` is asked for its shape alone: its values are those of a whole run.
void check_values(const OpSpec& spec, const ReferenceContext& context) {
    const bool has_parts = spec.inputs.size() == kFp8Inputs.size();
    const HostTensor sequences = read_if_there(context, spec.inputs.size() - 1);
    const std::uint32_t columns =
        row_length(context.in(0).shape()) + (has_parts ? 0 : row_length(context.in(1).shape()));
    check_cache_places(
        spec.name, context.read(3), context.read(4), sequences.shape.empty() ? nullptr : &sequences,
        context.params<DecodeSpec>().page_size, positions_of(context.in(2).shape(), columns));
}

}  // namespace

Op op_of(const OpSpec& spec) {
    return {.spec = spec,
            .params = parameters<DecodeSpec>(kFields),
            .rules = rules,
            .infer = infer,
            .programs = programs,
            .reference = reference,
            .check_values = [&spec](const ReferenceContext& c) { check_values(spec, c); },
            .checked_inputs = {3, 4, spec.inputs.size() - 1}};
}

const Op& op() {
    static const Op kOp = op_of(kSpec);
    return kOp;
}

}  // namespace tessera::ops::attention_decode
