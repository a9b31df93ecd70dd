// SPDX-License-Identifier: Apache-2.0
#include "ops/attention_prefill/heads.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/attention_prefill/kernels/args.hpp"
#include "ops/shared/attention/attention.hpp"
#include "ops/shared/attention/cache_places.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/row_strips/row_strips.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::attention_prefill {
namespace {

/// Extents of a call, in elements.
struct HeadExtents {
    std::uint32_t tokens, heads, kv_heads;
    std::uint32_t dim;    ///< elements of a head of queries and keys
    std::uint32_t value;  ///< elements of a head of values
    std::uint32_t sequences;
    std::uint32_t key_positions;  ///< positions of all keys
    bool has_contexts;
    std::uint32_t table_width;  ///< pages of a sequence; 0: without pages

    [[nodiscard]] std::uint32_t group() const { return heads / kv_heads; }
    /// Returns the key positions of a sequence without pages; 0: as many as its tokens.
    [[nodiscard]] std::uint32_t rows_each() const {
        return has_contexts ? key_positions / sequences : 0;
    }
};

template <class Context, class ShapeOf>
HeadExtents head_extents_from(const Context& context, const ShapeOf& shape) {
    const std::uint32_t heads = shape(kQuery)[shape(kQuery).size() - 2];
    const std::uint32_t dim = row_length(shape(kQuery));
    const auto& spec = context.template params<PrefillSpec>();
    const std::uint32_t kv_heads = std::max(spec.kv_heads, 1U);
    return {.tokens = num_rows(shape(kQuery)) / heads,
            .heads = heads,
            .kv_heads = kv_heads,
            .dim = dim,
            .value = attention::value_dim(shape(kKv), shape(kValues), dim),
            .sequences = row_length(shape(kStarts)),
            .key_positions = positions_of(shape(kKv), kv_heads * dim),
            .has_contexts = context.has(kContexts),
            .table_width = context.has(kPageTable) ? shape(kPageTable)[1] : 0};
}

HeadExtents head_extents(const OpContext& context) {
    return head_extents_from(
        context, [&](std::size_t i) -> const Shape& { return context.inputs[i].spec.shape; });
}

HeadExtents head_extents(const ReferenceContext& context) {
    return head_extents_from(context,
                             [&](std::size_t i) -> const Shape& { return context.in(i).shape(); });
}

attention::Shapes shapes_with(const OpContext& context, const HeadExtents& extents,
                              std::uint32_t strips) {
    const auto& spec = context.params<PrefillSpec>();
    return {.query_tiles = div_up(extents.dim, kTileColumns),
            .value_tiles = div_up(std::max(extents.value, 1U), kTileColumns),
            .block = std::max(spec.block, 1U),
            .has_values = true,
            .scale = spec.scale,
            .page_words = 2 * round_up(extents.sequences, kTileRows),
            .chosen_words = extents.table_width,
            .has_kv_heads = true,
            .strips = strips,
            .sink_bytes = context.has(kSinks) ? 2 * extents.heads : 0};
}

/// Returns the largest possible number of token tiles: the last tile of each sequence may be
/// partial. Starts of sequences are values, so a program cannot count the tiles.
std::uint32_t most_tiles(const HeadExtents& extents) {
    return std::min(extents.tokens, div_up(extents.tokens, kTileRows) + extents.sequences -
                                        (extents.sequences == 1 ? 1 : 0));
}

/// Returns the largest number of heads per group that fits in L1 and leaves a unit for every core.
/// Keys and values are read and tilized once per group, so the largest number reads least.
std::uint32_t fitting_strips(const OpContext& context, const HeadExtents& extents) {
    const auto& spec = context.params<PrefillSpec>();
    if (spec.strips != 0) {
        return spec.strips;
    }
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    const std::uint32_t cores = grid.x * grid.y;
    for (std::uint32_t strips = extents.group(); strips > 1; --strips) {
        const std::uint64_t units = std::uint64_t{most_tiles(extents)} * (extents.heads / strips);
        if (extents.group() % strips == 0 && units >= cores &&
            attention::buffer_bytes(context.arch, shapes_with(context, extents, strips)) <=
                buffer_room(context.arch)) {
            return strips;
        }
    }
    return 1;
}

void judge_positions(const HeadExtents& extents, RuleJudge& judge) {
    if (extents.table_width != 0) {
        return;
    }
    if (extents.has_contexts) {
        judge.require(extents.key_positions % extents.sequences == 0, "kv",
                      fmt::format("has {} positions; allowed with contexts and without pages: as "
                                  "many for each of {} sequences",
                                  extents.key_positions, extents.sequences));
        return;
    }
    judge.require(extents.key_positions == extents.tokens, kInputs[kKv].name,
                  fmt::format("has {} positions; allowed without page_table: one for each of {} "
                              "tokens",
                              extents.key_positions, extents.tokens));
}

HeadReaderArgs head_reader_args(const OpContext& context, const attention::Shapes& shapes,
                                const HeadExtents& extents) {
    const auto& spec = context.params<PrefillSpec>();
    const auto heads_each = [&](std::size_t operand, std::uint32_t dim) {
        return positions_of_row(context.inputs[operand].spec.shape, dim,
                                extents.table_width != 0 ? spec.page_size : 1, extents.kv_heads);
    };
    return {.tokens = extents.tokens,
            .heads = extents.heads,
            .kv_heads = extents.kv_heads,
            .strips = shapes.strips,
            .key_bytes = 2 * extents.dim,
            .value_bytes = 2 * extents.value,
            .key_tiles = shapes.query_tiles,
            .value_tiles = shapes.value_tiles,
            .block = shapes.block,
            .window = spec.window,
            .sequences = extents.sequences,
            .contexts_given = extents.has_contexts ? 1U : 0U,
            .rows_each = extents.rows_each(),
            .page_size = spec.page_size,
            .table_width = extents.table_width,
            .key_heads_each = heads_each(kKv, extents.dim),
            .value_heads_each = heads_each(kValues, extents.value),
            .has_sinks = shapes.sink_bytes != 0 ? 1U : 0U};
}

HeadReaderTensors head_reader_tensors(const OpContext& context, std::size_t position) {
    const auto buffer = [&](std::size_t operand) {
        return context.has(operand) ? &context.device_inputs[operand][position].buffer : nullptr;
    };
    return {.query = buffer(kQuery),
            .keys = buffer(kKv),
            .values = buffer(kValues),
            .starts = buffer(kStarts),
            .contexts = buffer(kContexts),
            .table = buffer(kPageTable),
            .sinks = buffer(kSinks)};
}

/// Cache rows that tokens attend to.
class SeenCacheRows {
public:
    SeenCacheRows(const ReferenceContext& context, const HeadExtents& extents)
        : extents_(extents),
          window_(context.params<PrefillSpec>().window),
          starts_(context.read(kStarts)),
          contexts_(extents.has_contexts ? context.read(kContexts) : HostTensor{}) {
        if (extents.table_width != 0) {
            pages_.emplace(context.read(kPageTable), context.params<PrefillSpec>().page_size);
        }
    }

    [[nodiscard]] std::vector<std::size_t> of(std::size_t token) const {
        const auto starts = starts_.as<std::int32_t>();
        const auto after =
            std::upper_bound(starts.begin(), starts.end(), static_cast<std::int32_t>(token));
        const auto sequence = static_cast<std::size_t>(after - starts.begin() - 1);
        const auto start = static_cast<std::size_t>(starts[sequence]);
        const std::size_t before =
            extents_.has_contexts ? static_cast<std::size_t>(contexts_.as<std::int32_t>()[sequence])
                                  : 0;
        // A window counts the token's own position.
        const std::size_t own = before + token - start;
        const std::size_t first = window_ == 0 || own + 1 < window_ ? 0 : own + 1 - window_;
        const std::size_t base = extents_.has_contexts ? sequence * extents_.rows_each() : start;
        std::vector<std::size_t> rows;
        for (std::size_t position = first; position <= own; ++position) {
            rows.push_back(pages_ ? pages_->row(sequence, position) : base + position);
        }
        return rows;
    }

private:
    HeadExtents extents_;
    std::size_t window_;
    HostTensor starts_;
    HostTensor contexts_;
    std::optional<CachePages> pages_;
};

}  // namespace

void judge_head_form(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<PrefillSpec>();
    const HeadExtents extents = head_extents(context);
    for (const std::size_t operand : {kQueryRope, kKeyRope, kChosen}) {
        judge.require(!context.has(operand), kInputs[operand].name,
                      "is given with `values`; allowed: without");
    }
    attention::judge_heads({extents.heads, extents.kv_heads}, spec.window, true, judge);
    attention::judge_head_caches(
        context.arch,
        {.keys = {&kInputs[kKv], &context.inputs[kKv].spec, extents.dim},
         .values = {&kInputs[kValues], &context.inputs[kValues].spec, extents.value},
         .kv_heads = extents.kv_heads,
         .page_size = extents.table_width != 0 ? spec.page_size : 0},
        judge);
    judge_positions(extents, judge);
    if (context.has(kSinks)) {
        attention::judge_sinks(context.inputs[kSinks].spec.shape, extents.heads, judge);
    }
    judge.require(spec.strips == 0 || extents.group() % spec.strips == 0, "strips",
                  fmt::format("is {}; allowed: 0, or a divisor of the {} heads that share keys",
                              spec.strips, extents.group()));
    if (grid_fault(context.arch, spec.grid).empty() && extents.heads % extents.kv_heads == 0) {
        // fitting_strips() needs a valid grid and whole groups of heads; faults of these are named
        // alone.
        attention::judge_buffers(
            context.arch, shapes_with(context, extents, fitting_strips(context, extents)), judge);
    }
}

std::vector<TensorPlan> infer_heads(const OpContext& context) {
    TensorSpec output = context.inputs[kQuery].spec;
    output.shape.back() = std::max(head_extents(context).value, 1U);
    return {{.spec = output}};
}

Program program_of(const OpContext& context, const SharedWork& work,
                   const attention::Shapes& shapes, const Reader& reader,
                   const DeviceTensor& output) {
    Program program = CreateProgram();
    attention::add_compute(program, context.arch, work.cores, shapes);
    const KernelHandle reads = CreateKernel(program, reader.source, work.cores, reader.config);
    const KernelHandle writer = attention::add_writer(program, work.cores, shapes, output, {});
    const auto num_cores = static_cast<std::uint32_t>(work.shares.size());
    for (std::uint32_t core = 0; core < num_cores; ++core) {
        set_args(program, reads, work.shares[core].core,
                 ReaderShare{.core = core, .num_cores = num_cores}, reader.addresses);
        attention::set_writer_args(program, writer, work.shares[core].core, output);
    }
    return program;
}

Program head_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<PrefillSpec>();
    const HeadExtents extents = head_extents(context);
    const attention::Shapes shapes =
        shapes_with(context, extents, fitting_strips(context, extents));
    const std::uint32_t units = most_tiles(extents) * (extents.heads / shapes.strips);
    // Shares only define the cores: readers take units from both ends in turn until no tile is
    // left.
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, units);
    const HeadReaderTensors tensors = head_reader_tensors(context, position);
    return program_of(context, work, shapes,
                      {.source = "ops/attention_prefill/kernels/head_reader.cpp",
                       .config = reader_config(head_reader_args(context, shapes, extents), tensors),
                       .addresses = addresses_of(tensors)},
                      context.device_outputs[only(kOutputs)][position]);
}

std::vector<HostTensor> head_reference(const ReferenceContext& context) {
    const HeadExtents extents = head_extents(context);
    const std::vector<float> query = floats_of(context.read(kQuery));
    const std::vector<float> keys = floats_of(context.read(kKv));
    const std::vector<float> values = floats_of(context.read(kValues));
    const std::vector<float> sinks =
        context.has(kSinks) ? floats_of(context.read(kSinks)) : std::vector<float>{};
    const SeenCacheRows seen(context, extents);
    HostTensor output =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    const std::size_t rows = std::size_t{extents.tokens} * extents.heads;
    tbb::parallel_for(std::size_t{0}, rows, [&](std::size_t row) {
        const std::size_t head = row % extents.heads;
        const std::vector<std::size_t> positions = seen.of(row / extents.heads);
        // Heads of a group share the row of one head of keys and of values.
        const auto place = [&](std::size_t key) {
            return positions[key] * extents.kv_heads + head / extents.group();
        };
        std::vector<double> sum(extents.value);
        attention::attend(
            positions.size(), context.params<PrefillSpec>().scale,
            [&](std::size_t key) {
                double product = 0;
                for (std::size_t i = 0; i < extents.dim; ++i) {
                    product += double{query[row * extents.dim + i]} *
                               double{keys[place(key) * extents.dim + i]};
                }
                return product;
            },
            [&](std::size_t key, double weight) {
                for (std::size_t i = 0; i < sum.size(); ++i) {
                    sum[i] += weight * double{values[place(key) * extents.value + i]};
                }
            },
            sinks.empty() ? std::nullopt : std::optional<double>(sinks[head]));
        std::transform(sum.begin(), sum.end(),
                       output.as<float>().subspan(row * extents.value).begin(),
                       [](double value) { return static_cast<float>(value); });
    });
    return list_of(std::move(output));
}

void check_head_values(const ReferenceContext& context) {
    const auto& spec = context.params<PrefillSpec>();
    const HeadExtents extents = head_extents(context);
    const HostTensor starts = context.read(kStarts);
    check_starts(starts.as<std::int32_t>(), extents.tokens);
    if (extents.table_width == 0 && !extents.has_contexts) {
        return;
    }
    // Without contexts a sequence begins at position 0.
    const HostTensor contexts = extents.has_contexts
                                    ? context.read(kContexts)
                                    : make_host_tensor(starts.shape, DataFormat::Int32);
    const HostTensor table = extents.table_width != 0 ? context.read(kPageTable) : HostTensor{};
    const std::int64_t room = extents.table_width != 0
                                  ? std::int64_t{extents.table_width} * spec.page_size
                                  : std::int64_t{extents.rows_each()};
    for (std::size_t s = 0; s < extents.sequences; ++s) {
        const auto first = starts.as<std::int32_t>();
        const std::int64_t end = s + 1 < first.size() ? first[s + 1] : extents.tokens;
        const std::int64_t tokens = end - first[s];
        const std::int32_t before = contexts.as<std::int32_t>()[s];
        require(before >= 0 && before + tokens <= room,
                "attention_prefill: contexts[{}] is {}; with {} tokens behind them, kv has room "
                "for 0 to {} of a sequence",
                s, before, tokens, room - tokens);
        // With a window, the first token attends to the earliest position.
        for (std::int64_t token = 0; extents.table_width != 0 && token < tokens; ++token) {
            check_pages(kSpec.name, table,
                        {.sequence = s,
                         .last = before + token,
                         .page_size = spec.page_size,
                         .window = spec.window});
        }
    }
}

}  // namespace tessera::ops::attention_prefill
