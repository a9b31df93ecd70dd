// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/token_exchange/combine.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/describe_tensor.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/token_exchange/cores.hpp"
#include "ops/shared/token_exchange/operands.hpp"
#include "tessera/work_split.hpp"

namespace tessera::ops::token_exchange {
namespace {

constexpr std::uint32_t kPieces = 8;
constexpr std::uint32_t kTargets = 8;

/// Extents of one call.
struct CombineSizes {
    std::uint32_t tokens;
    std::uint32_t top_k;
    std::uint32_t experts;
    std::uint32_t ranks;
    std::uint32_t most_rows;
    bool is_batched;
    std::uint32_t row_bytes;
    std::uint32_t weight_bytes;  ///< 0: contributions are summed as they are

    // Batches come back slot by slot. Rows were summed over the experts of a rank before, so that a
    // rank sends one row a token.
    [[nodiscard]] std::uint32_t places() const { return is_batched ? top_k : ranks; }
    [[nodiscard]] std::uint32_t stride() const { return padded(4 * top_k); }
    [[nodiscard]] ShapeArgs shape() const {
        return {.num_tokens = tokens,
                .top_k = top_k,
                .num_experts = experts,
                .num_ranks = ranks,
                .most_rows = most_rows,
                .is_batched = is_batched ? 1U : 0U,
                .ids_stride = stride(),
                .weights_stride = stride(),
                .pair_rows = 0};
    }
};

CombineSizes combine_sizes(const OpContext& context, Form form) {
    const TensorSpec& rows = context.inputs[combine_input("rows")].spec;
    const TensorSpec& slots = context.inputs[combine_input("slots")].spec;
    const bool is_batched = form == Form::Batches;
    // Only batches are weighed here: rows carry their weights in the expert's output.
    const bool weighs = is_batched && context.inputs.size() > kTopkWeights;
    return {.tokens = slots.shape[0],
            .top_k = slots.shape[1],
            .experts = context.params<CombineSpec>().experts,
            .ranks = static_cast<std::uint32_t>(context.devices.size()),
            .most_rows = rows.shape[is_batched ? 1 : 0],
            .is_batched = is_batched,
            .row_bytes = rows.page_size(),
            .weight_bytes =
                weighs ? context.inputs[kTopkWeights].spec.page_size() / slots.shape[1] : 0};
}

struct CombineSemaphores {
    std::uint32_t started;
    std::uint32_t rows_arrived;
    std::uint32_t go;
};

/// The program of one device, its operands and the semaphores of its kernels.
struct CombineProgram {
    const OpContext& context;
    const Rank& rank;
    const CombineSizes& sizes;
    Program& program;
    CombineSemaphores semaphores;

    [[nodiscard]] const Buffer* in(std::size_t operand) const {
        return operand < context.device_inputs.size()
                   ? &context.device_inputs[operand][rank.position].buffer
                   : nullptr;
    }
    [[nodiscard]] const Buffer* output() const {
        return &context.device_outputs[kFirst][rank.position].buffer;
    }
    // Returns a workspace if they are summed, else the output itself.
    [[nodiscard]] const Buffer* contributions() const {
        return &context.device_outputs.back()[rank.position].buffer;
    }
};

// The writer is that of dispatch, without a table and scales.
void add_combine_senders(const CombineProgram& own, const CoreRangeSet& cores) {
    const CombineReaderTensors read{.rows = own.in(combine_input("rows")),
                                    .source = own.in(combine_input("source")),
                                    .num_received = own.in(combine_input("num_received"))};
    const WriterTensors written{.rows = own.contributions(), .scales = nullptr, .tables = nullptr};
    const KernelHandle reader =
        CreateKernel(own.program, "ops/shared/token_exchange/kernels/combine_reader.cpp", cores,
                     reader_config(own.sizes.shape(), read));
    const KernelHandle writer = add_row_writer(own.program, cores, written, own.sizes.shape());
    const std::uint32_t row_bytes = own.sizes.row_bytes;
    // One core for each direction and link, and one for the rows that stay: none waits for
    // another's packets.
    for (std::uint32_t direction = 0; direction < kDirections; ++direction) {
        for (std::uint32_t link = 0; link < own.rank.links; ++link) {
            const CoreCoord core = own.rank.sender(direction, link);
            // The pages of a contribution follow from what the dispatch has noted: its source entry
            // names rank, token and slot.
            set_args(own.program, reader, core, addresses_of(read),
                     CombineReaderArgs{.num_links = own.rank.links,
                                       .link = link,
                                       .row_bytes = row_bytes,
                                       .piece_bytes = piece_bytes(own.context.arch, row_bytes),
                                       .rank = own.rank.position},
                     peer_words(own.rank, direction, link));
            set_args(own.program, writer, core, addresses_of(written),
                     writer_args(own.rank, direction, row_bytes,
                                 {own.semaphores.started, own.semaphores.rows_arrived}),
                     connected_peer_words(own.rank, direction, link, own.program));
        }
    }
}

// Tokens of one core that sums.
struct SumShare {
    CoreCoord core;
    std::uint32_t first;
    std::uint32_t count;
};

std::vector<SumShare> sum_shares(const Rank& rank, std::uint32_t tokens) {
    // The cores that send are busy until the end, so that only the rest can sum.
    const std::vector<CoreCoord> rest = rank.rest();
    const auto cores = std::min(static_cast<std::uint32_t>(rest.size()), tokens);
    std::vector<SumShare> shares;
    for (std::uint64_t i = 0; i < cores; ++i) {
        // In 64 bits: tokens times cores exceed 32 bits for long prompts.
        const auto first = static_cast<std::uint32_t>(tokens * i / cores);
        const auto end = static_cast<std::uint32_t>(tokens * (i + 1) / cores);
        shares.push_back({rest[i], first, end - first});
    }
    return shares;
}

void add_sum_buffers(const CombineProgram& own, const CoreRangeSet& cores) {
    // Eight tiles in flight hide the latency of a read of one tile from DRAM.
    constexpr std::uint32_t kDepth = 8;
    for (const SumCb cb : {SumCb::Contributions, SumCb::Sum}) {
        add_circular_buffer(own.program, cores, cb, DataFormat::Float16_b, {kDepth, kSumTileBytes});
    }
    add_buffer(own.program, cores, SumCb::Terms, 4 * (1 + own.sizes.places()), 2);
    // A token's slots, ids and weights: one row of each.
    add_buffer(own.program, cores, SumCb::Tables, 3 * own.sizes.stride(), 1);
}

// Ids are read of rows, weights of batches.
SumReaderTensors sum_reader_tensors(const CombineProgram& own) {
    const bool is_batched = own.sizes.is_batched;
    return {.contributions = own.contributions(),
            .slots = own.in(combine_input("slots")),
            .ids = is_batched ? nullptr : own.in(kTopkIds),
            .weights = is_batched ? own.in(kTopkWeights) : nullptr};
}

struct SumKernels {
    KernelHandle reader;
    KernelHandle compute;
    KernelHandle writer;
};

SumKernels create_sum_kernels(const CombineProgram& own, const CoreRangeSet& cores) {
    const CombineSizes& sizes = own.sizes;
    const RowArgs row{.row_bytes = sizes.row_bytes};
    const SumComputeArgs compute{.row_tiles = div_up(sizes.row_bytes, kSumTileBytes),
                                 .weighs = sizes.weight_bytes != 0 ? 1U : 0U};
    return {CreateKernel(own.program, "ops/shared/token_exchange/kernels/sum_reader.cpp", cores,
                         reader_config(named(sizes.shape(), row,
                                             SumReaderArgs{.weight_bytes = sizes.weight_bytes}),
                                       sum_reader_tensors(own))),
            // fp32 in DST: the sum is rounded once, when it is packed.
            CreateKernel(own.program, "ops/shared/token_exchange/kernels/sum_compute.cpp", cores,
                         compute_config(compute, {.fp32_dest_acc_en = true})),
            CreateKernel(own.program, "ops/shared/token_exchange/kernels/sum_writer.cpp", cores,
                         writer_config(row, SumWriterTensors{.output = own.output()}))};
}

void add_sums(const CombineProgram& own, std::span<const SumShare> shares) {
    std::vector<CoreCoord> cores;
    for (const SumShare& share : shares) {
        cores.push_back(share.core);
    }
    const CoreRangeSet all = range_set(cores);
    add_sum_buffers(own, all);
    const SumKernels kernels = create_sum_kernels(own, all);
    for (const auto& [core, first, count] : shares) {
        const TokenRange range{.first_token = first, .num_tokens = count};
        set_args(own.program, kernels.reader, core, addresses_of(sum_reader_tensors(own)), range,
                 GoArgs{.go_semaphore = own.semaphores.go});
        set_args(own.program, kernels.compute, core, TokenCount{.num_tokens = count});
        set_args(own.program, kernels.writer, core,
                 addresses_of(SumWriterTensors{.output = own.output()}), range);
    }
}

void add_combine_control(const CombineProgram& own, std::span<const SumShare> shares) {
    std::vector<CoreCoord> cores;
    for (const SumShare& share : shares) {
        cores.push_back(share.core);
    }
    const KernelHandle kernel =
        CreateKernel(own.program, "ops/shared/token_exchange/kernels/combine_control.cpp",
                     own.rank.control(), ReaderDataMovementConfig());
    // All senders of all ranks that may send here report, also those without a row; otherwise the
    // wait would depend on the counts.
    set_args(own.program, kernel, own.rank.control(),
             CombineControlArgs{.num_senders = own.sizes.ranks * own.rank.links,
                                .rows_semaphore = own.semaphores.rows_arrived,
                                .go_semaphore = own.semaphores.go},
             core_words(own.context.arch, cores));
}

Program make_combine_program(const OpContext& context, const Rank& rank, const CombineSizes& sizes,
                             Result result) {
    Program program = CreateProgram();
    // Without a sum the contributions are the output.
    const std::vector<SumShare> shares =
        result == Result::Summed ? sum_shares(rank, sizes.tokens) : std::vector<SumShare>{};
    std::vector<CoreCoord> senders;
    for (std::uint32_t i = 0; i < rank.num_senders(); ++i) {
        senders.push_back(rank.core(i));
    }
    std::vector<CoreCoord> all = senders;
    all.push_back(rank.control());
    for (const SumShare& share : shares) {
        all.push_back(share.core);
    }
    const CoreRangeSet cores = range_set(senders);
    const std::uint32_t piece = piece_bytes(context.arch, sizes.row_bytes);
    add_buffer(program, cores, Cb::Table, kLineEntries * kLineBytes, 1);
    add_buffer(program, cores, Cb::Counts, 4, 1);
    add_buffer(program, cores, Cb::Rows, piece, kPieces);
    add_buffer(program, cores, Cb::Commands, 16, kTargets);
    const CoreRangeSet everywhere = range_set(all);
    // On all cores that take part, since a semaphore has one address for both ends.
    const CombineSemaphores semaphores{CreateSemaphore(program, everywhere, 0),
                                       CreateSemaphore(program, everywhere, 0),
                                       CreateSemaphore(program, everywhere, 0)};
    const CombineProgram own{context, rank, sizes, program, semaphores};
    add_combine_senders(own, cores);
    if (!shares.empty()) {
        add_sums(own, shares);
    }
    add_combine_control(own, shares);
    return program;
}

void judge_combine(const OpContext& context, Form form, RuleJudge& judge) {
    const auto& spec = context.params<CombineSpec>();
    // Control needs a core of its own: it waits while senders work.
    judge_links(context.arch, spec.links, 2, judge);  // control, and one that sums
    const auto devices = static_cast<std::uint32_t>(context.devices.size());
    judge.require(spec.experts % devices == 0 && spec.experts != 0, "experts",
                  fmt::format("is {}; allowed: a multiple of {}, as many on each device",
                              spec.experts, devices));
    const TensorSpec& rows = context.inputs[combine_input("rows")].spec;
    judge.require(form == Form::Rows || rows.shape[0] == spec.experts / devices, "rows",
                  fmt::format("are {}: batches of {} experts; a device has {} of {}",
                              describe(rows), rows.shape[0], spec.experts / devices, spec.experts));
}

std::vector<TensorPlan> infer_combine(const OpContext& context, Result result) {
    Shape shape = context.inputs[combine_input("slots")].spec.shape;
    if (result == Result::Summed) {
        // The sum removes the axis of slots; without it they stay.
        shape.pop_back();
    }
    shape.push_back(context.inputs[combine_input("rows")].spec.shape.back());
    return {{.spec = {shape, DataFormat::Float16_b, Layout::ROW_MAJOR}}};
}

// Returns the workspaces of contributions to the device's tokens: (T·D, H) by token and rank, or
// (T·K, H) by token and slot.
std::vector<TensorPlan> combine_workspaces(const OpContext& context, Form form, Result result) {
    if (result == Result::BySlot) {
        return {};
    }
    const CombineSizes sizes = combine_sizes(context, form);
    return {{.spec = {{sizes.tokens * sizes.places(),
                       context.inputs[combine_input("rows")].spec.shape.back()},
                      DataFormat::Float16_b,
                      Layout::ROW_MAJOR}}};
}

std::vector<DeviceProgram> combine_programs(const OpContext& context, Form form, Result result) {
    const CombineSizes sizes = combine_sizes(context, form);
    std::vector<DeviceProgram> programs;
    for (std::uint32_t p = 0; p < sizes.ranks; ++p) {
        const Rank rank{context.arch, context.mesh, context.devices, p,
                        context.params<CombineSpec>().links};
        programs.push_back({rank.device(), make_combine_program(context, rank, sizes, result)});
    }
    return programs;
}

// Rows return to the token that `source` names, so that a wrong entry would write elsewhere.
void check_sources(const OpSpec& spec, Form form, const ReferenceContext& context) {
    const NamedTable sources = named_table(spec.inputs, context, combine_input("source"));
    const NamedTable counts = named_table(spec.inputs, context, combine_input("num_received"));
    const Shape& slots = context.in(combine_input("slots")).shape();
    const std::uint64_t ranks = context.inputs[combine_input("slots")].size();
    if (form == Form::Batches) {
        check_lists(spec.name, counts, sources, ranks * num_elements(slots));
        return;
    }
    check_indices(spec.name, counts, std::uint64_t{sources.values.shape[0]} + 1, Nobody::Forbidden);
    for (std::size_t row = 0; row < counts.values.as<std::uint32_t>()[0]; ++row) {
        check_entries(spec.name, sources, ranks, Nobody::Forbidden, 2 * row, 2 * row + 1);
        check_entries(spec.name, sources, slots[0], Nobody::Forbidden, 2 * row + 1, 2 * row + 2);
    }
}

// Returns the slots that an expert's row came back to.
std::vector<std::vector<bool>> filled_slots(const ReferenceContext& context) {
    const HostTensor slots = context.read(combine_input("slots"));
    std::vector<bool> filled;
    for (const std::int32_t slot : slots.as<std::int32_t>()) {
        filled.push_back(slot >= 0);
    }
    return {filled};
}

}  // namespace

Op combine_op(const OpSpec& spec, Form form, Result result) {
    Op op{.spec = spec,
          .params = parameters<CombineSpec>(kCombineFields),
          .rules = [form](const OpContext& context,
                          RuleJudge& judge) { judge_combine(context, form, judge); },
          .infer = [result](const OpContext& context) { return infer_combine(context, result); },
          .workspaces =
              [form, result](const OpContext& context) {
                  return combine_workspaces(context, form, result);
              },
          .programs =
              [form, result](const OpContext& context) {
                  return combine_programs(context, form, result);
              },
          .reference =
              [form](const ReferenceContext& context) { return combine_reference(context, form); },
          .check_values =
              [spec, form](const ReferenceContext& context) { check_sources(spec, form, context); },
          .checked_inputs = {combine_input("source"), combine_input("num_received")},
          .shared_parameters = {{"experts", combine_input("source")}}};
    // Ids decide which ranks contribute; a wrong id would make a core wait for a row that no rank
    // sends.
    if (form == Form::Rows) {
        op.check_values = [spec](const ReferenceContext& context) {
            check_sources(spec, Form::Rows, context);
            check_indices(spec.name, named_table(spec.inputs, context, kTopkIds),
                          context.params<CombineSpec>().experts, Nobody::Allowed);
        };
        op.checked_inputs.push_back(kTopkIds);
    }
    if (result == Result::BySlot) {
        op.reference = slots_reference;
        op.valid = valid_of_rows(filled_slots);
    }
    return op;
}

}  // namespace tessera::ops::token_exchange
