// SPDX-License-Identifier: Apache-2.0
#include "ops/kv_cache_append/kv_cache_append.hpp"

#include <cstring>

#include "ops/bound.hpp"
#include "ops/kv_cache_append/kernels/args.hpp"
#include "ops/shared/attention/cache_places.hpp"
#include "ops/shared/column_moves/column_moves.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::kv_cache_append {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields =
    joined(std::array{field<&AppendSpec::page_size>("page_size", "32", "positions of a page",
                                                    Limits{1, 65536})},
           kColumnMoveFields<AppendSpec>);

// Returns the columns of a position: two inputs are concatenated in a row of the cache.
std::uint32_t columns_of(std::span<const TensorPlan> inputs) {
    return row_length(inputs["rows"_in].spec.shape) +
           (is_given(inputs, "more"_in) ? row_length(inputs["more"_in].spec.shape) : 0);
}

/// Returns the rows of a token: one for each head, or one.
std::uint32_t rows_of_token(const Shape& rows, const Shape& positions) {
    return std::max(num_rows(rows) / static_cast<std::uint32_t>(num_elements(positions)), 1U);
}

CacheRowsSpec cache_rows(const OpContext& context) {
    const auto& in = context.inputs;
    return {.columns = columns_of(in),
            .page_size = context.params<AppendSpec>().page_size,
            .heads = rows_of_token(in["rows"_in].spec.shape, in["positions"_in].spec.shape)};
}

void judge_lists(const OpContext& context, RuleJudge& judge) {
    const std::uint32_t rows = num_rows(context.inputs["rows"_in].spec.shape);
    const auto tokens =
        static_cast<std::uint32_t>(num_elements(context.inputs["positions"_in].spec.shape));
    judge.require(rows % tokens == 0, "positions",
                  fmt::format("has {} entries; allowed: one for each of {} rows, or a divisor of "
                              "them if a token has several rows",
                              tokens, rows));
    const std::uint32_t sequences = context.inputs["page_table"_in].spec.shape[0];
    if (context.has("sequences"_in)) {
        const std::uint64_t entries = num_elements(context.inputs["sequences"_in].spec.shape);
        judge.require(
            entries == tokens, kInputs["sequences"_in].name,
            fmt::format("has {} entries; allowed: one for each of {} tokens", entries, tokens));
    } else {
        // Without a list of sequences the tokens are distributed evenly over them.
        judge.require(tokens % sequences == 0, "page_table",
                      fmt::format("has {} sequences; allowed: a divisor of {} tokens; `sequences` "
                                  "can state the sequence of each token",
                                  sequences, tokens));
    }
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<AppendSpec>();
    const TensorSpec& cache = context.inputs["cache"_in].spec;
    const std::uint32_t columns = columns_of(context.inputs);
    judge_column_moves(context.arch, std::uint64_t{columns} * element_bytes(cache.format), spec,
                       judge);
    judge.require(spec.page_size > 0, "page_size", "is 0; allowed: at least 1");
    judge_cache_rows(kInputs["cache"_in], cache, cache_rows(context), 1, judge);
    judge_lists(context, judge);
}

std::vector<TensorPlan> infer(const OpContext& context) {
    // The cache is written in place: the output is the input.
    return {context.inputs["cache"_in]};
}

ColumnMove move_of(const OpContext& context, std::size_t position) {
    ColumnMove move{.ranges = {}, .rows = num_rows(context.inputs["rows"_in].spec.shape)};
    for (const std::size_t operand : {0UL, 4UL}) {
        // The second input is optional, such as the rotated part of a key in addition to its
        // compressed part.
        if (context.has(operand)) {
            const DeviceTensor& tensor = context.device_inputs[operand][position];
            move.ranges.push_back({&tensor, 0, row_length(tensor.spec.shape), 0});
        }
    }
    return move;
}

WriterArgs writer_args(const OpContext& context, const ColumnMove& move,
                       const ColumnReader& reader) {
    const CacheRowsSpec rows = cache_rows(context);
    const auto& in = context.inputs;
    const Shape& table = in["page_table"_in].spec.shape;
    // max(…, 1): a call with fewer tokens than sequences has a list of them, which rules() demand.
    return {.row_bytes = move.row_bytes(),
            .page_bytes = reader.page_bytes,
            .block_rows = reader.block_rows,
            .page_size = rows.page_size,
            .table_width = table[1],
            .rows_each = rows.heads,
            .tokens_each = std::max(move.rows / rows.heads / table[0], 1U),
            .position_width = row_length(in["positions"_in].spec.shape),
            .sequence_width =
                is_given(in, "sequences"_in) ? row_length(in["sequences"_in].spec.shape) : 0,
            .in_one_row = positions_of_row(context.outputs[only(kOutputs)].spec.shape, rows.columns,
                                           rows.page_size, rows.heads),
            .alignment = dram_alignment(context.arch)};
}

void add_word_buffers(Program& program, const CoreRangeSet& cores, const ArchSpec& arch,
                      std::uint32_t row_bytes) {
    // A read of one word brings what the alignment asks for.
    constexpr std::uint64_t kWords = 64;  // bytes that a read of any device is aligned to
    const Scratch buffers[]{{Cb::Positions, kWords},
                            {Cb::Sequences, kWords},
                            {Cb::Pages, kWords},
                            {Cb::Misaligned, row_bytes + dram_alignment(arch)}};
    add_scratch(program, cores, buffers, dram_alignment(arch));
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<AppendSpec>();
    const auto& in = context.device_inputs;
    const ColumnMove move = move_of(context, position);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, move.rows);
    const WriterTensors tensors{
        .output = &context.device_outputs[only(kOutputs)][position].buffer,
        .table = &in["page_table"_in][position].buffer,
        .positions = &in["positions"_in][position].buffer,
        .sequences = is_given(in, "sequences"_in) ? &in["sequences"_in][position].buffer : nullptr};

    Program program = CreateProgram();
    // The reader is that of column_moves; only where rows go is this op's own.
    const ColumnReader reader =
        add_column_reader(program, context.arch, work.cores, work.shares, move, spec);
    add_word_buffers(program, work.cores, context.arch, move.row_bytes());
    const KernelHandle writer =
        CreateKernel(program,
                     cache_rows(context).heads == 1 ? "ops/kv_cache_append/kernels/writer.cpp"
                                                    : "ops/kv_cache_append/kernels/head_writer.cpp",
                     work.cores, writer_config(writer_args(context, move, reader), tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core,
                 WriterRange{.first_row = share.first, .num_rows = share.count},
                 addresses_of(tensors));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    // The reference copies bytes, so it is exact in every format.
    const HostTensor rows = context.read("rows"_in);
    // The cache is changed in place, so rows of other positions keep their values.
    HostTensor cache = context.read("cache"_in);
    const CachePages pages(context.read("page_table"_in), context.params<AppendSpec>().page_size);
    const HostTensor positions = context.read("positions"_in);
    const HostTensor more = context.has("more"_in) ? context.read("more"_in) : HostTensor{};
    const HostTensor sequences =
        context.has("sequences"_in) ? context.read("sequences"_in) : HostTensor{};
    const std::size_t tokens = num_elements(positions.shape);
    const std::size_t heads = rows_of_token(rows.shape, positions.shape);
    const std::size_t each = std::max<std::size_t>(tokens / pages.num_sequences(), 1);
    const std::size_t element = element_bytes(cache.format);
    const std::size_t columns =
        row_length(rows.shape) + (more.shape.empty() ? 0 : row_length(more.shape));
    const auto put = [&](const HostTensor& from, std::size_t source, std::size_t row,
                         std::size_t column) {
        const std::size_t bytes = row_length(from.shape) * element;
        std::memcpy(cache.bytes.data() + (row * columns + column) * element,
                    from.bytes.data() + source * bytes, bytes);
    };
    for (std::size_t source = 0; source < tokens * heads; ++source) {
        const std::size_t token = source / heads;
        const std::int32_t position = positions.as<std::int32_t>()[token];
        if (position < 0) {
            continue;  // the row of such a token is left as it is
        }
        const std::size_t sequence =
            sequences.shape.empty() ? token / each
                                    : static_cast<std::size_t>(sequences.as<std::int32_t>()[token]);
        const std::size_t row =
            pages.row(sequence, static_cast<std::size_t>(position)) * heads + source % heads;
        put(rows, source, row, 0);
        if (!more.shape.empty()) {
            put(more, source, row, row_length(rows.shape));
        }
    }
    return list_of(std::move(cache));
}

void check_values(const ReferenceContext& context) {
    const std::uint32_t columns =
        row_length(context.in("rows"_in).shape()) +
        (context.has("more"_in) ? row_length(context.in("more"_in).shape()) : 0);
    const std::uint32_t heads =
        rows_of_token(context.in("rows"_in).shape(), context.in("positions"_in).shape());
    // window = 1: a row needs the page of its own position only.
    check_cache_places(
        kSpec.name,
        {.page_table = context.read("page_table"_in),
         .positions = context.read("positions"_in),
         .sequences = context.has("sequences"_in) ? context.read("sequences"_in) : HostTensor{},
         .page_size = context.params<AppendSpec>().page_size,
         .cache_positions = positions_of(context.in("cache"_in).shape(), columns * heads),
         .window = 1});
}

LeastWork bound(const BoundContext& context) {
    // Rows of tokens that are there are read and written once; nothing else of the cache moves.
    LeastWork work =
        operand_bytes(context, {"cache", "page_table", "output", "positions", "sequences"});
    const double positions = static_cast<double>(num_elements(context.in("positions"_in).shape));
    work.dram_bytes *= 2 * num_present(context, "positions"_in) / positions;
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<AppendSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {"page_table"_in, "positions"_in, "sequences"_in}};
    return kOp;
}

}  // namespace tessera::ops::kv_cache_append
