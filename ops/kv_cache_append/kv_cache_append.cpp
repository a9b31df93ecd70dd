// SPDX-License-Identifier: Apache-2.0
#include "ops/kv_cache_append/kv_cache_append.hpp"

#include <cstring>

#include "ops/kv_cache_append/kernels/args.hpp"
#include "ops/shared/column_moves/column_moves.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops {

// A row of the cache is a position or a whole page; anything else is refused. A page as a row lets
// attention read its positions by one transfer.
std::uint32_t positions_of_row(const Shape& cache, std::uint32_t columns, std::uint32_t page_size) {
    const std::uint64_t row = row_length(cache);
    return row == columns ? 1 : row == std::uint64_t{columns} * page_size ? page_size : 0;
}

void judge_cache_rows(const Operand& operand, const TensorSpec& cache, std::uint32_t columns,
                      std::uint32_t page_size, std::uint32_t alignment, RuleJudge& judge) {
    const std::uint32_t positions = positions_of_row(cache.shape, columns, page_size);
    judge.require(
        positions != 0, operand.name,
        fmt::format("has rows of {} elements; they must have {} of a position, or {} of "
                    "a page",
                    row_length(cache.shape), columns, std::uint64_t{columns} * page_size));
    const std::uint32_t bytes = columns * element_bytes(cache.format);
    // Positions inside of a page begin at any multiple of their size.
    judge.require(positions <= 1 || bytes % alignment == 0, operand.name,
                  fmt::format("has pages of positions of {} B; they must be multiples of {} B",
                              bytes, alignment));
}

// The cache is a pool of positions, which pages of sequences share.
std::uint32_t positions_of(const Shape& cache, std::uint32_t columns) {
    return static_cast<std::uint32_t>(num_elements(cache) / columns);
}

void check_cache_places(std::string_view op, const HostTensor& page_table,
                        const HostTensor& positions, const HostTensor* sequences,
                        std::uint32_t page_size, std::uint32_t rows) {
    const auto pages = page_table.as<std::int32_t>();
    const std::uint32_t width = page_table.shape[1];
    const std::uint32_t num_pages = rows / page_size;
    // Judged before the run: a page out of range would be written to another tensor.
    for (std::size_t i = 0; i < pages.size(); ++i) {
        require(pages[i] >= 0 && static_cast<std::uint32_t>(pages[i]) < num_pages,
                "{}: page_table({},{}) is {}; the cache has pages 0 to {}", op, i / width,
                i % width, pages[i], std::int64_t{num_pages} - 1);
    }
    const std::int64_t capacity = std::int64_t{width} * page_size;
    const auto entries = positions.as<std::int32_t>();
    for (std::size_t i = 0; i < entries.size(); ++i) {
        // -1 is a token that has no place, as in a ragged batch.
        require(entries[i] >= -1 && entries[i] < capacity,
                "{}: positions[{}] is {}; the {} pages of a sequence hold 0 to {}, -1 is none", op,
                i, entries[i], width, capacity - 1);
    }
    const std::uint32_t num_sequences = page_table.shape[0];
    for (std::size_t i = 0; sequences != nullptr && i < num_elements(sequences->shape); ++i) {
        const std::int32_t sequence = sequences->as<std::int32_t>()[i];
        require(sequence >= 0 && static_cast<std::uint32_t>(sequence) < num_sequences,
                "{}: sequences[{}] is {}; the page table has 0 to {}", op, i, sequence,
                num_sequences - 1);
    }
}

}  // namespace tessera::ops

namespace tessera::ops::kv_cache_append {
namespace {

using config::field;
using config::Limits;

constexpr std::array kFields =
    joined(std::array{field<&AppendSpec::page_size>("page_size", "32", "positions of a page",
                                                    Limits{1, 65536})},
           kColumnMoveFields<AppendSpec>);

// Returns the columns of a position: two inputs are put side by side in a row of the cache.
std::uint32_t columns_of(std::span<const TensorPlan> inputs) {
    return row_length(inputs[0].spec.shape) +
           (is_given(inputs, 4) ? row_length(inputs[4].spec.shape) : 0);
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<AppendSpec>();
    const TensorSpec& cache = context.inputs[1].spec;
    const std::uint32_t columns = columns_of(context.inputs);
    judge_column_moves(context.arch, std::uint64_t{columns} * element_bytes(cache.format), spec,
                       judge);
    judge.require(spec.page_size > 0, "page_size", "is 0; allowed: at least 1");
    // Alignment of 1: the writer moves a misaligned row first, so that any size is written.
    judge_cache_rows(kInputs[1], cache, columns, spec.page_size, 1, judge);
    const std::uint32_t tokens = num_rows(context.inputs[0].spec.shape);
    const auto require_one_each = [&](std::size_t operand) {
        const std::uint64_t entries = num_elements(context.inputs[operand].spec.shape);
        judge.require(
            entries == tokens, kInputs[operand].name,
            fmt::format("has {} entries; allowed: one for each of {} tokens", entries, tokens));
    };
    require_one_each(3);
    const std::uint32_t sequences = context.inputs[2].spec.shape[0];
    if (context.has(5)) {
        require_one_each(5);
    } else {
        // Without a list of sequences the tokens are distributed evenly over them.
        judge.require(tokens % sequences == 0, "page_table",
                      fmt::format("has {} sequences, which do not divide {} tokens; `sequences` "
                                  "can say whose each one is",
                                  sequences, tokens));
    }
}

std::vector<TensorPlan> infer(const OpContext& context) {
    // The cache is written in place: the output is the input.
    return {context.inputs[1]};
}

ColumnMove move_of(const OpContext& context, std::size_t position) {
    ColumnMove move{.ranges = {}, .rows = num_rows(context.inputs[0].spec.shape)};
    for (const std::size_t operand : {0UL, 4UL}) {
        // The second input is optional, such as the rotated part of a key beside its compressed
        // part.
        if (context.has(operand)) {
            const DeviceTensor& tensor = context.device_inputs[operand][position];
            move.ranges.push_back({&tensor, 0, row_length(tensor.spec.shape), 0});
        }
    }
    return move;
}

WriterArgs writer_args(const OpContext& context, const ColumnMove& move,
                       const ColumnReader& reader) {
    const auto& spec = context.params<AppendSpec>();
    const auto& in = context.inputs;
    const Shape& table = in[2].spec.shape;
    // max(…, 1): a call with fewer tokens than sequences has a list of them, which rules() demand.
    return {.row_bytes = move.row_bytes(),
            .page_bytes = reader.page_bytes,
            .block_rows = reader.block_rows,
            .page_size = spec.page_size,
            .table_width = table[1],
            .tokens_each = std::max(move.rows / table[0], 1U),
            .position_width = row_length(in[3].spec.shape),
            .sequence_width = is_given(in, 5) ? row_length(in[5].spec.shape) : 0,
            .positions_each =
                positions_of_row(context.outputs[0].spec.shape, columns_of(in), spec.page_size),
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
    const WriterTensors tensors{.output = &context.device_outputs[0][position].buffer,
                                .table = &in[2][position].buffer,
                                .positions = &in[3][position].buffer,
                                .sequences = is_given(in, 5) ? &in[5][position].buffer : nullptr};

    Program program = CreateProgram();
    // The reader is that of column_moves; only where rows go is this op's own.
    const ColumnReader reader =
        add_column_reader(program, context.arch, work.cores, work.shares, move, spec);
    add_word_buffers(program, work.cores, context.arch, move.row_bytes());
    const KernelHandle writer =
        CreateKernel(program, "ops/kv_cache_append/kernels/writer.cpp", work.cores,
                     writer_config(writer_args(context, move, reader), tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core,
                 WriterRange{.first_row = share.first, .num_rows = share.count},
                 addresses_of(tensors));
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor rows = context.read(0);
    // The cache is changed in place, so that rows of other positions stay as they were.
    HostTensor cache = context.read(1);
    const CachePages pages(context.read(2), context.params<AppendSpec>().page_size);
    const HostTensor positions = context.read(3);
    const HostTensor more = context.has(4) ? context.read(4) : HostTensor{};
    const HostTensor sequences = context.has(5) ? context.read(5) : HostTensor{};
    const std::size_t tokens = num_rows(rows.shape);
    const std::size_t each = std::max<std::size_t>(tokens / pages.num_sequences(), 1);
    const std::size_t element = element_bytes(cache.format);
    const std::size_t columns =
        row_length(rows.shape) + (more.shape.empty() ? 0 : row_length(more.shape));
    const auto put = [&](const HostTensor& from, std::size_t token, std::size_t row,
                         std::size_t column) {
        const std::size_t bytes = row_length(from.shape) * element;
        std::memcpy(cache.bytes.data() + (row * columns + column) * element,
                    from.bytes.data() + token * bytes, bytes);
    };
    for (std::size_t token = 0; token < tokens; ++token) {
        const std::int32_t position = positions.as<std::int32_t>()[token];
        // The row of such a token is left as it is.
        if (position < 0) {
            continue;
        }
        const std::size_t sequence =
            sequences.shape.empty() ? token / each
                                    : static_cast<std::size_t>(sequences.as<std::int32_t>()[token]);
        const std::size_t row = pages.row(sequence, static_cast<std::size_t>(position));
        put(rows, token, row, 0);
        if (!more.shape.empty()) {
            put(more, token, row, row_length(rows.shape));
        }
    }
    return list_of(std::move(cache));
}

void check_values(const ReferenceContext& context) {
    const HostTensor sequences = context.has(5) ? context.read(5) : HostTensor{};
    const std::uint32_t columns = row_length(context.in(0).shape()) +
                                  (context.has(4) ? row_length(context.in(4).shape()) : 0);
    check_cache_places(kSpec.name, context.read(2), context.read(3),
                       sequences.shape.empty() ? nullptr : &sequences,
                       context.params<AppendSpec>().page_size,
                       positions_of(context.in(1).shape(), columns));
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<AppendSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {2, 3, 5}};
    return kOp;
}

}  // namespace tessera::ops::kv_cache_append
