// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_sum/moe_sum.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "emu/base/bf16.hpp"
#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/moe_sum/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::moe_sum {
namespace {

using config::field;

constexpr std::uint32_t kTileBytes = tile_bytes(DataFormat::Float16_b);
constexpr std::uint32_t kTokensAtOnce = 64;  // rows of the tables in L1

constexpr std::array kFields{
    field<&SumSpec::accumulator>("accumulator", "by_top_k",
                                 "format of the running sum: bf16 after each addition, or fp32 "
                                 "until the end; by_top_k: bf16 for 2 to 4 choices"),
    field<&SumSpec::rows>(
        "rows", "place",
        "table entry of a choice: the place of its row, or whether the row exists"),
    field<&SumSpec::order>("order", "choice", "order of the sum: choices, or rows ascending"),
    field<&SumSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    field<&SumSpec::cb_depth>("cb_depth", "2", "contributions in a CB", kDepth),
};

/// Extents of the sum: of `rows`, or of the outputs themselves.
struct Extents {
    std::uint32_t tokens = 0;
    std::uint32_t top_k = 0;
    std::uint32_t hidden = 0;
};

Extents extents_of(const Shape& summed, const Shape* rows) {
    if (rows != nullptr) {
        return {(*rows)[0], (*rows)[1], row_length(summed)};
    }
    return summed.size() == 3 ? Extents{summed[0], summed[1], summed[2]} : Extents{};
}

Extents extents_of(std::span<const TensorPlan> inputs) {
    return extents_of(inputs["expert_outputs"_in].spec.shape,
                      is_given(inputs, "rows"_in) ? &inputs["rows"_in].spec.shape : nullptr);
}

/// A row is processed as tiles of 1024 consecutive elements: the sum is element-wise, so their
/// order in a tile is arbitrary. One DST tile holds the product.
struct Chunks {
    std::uint32_t row_bytes;
    std::uint32_t row_tiles;
    std::uint32_t chunk_tiles;  ///< tiles of a row that are summed together
    std::uint32_t table_page;   ///< bytes of a token's entries in L1
};

Chunks chunks_of(const ArchSpec& arch, const Extents& extents) {
    const std::uint32_t row_bytes = 2 * extents.hidden;
    const std::uint32_t row_tiles = div_up(row_bytes, kTileBytes);
    // Math owns half of DST. One tile of it holds the product, the rest hold sums.
    return {row_bytes, row_tiles, std::min(row_tiles, arch.dst.tiles_32bit / 2 - 1),
            round_up(4 * extents.top_k, dram_alignment(arch))};
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<SumSpec>();
    judge_grid(context.arch, spec.grid, judge);
    judge_depth(spec.cb_depth, judge);
    // Without places rows are ordered by choice, so both orders are equal.
    static constexpr std::array<std::string_view, 1> kOrder{"order"};
    if (spec.rows == RowsSay::Presence || !context.has("rows"_in)) {
        judge_untaken(kFields, &spec, kOrder, "a sum without places of rows", judge);
    }
    const Shape& outputs = context.inputs["expert_outputs"_in].spec.shape;
    const bool has_rows = context.has("rows"_in);
    judge.require(has_rows || outputs.size() == 3, "expert_outputs",
                  fmt::format("is {}; allowed without rows: (T,K,H)", to_string(outputs)));
    if (has_rows && spec.rows == RowsSay::Presence) {
        const Extents extents = extents_of(context.inputs);
        judge.require(num_rows(outputs) == extents.tokens * extents.top_k, "expert_outputs",
                      fmt::format("has {} rows; allowed: one for each of {} x {} choices",
                                  num_rows(outputs), extents.tokens, extents.top_k));
    }
}

std::vector<TensorPlan> infer(const OpContext& context) {
    const Extents extents = extents_of(context.inputs);
    const Shape shape{std::max(extents.tokens, 1U), std::max(extents.hidden, 1U)};
    return {{.spec = {shape, DataFormat::Float16_b, Layout::ROW_MAJOR}}};
}

void add_buffers(Program& program, const CoreRangeSet& cores, const Chunks& chunks,
                 const Extents& extents, const SumSpec& spec, std::uint32_t alignment) {
    const auto add = [&](Cb cb, DataFormat format, std::uint32_t page, std::uint32_t pages) {
        add_circular_buffer(program, cores, cb, format, {pages, page});
    };
    // Buffers of values hold whole chunks, so the pages of a chunk are contiguous.
    add(Cb::Rows, DataFormat::Float16_b, kTileBytes, chunks.chunk_tiles * spec.cb_depth);
    add(Cb::Weights, DataFormat::UInt32, alignment, spec.cb_depth);
    add(Cb::Contributions, DataFormat::UInt32, alignment, spec.cb_depth);
    add(Cb::Sum, DataFormat::Float16_b, kTileBytes, chunks.chunk_tiles * spec.cb_depth);
    // Both tables hold 64 tokens; a token's contributions are listed once and used for every chunk
    // of its row.
    const Scratch scratch[]{{Cb::RowTable, std::uint64_t{kTokensAtOnce} * chunks.table_page},
                            {Cb::WeightTable, std::uint64_t{kTokensAtOnce} * chunks.table_page},
                            {Cb::Chosen, std::uint64_t{8} * extents.top_k}};
    add_scratch(program, cores, scratch, alignment);
}

void add_reader(Program& program, const SharedWork& work, const ReaderTensors& tensors,
                const Chunks& chunks, const Extents& extents, const SumSpec& spec) {
    const ReaderArgs args{.top_k = extents.top_k,
                          .row_bytes = chunks.row_bytes,
                          .chunk_tiles = chunks.chunk_tiles,
                          .table_page = chunks.table_page,
                          .tokens_at_once = kTokensAtOnce,
                          .has_rows = tensors.rows == nullptr ? 0U : 1U,
                          .has_weights = tensors.weights == nullptr ? 0U : 1U,
                          .says_place = spec.rows == RowsSay::Place ? 1U : 0U,
                          .by_row = spec.order == SumOrder::Row ? 1U : 0U};
    const KernelHandle reader = CreateKernel(program, "ops/moe_sum/kernels/reader.cpp", work.cores,
                                             reader_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, reader, share.core, addresses_of(tensors),
                 TokenRange{.first_token = share.first, .num_tokens = share.count});
    }
}

void add_compute(Program& program, const SharedWork& work, const Chunks& chunks,
                 const Extents& extents, const SumSpec& spec, bool is_weighted) {
    const ComputeArgs args{.row_tiles = chunks.row_tiles,
                           .chunk_tiles = chunks.chunk_tiles,
                           .is_weighted = is_weighted ? 1U : 0U,
                           .rounds_every_sum = spec.rounds_every_sum(extents.top_k) ? 1U : 0U};
    // DST is fp32 in both forms: the kernel itself rounds if the sum must be bfloat16.
    const KernelHandle compute =
        CreateKernel(program, "ops/moe_sum/kernels/compute.cpp", work.cores,
                     ComputeConfig{.fp32_dest_acc_en = true,
                                   .compile_args = {},
                                   .defines = {},
                                   .named_compile_args = named(args)});
    for (const WorkShare& share : work.shares) {
        set_args(program, compute, share.core, TokenCount{.num_tokens = share.count});
    }
}

// Rows of sums leave a core as those of local_reduce_moe_output do.
void add_writer(Program& program, const SharedWork& work, const Chunks& chunks,
                const DeviceTensor& sum) {
    namespace reduce = local_reduce_moe_output;
    const reduce::WriterArgs args{.row_bytes = chunks.row_bytes, .chunk_tiles = chunks.chunk_tiles};
    const reduce::WriterTensors tensors{.output = &sum.buffer};
    const KernelHandle writer =
        CreateKernel(program, "ops/local_reduce_moe_output/kernels/writer.cpp", work.cores,
                     writer_config(args, tensors));
    for (const WorkShare& share : work.shares) {
        set_args(program, writer, share.core, addresses_of(tensors),
                 reduce::TokenRange{.first_token = share.first, .num_tokens = share.count});
    }
}

Program make_program(const OpContext& context, std::size_t p) {
    const auto& spec = context.params<SumSpec>();
    const auto& in = context.device_inputs;
    const ReaderTensors tensors{
        .outputs = &in["expert_outputs"_in][p].buffer,
        .rows = is_given(in, "rows"_in) ? &in["rows"_in][p].buffer : nullptr,
        .weights = is_given(in, "topk_weights"_in) ? &in["topk_weights"_in][p].buffer : nullptr};
    const Extents extents = extents_of(context.inputs);
    const Chunks chunks = chunks_of(context.arch, extents);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, extents.tokens);
    Program program = CreateProgram();
    add_buffers(program, work.cores, chunks, extents, spec, dram_alignment(context.arch));
    add_reader(program, work, tensors, chunks, extents, spec);
    add_compute(program, work, chunks, extents, spec, tensors.weights != nullptr);
    add_writer(program, work, chunks, context.device_outputs[only(kOutputs)][p]);
    return program;
}

float rounded(float value) {
    return bf16_to_float(float_to_bf16(value));
}

/// Returns the row and the choice of each contribution to a token, in the order of the sum.
std::vector<std::pair<std::int32_t, std::size_t>> contributions(const HostTensor* rows,
                                                                std::size_t token,
                                                                std::size_t top_k,
                                                                const SumSpec& spec) {
    std::vector<std::pair<std::int32_t, std::size_t>> found;
    for (std::size_t k = 0; k < top_k; ++k) {
        const std::size_t own = token * top_k + k;
        const std::int32_t entry =
            rows == nullptr ? static_cast<std::int32_t>(own) : rows->as<std::int32_t>()[own];
        if (entry != kNobody) {
            found.emplace_back(spec.rows == RowsSay::Place ? entry : static_cast<std::int32_t>(own),
                               own);
        }
    }
    if (spec.order == SumOrder::Row) {
        std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
    }
    return found;
}

/// Adds a contribution to the sums of a token. vLLM's moe_sum rounds to bfloat16 after each
/// addition for 2 to 4 choices, and at the end otherwise.
void add_row(std::span<const float> row, std::optional<float> weight, bool rounds_sums,
             std::span<float> totals) {
    for (std::size_t h = 0; h < row.size(); ++h) {
        totals[h] += weight ? rounded(row[h] * *weight) : row[h];
        if (rounds_sums) {
            totals[h] = rounded(totals[h]);
        }
    }
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<SumSpec>();
    const HostTensor outputs = context.read("expert_outputs"_in);
    const bool has_rows = context.has("rows"_in);
    const HostTensor rows = has_rows ? context.read("rows"_in) : HostTensor{};
    const HostTensor weights =
        context.has("topk_weights"_in) ? context.read("topk_weights"_in) : HostTensor{};
    const Extents extents = extents_of(outputs.shape, has_rows ? &rows.shape : nullptr);
    HostTensor sum = make_host_tensor({extents.tokens, extents.hidden}, DataFormat::Float16_b);
    std::vector<float> row(extents.hidden);
    // Contributions are added in the kernel's order: rounded sums depend on it.
    for (std::size_t token = 0; token < extents.tokens; ++token) {
        std::vector<float> totals(extents.hidden, 0.0F);
        for (const auto& [at, choice] :
             contributions(has_rows ? &rows : nullptr, token, extents.top_k, spec)) {
            read_floats(outputs, static_cast<std::uint64_t>(at) * extents.hidden, row);
            const auto weight =
                weights.shape.empty() ? std::nullopt : std::optional(weights.as<float>()[choice]);
            add_row(row, weight, spec.rounds_every_sum(extents.top_k), totals);
        }
        std::ranges::transform(totals, sum.as<std::uint16_t>().data() + token * extents.hidden,
                               float_to_bf16);
    }
    return {std::move(sum)};
}

void check_values(const ReferenceContext& context) {
    // Entries that state presence are compared with −1 only, so any other number is allowed.
    if (context.has("rows"_in) && context.params<SumSpec>().rows == RowsSay::Place) {
        check_indices(kSpec.name, named_table(kInputs, context, "rows"_in),
                      num_rows(context.in("expert_outputs"_in).shape()), Nobody::Allowed);
    }
}

LeastWork bound(const BoundContext& context) {
    LeastWork work = operand_bytes(context, {"expert_outputs", "rows", "topk_weights"});
    const TensorSpec& rows = context.in("expert_outputs"_in);
    // A choice without a row is of an expert on another device.
    const double read = context.has("rows"_in) ? num_present(context, "rows"_in) * rows.shape.back()
                                               : static_cast<double>(num_elements(rows.shape));
    work.dram_bytes += bytes_of_elements(read, rows.format);
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<SumSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {"rows"_in}};
    return kOp;
}

}  // namespace tessera::ops::moe_sum
