// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/token_exchange/combine.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/describe_tensor.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/token_exchange/cores.hpp"
#include "tessera/work_split.hpp"

namespace tessera::ops::token_exchange {
namespace {

// Circular buffers of the cores that send (kernels/routing.hpp) and of those that sum
// (kernels/sum.hpp).
enum : std::uint8_t { kEntriesCb = 0, kCountCb = 2, kPiecesCb = 4, kTargetsCb = 5 };
enum : std::uint8_t { kContributionsCb = 0, kTermsCb = 1, kTablesCb = 2, kSumCb = 16 };

constexpr std::uint32_t kEntriesBytes = 16 * 64;  // kernels/combine_reader.cpp
constexpr std::uint32_t kPieces = 8;
constexpr std::uint32_t kTargets = 8;

// Places of the operands.
enum : std::size_t { kRowsIn = 0, kSource = 1, kNumReceived = 2, kSlots = 3, kLast = 4 };

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
    [[nodiscard]] std::uint32_t stride() const { return (4 * top_k + 63) / 64 * 64; }
    [[nodiscard]] std::vector<std::uint32_t> words() const {
        return {tokens,   top_k,    experts, ranks, most_rows, is_batched ? 1U : 0U,
                stride(), stride(), 0};
    }
};

CombineSizes combine_sizes(const OpContext& context, Form form) {
    const TensorSpec& rows = context.inputs[kRowsIn].spec;
    const TensorSpec& slots = context.inputs[kSlots].spec;
    const bool is_batched = form == Form::Batches;
    // Only batches are weighed here: rows carry their weights in the expert's output.
    const bool weighs = is_batched && context.inputs.size() > kLast;
    return {.tokens = slots.shape[0],
            .top_k = slots.shape[1],
            .experts = context.params<CombineSpec>().experts,
            .ranks = static_cast<std::uint32_t>(context.devices.size()),
            .most_rows = rows.shape[is_batched ? 1 : 0],
            .is_batched = is_batched,
            .row_bytes = rows.page_size(),
            .weight_bytes = weighs ? context.inputs[kLast].spec.page_size() / slots.shape[1] : 0};
}

struct CombineSemaphores {
    std::uint32_t started;
    std::uint32_t rows_arrived;
    std::uint32_t go;
};

/// One device's program while it is made.
struct CombineMaking {
    const OpContext& context;
    const Rank& rank;
    const CombineSizes& sizes;
    Program& program;
    CombineSemaphores semaphores;

    [[nodiscard]] const DeviceTensor& in(std::size_t operand) const {
        return context.device_inputs[operand][rank.position];
    }
    [[nodiscard]] const DeviceTensor& output() const {
        return context.device_outputs[0][rank.position];
    }
    // Returns a workspace if they are summed, else the output itself.
    [[nodiscard]] const DeviceTensor& contributions() const {
        return context.device_outputs.back()[rank.position];
    }
    // Returns ids for Rows, weights for Batches; slots replace a tensor that is not there and
    // not read.
    [[nodiscard]] const DeviceTensor& last_or_slots() const {
        return in(context.inputs.size() > kLast ? std::size_t{kLast} : std::size_t{kSlots});
    }
};

// The pages of a contribution follow from what the dispatch has noted: its source entry names rank,
// token and slot.
std::vector<std::uint32_t> combine_reader_args(const CombineMaking& making, std::uint32_t way,
                                               std::uint32_t link) {
    std::vector<std::uint32_t> args{making.in(kRowsIn).buffer.address,
                                    making.in(kSource).buffer.address,
                                    making.in(kNumReceived).buffer.address,
                                    making.rank.links,
                                    link,
                                    making.sizes.row_bytes,
                                    piece_bytes(making.context.arch, making.sizes.row_bytes),
                                    making.rank.position};
    append(args, peer_words(making.rank, way, link));
    return args;
}

// The writer is that of dispatch, without a table and scales.
std::vector<std::uint32_t> combine_writer_args(const CombineMaking& making, std::uint32_t way,
                                               std::uint32_t link) {
    const std::uint32_t control = core_word(making.context.arch, making.rank.control());
    const std::uint32_t contributions = making.contributions().buffer.address;
    const std::uint32_t piece = piece_bytes(making.context.arch, making.sizes.row_bytes);
    // dispatch_writer's accessors of table and scales are those of the contributions; it reads
    // neither.
    std::vector<std::uint32_t> args{contributions,
                                    contributions,
                                    contributions,
                                    making.rank.position,
                                    0,
                                    making.sizes.row_bytes,
                                    piece,
                                    0,
                                    making.semaphores.started,
                                    control & 0xFFFFU,
                                    control >> 16U,
                                    making.semaphores.rows_arrived,
                                    making.semaphores.rows_arrived,
                                    way == kStays ? 1U : 0U,
                                    piece};
    append_peers(args, making.rank, way, link, making.program);
    return args;
}

void add_combine_senders(const CombineMaking& making, const CoreRangeSet& cores) {
    std::vector<std::uint32_t> reader = making.sizes.words();
    for (const std::size_t operand : {kRowsIn, kSource, kNumReceived}) {
        append_accessor(reader, making.in(operand));
    }
    std::vector<std::uint32_t> writer = making.sizes.words();
    for (int i = 0; i < 3; ++i) {
        append_accessor(writer, making.contributions());
    }
    const KernelHandle reads =
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/combine_reader.cpp", cores,
                     ReaderDataMovementConfig(reader));
    const KernelHandle writes =
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/dispatch_writer.cpp", cores,
                     WriterDataMovementConfig(writer));
    // One core for each direction and link, and one for the rows that stay: none waits for
    // another's packets.
    for (std::uint32_t way = 0; way < kWays; ++way) {
        for (std::uint32_t link = 0; link < making.rank.links; ++link) {
            const CoreCoord core = making.rank.sender(way, link);
            SetRuntimeArgs(making.program, reads, core, combine_reader_args(making, way, link));
            SetRuntimeArgs(making.program, writes, core, combine_writer_args(making, way, link));
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

void add_sum_buffers(const CombineMaking& making, const CoreRangeSet& cores) {
    // Eight tiles in flight hide the latency of a read of one tile from DRAM.
    constexpr std::uint32_t kDepth = 8;
    const std::uint32_t tile = tile_bytes(DataFormat::Float16_b);
    for (const std::uint8_t index : {kContributionsCb, kSumCb}) {
        CreateCircularBuffer(making.program, cores,
                             CircularBufferConfig(kDepth * tile, {{index, DataFormat::Float16_b}})
                                 .set_page_size(index, tile));
    }
    add_buffer(making.program, cores, kTermsCb, 4 * (1 + making.sizes.places()), 2);
    // A token's slots, ids and weights: one row of each.
    add_buffer(making.program, cores, kTablesCb, 3 * making.sizes.stride(), 1);
}

struct SumKernels {
    KernelHandle reader;
    KernelHandle compute;
    KernelHandle writer;
};

SumKernels create_sum_kernels(const CombineMaking& making, const CoreRangeSet& cores) {
    const CombineSizes& sizes = making.sizes;
    std::vector<std::uint32_t> reader = sizes.words();
    append(reader, std::array{sizes.weight_bytes, sizes.row_bytes});
    append_accessor(reader, making.contributions());
    append_accessor(reader, making.in(kSlots));
    append_accessor(reader, making.last_or_slots());
    append_accessor(reader, making.last_or_slots());
    std::vector<std::uint32_t> writer{sizes.row_bytes};
    append_accessor(writer, making.output());
    const std::uint32_t row_tiles = div_up(sizes.row_bytes, tile_bytes(DataFormat::Float16_b));
    return {
        // fp32 in DST: the sum is rounded once, when it is packed.
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/sum_reader.cpp", cores,
                     ReaderDataMovementConfig(reader)),
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/sum_compute.cpp", cores,
                     ComputeConfig{.fp32_dest_acc_en = true,
                                   .compile_args = {row_tiles, sizes.weight_bytes != 0 ? 1U : 0U}}),
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/sum_writer.cpp", cores,
                     WriterDataMovementConfig(writer))};
}

void add_sums(const CombineMaking& making, std::span<const SumShare> shares) {
    std::vector<CoreCoord> cores;
    for (const SumShare& share : shares) {
        cores.push_back(share.core);
    }
    const CoreRangeSet all = range_set(cores);
    add_sum_buffers(making, all);
    const SumKernels kernels = create_sum_kernels(making, all);
    for (const auto& [core, first, count] : shares) {
        SetRuntimeArgs(making.program, kernels.reader, core,
                       {making.contributions().buffer.address, making.in(kSlots).buffer.address,
                        making.last_or_slots().buffer.address,
                        making.last_or_slots().buffer.address, first, count, making.semaphores.go});
        SetRuntimeArgs(making.program, kernels.compute, core, {count});
        SetRuntimeArgs(making.program, kernels.writer, core,
                       {making.output().buffer.address, first, count});
    }
}

void add_combine_control(const CombineMaking& making, std::span<const SumShare> shares) {
    // All senders of all ranks that may send here report, also those without a row; otherwise the
    // wait would depend on the counts.
    std::vector<std::uint32_t> args{making.sizes.ranks * making.rank.links,
                                    making.semaphores.rows_arrived, making.semaphores.go,
                                    static_cast<std::uint32_t>(shares.size())};
    for (const SumShare& share : shares) {
        args.push_back(core_word(making.context.arch, share.core));
    }
    const KernelHandle kernel =
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/combine_control.cpp",
                     making.rank.control(), ReaderDataMovementConfig());
    SetRuntimeArgs(making.program, kernel, making.rank.control(), args);
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
    add_buffer(program, cores, kEntriesCb, kEntriesBytes, 1);
    add_buffer(program, cores, kCountCb, 64, 1);
    add_buffer(program, cores, kPiecesCb, piece, kPieces);
    add_buffer(program, cores, kTargetsCb, 16, kTargets);
    const CoreRangeSet everywhere = range_set(all);
    // On all cores that take part, since a semaphore has one address for both ends.
    const CombineSemaphores semaphores{CreateSemaphore(program, everywhere, 0),
                                       CreateSemaphore(program, everywhere, 0),
                                       CreateSemaphore(program, everywhere, 0)};
    const CombineMaking making{context, rank, sizes, program, semaphores};
    add_combine_senders(making, cores);
    if (!shares.empty()) {
        add_sums(making, shares);
    }
    add_combine_control(making, shares);
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
    const TensorSpec& rows = context.inputs[kRowsIn].spec;
    judge.require(form == Form::Rows || rows.shape[0] == spec.experts / devices, "rows",
                  fmt::format("are {}: batches of {} experts; a device has {} of {}",
                              describe(rows), rows.shape[0], spec.experts / devices, spec.experts));
}

std::vector<TensorPlan> infer_combine(const OpContext& context, Result result) {
    Shape shape = context.inputs[kSlots].spec.shape;
    if (result == Result::Summed) {
        // The sum removes the axis of slots; without it they stay.
        shape.pop_back();
    }
    shape.push_back(context.inputs[kRowsIn].spec.shape.back());
    return {{.spec = {shape, DataFormat::Float16_b, Layout::ROW_MAJOR}}};
}

// Returns the workspaces of contributions to the device's tokens: (T·D, H) by token and rank, or
// (T·K, H) by token and slot.
std::vector<TensorPlan> combine_workspaces(const OpContext& context, Form form, Result result) {
    if (result == Result::BySlot) {
        return {};
    }
    const CombineSizes sizes = combine_sizes(context, form);
    return {{.spec = {{sizes.tokens * sizes.places(), context.inputs[kRowsIn].spec.shape.back()},
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

// Returns the slots that an expert's row came back to.
std::vector<std::vector<bool>> filled_slots(const ReferenceContext& context) {
    const HostTensor slots = context.read(kSlots);
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
              [form](const ReferenceContext& context) { return combine_reference(context, form); }};
    // Ids decide which ranks contribute; a wrong id would make a core wait for a row that nobody
    // sends.
    if (form == Form::Rows) {
        op.check_values = [spec](const ReferenceContext& context) {
            check_indices(spec.name, {spec.inputs[kLast].name, context.read(kLast)},
                          context.params<CombineSpec>().experts, Nobody::Allowed);
        };
        op.checked_inputs = {kLast};
    }
    if (result == Result::BySlot) {
        op.reference = slots_reference;
        op.valid = valid_of_rows(filled_slots);
    }
    return op;
}

}  // namespace tessera::ops::token_exchange
