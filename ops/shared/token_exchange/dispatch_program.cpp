// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/token_exchange/dispatch_program.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/exchange/group.hpp"
#include "ops/shared/exchange/program.hpp"

namespace tessera::ops::token_exchange {
namespace {

// Circular buffers, as the kernels number them (kernels/routing.hpp).
enum : std::uint8_t {
    kTable = 0,
    kBases = 1,
    kCounts = 2,
    kScratch = 3,
    kRows = 4,
    kCommands = 5,
    kPairs = 6
};

constexpr std::uint32_t kScratchRows = 16;  // kernels/dispatch_control.cpp
constexpr std::uint32_t kRowPieces = 8;     // on their way from reader to writer
constexpr std::uint32_t kCommandPages = 8;  // more than rows that are read at once

struct OutputPlaces {
    std::size_t ids;
    std::size_t weights;
    std::size_t source;
    std::size_t num_received;
    std::size_t slots;
    std::size_t scales;
};
// Batches have no ids and weights: their kernel gets the place of the source for them.
constexpr OutputPlaces places_of(Form form) {
    return form == Form::Rows ? OutputPlaces{1, 2, 3, 4, 5, 6} : OutputPlaces{1, 1, 1, 2, 3, 4};
}

// Returns the distance of rows of so many bytes in a table page, padded as DRAM pads its pages.
std::uint32_t stride_of(const ArchSpec& arch, std::uint32_t bytes) {
    return round_up(bytes, static_cast<std::uint32_t>(arch.dram.alignment.value));
}

std::uint32_t pair_rows(const OpContext& context) {
    const bool is_one = context.params<DispatchSpec>().phases == Phases::One;
    // A part for each pair of ranks: as many rows as one sender may send.
    return is_one ? most_rows(context) / static_cast<std::uint32_t>(context.devices.size()) : 0;
}

struct Semaphores {
    std::uint32_t started;
    std::uint32_t bases_ready;
    std::uint32_t tables_arrived;
    std::uint32_t rows_arrived;
    std::uint32_t go;
};

/// One device's program while it is made.
struct Making {
    const OpContext& context;
    const Rank& rank;
    const DispatchSizes& sizes;
    Form form;
    Program& program;
    Semaphores semaphores;

    [[nodiscard]] const DeviceTensor& in(std::size_t operand) const {
        return context.device_inputs[operand][rank.position];
    }
    // Outputs come before workspaces in device_outputs.
    [[nodiscard]] const DeviceTensor& out(std::size_t operand) const {
        return context.device_outputs[operand][rank.position];
    }
    // Rows of 0 bytes replace scales that are not there.
    [[nodiscard]] const DeviceTensor& scales() const {
        return in(sizes.scales_bytes != 0 ? std::size_t{kScales} : std::size_t{kTokens});
    }
    [[nodiscard]] const DeviceTensor& received_scales() const {
        return out(sizes.scales_bytes != 0 ? places_of(form).scales : 0);
    }
    // Workspaces: tables; in one phase also rows, and their scales, as they arrive.
    [[nodiscard]] const DeviceTensor& tables() const { return out(context.outputs.size()); }
    [[nodiscard]] const DeviceTensor& arriving() const {
        return sizes.pair_rows != 0 ? out(context.outputs.size() + 1) : out(0);
    }
    [[nodiscard]] const DeviceTensor& arriving_scales() const {
        const bool lie_apart = sizes.pair_rows != 0 && sizes.scales_bytes != 0;
        return lie_apart ? out(context.outputs.size() + 2) : received_scales();
    }
    /// Returns the cores that put rows together.
    [[nodiscard]] std::vector<CoreCoord> packers() const {
        return sizes.pair_rows != 0 ? rank.rest() : std::vector<CoreCoord>{};
    }
};

// The reader and the writer of a core take the same peers in the same order.
std::vector<std::uint32_t> reader_args(const Making& making, std::uint32_t way,
                                       std::uint32_t link) {
    const DispatchSizes& sizes = making.sizes;
    std::vector<std::uint32_t> args{making.in(kTokens).buffer.address,
                                    making.in(kIds).buffer.address,
                                    making.in(kWeights).buffer.address,
                                    making.scales().buffer.address,
                                    making.rank.links,
                                    link,
                                    sizes.row_bytes,
                                    sizes.piece,
                                    sizes.scales_bytes,
                                    making.semaphores.bases_ready,
                                    making.rank.position};
    append(args, peer_words(making.rank, way, link));
    return args;
}

/// Arguments of a kernel that writes rows, without its peers.
struct RowWriter {
    const DeviceTensor& rows;  ///< where they go
    const DeviceTensor& scales;
    bool sends_table = false;
    std::uint32_t tables_arrived = 0;  ///< semaphores of the control core
    std::uint32_t rows_arrived = 0;
    bool is_local = false;
    std::uint32_t table_packet = 0;  ///< bytes

    /// Returns the words in the order of kernels/dispatch_writer.cpp.
    [[nodiscard]] std::vector<std::uint32_t> words(const Making& making) const {
        const DispatchSizes& sizes = making.sizes;
        const std::uint32_t control = core_word(making.context.arch, making.rank.control());
        return {rows.buffer.address,  scales.buffer.address, making.tables().buffer.address,
                making.rank.position, sends_table ? 1U : 0U, sizes.row_bytes,
                sizes.piece,          sizes.scales_bytes,    making.semaphores.started,
                control & 0xFFFFU,    control >> 16U,        tables_arrived,
                rows_arrived,         is_local ? 1U : 0U,    table_packet};
    }
};

std::vector<std::uint32_t> sender_args(const Making& making, std::uint32_t way,
                                       std::uint32_t link) {
    // One core a direction sends the table; the links beside it begin with rows.
    const RowWriter writer{.rows = making.arriving(),
                           .scales = making.arriving_scales(),
                           .sends_table = link == 0 && way != kStays,
                           .tables_arrived = making.semaphores.tables_arrived,
                           .rows_arrived = making.semaphores.rows_arrived,
                           .is_local = way == kStays,
                           .table_packet = exchange::packet_piece(making.context.arch)};
    std::vector<std::uint32_t> args = writer.words(making);
    append_peers(args, making.rank, way, link, making.program);
    return args;
}

void add_senders(const Making& making) {
    std::vector<CoreCoord> cores;
    for (std::uint32_t i = 0; i < making.rank.num_senders(); ++i) {
        cores.push_back(making.rank.core(i));
    }
    std::vector<std::uint32_t> reader = making.sizes.words();
    for (const DeviceTensor* tensor :
         {&making.in(kTokens), &making.in(kIds), &making.in(kWeights), &making.scales()}) {
        append_accessor(reader, *tensor);
    }
    std::vector<std::uint32_t> writer = making.sizes.words();
    for (const DeviceTensor* tensor :
         {&making.arriving(), &making.arriving_scales(), &making.tables()}) {
        append_accessor(writer, *tensor);
    }
    const KernelHandle reads =
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/dispatch_reader.cpp",
                     range_set(cores), ReaderDataMovementConfig(reader));
    const KernelHandle writes =
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/dispatch_writer.cpp",
                     range_set(cores), WriterDataMovementConfig(writer));
    for (std::uint32_t way = 0; way < kWays; ++way) {
        for (std::uint32_t link = 0; link < making.rank.links; ++link) {
            const CoreCoord core = making.rank.sender(way, link);
            SetRuntimeArgs(making.program, reads, core, reader_args(making, way, link));
            SetRuntimeArgs(making.program, writes, core, sender_args(making, way, link));
        }
    }
}

// Returns the cores that wait for the bases: those that have peers.
std::vector<CoreCoord> waiting_cores(const Rank& rank) {
    std::vector<CoreCoord> cores;
    for (std::uint32_t way = 0; way < kWays; ++way) {
        for (std::uint32_t link = 0; !rank.peers_of(way).empty() && link < rank.links; ++link) {
            cores.push_back(rank.sender(way, link));
        }
    }
    return cores;
}

void append_cores(std::vector<std::uint32_t>& args, const Making& making,
                  std::span<const CoreCoord> cores) {
    args.push_back(static_cast<std::uint32_t>(cores.size()));
    for (const CoreCoord& core : cores) {
        args.push_back(core_word(making.context.arch, core));
    }
}

void add_control(const Making& making) {
    const OutputPlaces places = places_of(making.form);
    const std::array outputs{&making.out(places.ids), &making.out(places.weights),
                             &making.out(places.source), &making.out(places.slots),
                             &making.out(places.num_received)};
    std::vector<std::uint32_t> compile_args = making.sizes.words();
    compile_args.push_back(making.sizes.weight_bytes);
    std::vector<std::uint32_t> args;
    for (const DeviceTensor* tensor : {&making.in(kIds), &making.in(kWeights), &making.tables()}) {
        append_accessor(compile_args, *tensor);
        args.push_back(tensor->buffer.address);
    }
    for (const DeviceTensor* tensor : outputs) {
        append_accessor(compile_args, *tensor);
        args.push_back(tensor->buffer.address);
    }
    const auto& spec = making.context.params<DispatchSpec>();
    append(args,
           std::array{making.rank.position, making.sizes.scratch_stride(),
                      spec.overflow == Overflow::Fail ? 1U : 0U, making.semaphores.tables_arrived,
                      making.semaphores.rows_arrived, making.semaphores.bases_ready,
                      making.sizes.ranks * making.rank.links, making.semaphores.go});
    // With two phases the places of rows are known after the tables; the cores that send wait for
    // them.
    append_cores(
        args, making,
        making.sizes.pair_rows == 0 ? waiting_cores(making.rank) : std::vector<CoreCoord>{});
    append_cores(args, making, making.packers());
    const KernelHandle kernel =
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/dispatch_control.cpp",
                     making.rank.control(), ReaderDataMovementConfig(compile_args));
    SetRuntimeArgs(making.program, kernel, making.rank.control(), args);
}

// A packer works as a core of rows that stay. Nobody waits for its counts.
std::vector<std::uint32_t> packer_args(const Making& making) {
    const RowWriter writer{.rows = making.out(0),
                           .scales = making.received_scales(),
                           .tables_arrived = making.semaphores.started,
                           .rows_arrived = making.semaphores.started,
                           .is_local = true,
                           .table_packet = making.sizes.piece};
    std::vector<std::uint32_t> args = writer.words(making);
    args.push_back(0);  // peers
    return args;
}

// Packers are the idle cores of the device: rows are put together in parallel.
void add_packers(const Making& making, std::span<const CoreCoord> cores) {
    const DispatchSizes& sizes = making.sizes;
    std::vector<std::uint32_t> reader = sizes.words();
    append_accessor(reader, making.arriving());
    append_accessor(reader, making.arriving_scales());
    std::vector<std::uint32_t> writer = sizes.words();
    for (const DeviceTensor* tensor :
         {&making.out(0), &making.received_scales(), &making.tables()}) {
        append_accessor(writer, *tensor);
    }
    const KernelHandle reads =
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/pack_reader.cpp",
                     range_set(cores), ReaderDataMovementConfig(reader));
    const KernelHandle writes =
        CreateKernel(making.program, "ops/shared/token_exchange/kernels/dispatch_writer.cpp",
                     range_set(cores), WriterDataMovementConfig(writer));
    // Rows are distributed one by one, because their number is known on the device only.
    for (std::uint32_t i = 0; i < cores.size(); ++i) {
        SetRuntimeArgs(making.program, reads, cores[i],
                       {making.arriving().buffer.address, making.arriving_scales().buffer.address,
                        sizes.row_bytes, sizes.piece, sizes.scales_bytes, making.semaphores.go, i,
                        static_cast<std::uint32_t>(cores.size())});
        SetRuntimeArgs(making.program, writes, cores[i], packer_args(making));
    }
}

}  // namespace

DispatchSizes dispatch_sizes(const OpContext& context, Form form) {
    const TensorSpec& tokens = context.inputs[kTokens].spec;
    const TensorSpec& weights = context.inputs[kWeights].spec;
    const std::uint32_t top_k = context.inputs[kIds].spec.shape[1];
    const std::uint32_t scales =
        context.inputs.size() > kScales ? context.inputs[kScales].spec.page_size() : 0;
    // The longest of row and scales decides: both go through the same buffer.
    return {.tokens = tokens.shape[0],
            .top_k = top_k,
            .experts = context.params<DispatchSpec>().experts,
            .ranks = static_cast<std::uint32_t>(context.devices.size()),
            .most_rows = most_rows(context),
            .is_batched = form == Form::Batches,
            .ids_stride = stride_of(context.arch, 4 * top_k),
            .weights_stride = stride_of(context.arch, weights.page_size()),
            .weight_bytes = weights.page_size() / top_k,
            .row_bytes = tokens.page_size(),
            .scales_bytes = scales,
            .piece = piece_bytes(context.arch, std::max(tokens.page_size(), scales)),
            .pair_rows = pair_rows(context)};
}

std::vector<DispatchBuffer> dispatch_buffers(const DispatchSizes& sizes) {
    // A line of 16 places for each expert of a batch; it is written when it is full.
    const std::uint32_t lines = sizes.is_batched ? sizes.experts / sizes.ranks * 64 : 0;
    return {{kTable, sizes.table_bytes(), 1},
            {kBases, 4 * sizes.bins(), 1},
            {kCounts, 2 * 4 * sizes.bins(), 1},
            {kScratch, kScratchRows * sizes.scratch_stride() + lines, 1},
            {kRows, sizes.piece, kRowPieces},
            {kCommands, 4 * (2 * sizes.top_k + 1), kCommandPages},
            {kPairs, 4 * sizes.bins(), 1}};
}

Program dispatch_program(const OpContext& context, const Rank& rank, const DispatchSizes& sizes,
                         Form form) {
    Program program = CreateProgram();
    std::vector<CoreCoord> cores;
    // All cores have all buffers, so that a table has the same address on each of them.
    for (std::uint32_t i = 0; i <= rank.num_senders(); ++i) {
        cores.push_back(rank.core(i));
    }
    const std::vector<CoreCoord> packers =
        sizes.pair_rows != 0 ? rank.rest() : std::vector<CoreCoord>{};
    cores.insert(cores.end(), packers.begin(), packers.end());
    const CoreRangeSet all = range_set(cores);
    for (const auto& [index, page, pages] : dispatch_buffers(sizes)) {
        add_buffer(program, all, index, page, pages);
    }
    // Five counts on every core, since a semaphore has one address for both ends.
    const Semaphores semaphores{CreateSemaphore(program, all, 0), CreateSemaphore(program, all, 0),
                                CreateSemaphore(program, all, 0), CreateSemaphore(program, all, 0),
                                CreateSemaphore(program, all, 0)};
    const Making making{context, rank, sizes, form, program, semaphores};
    add_senders(making);
    add_control(making);
    if (!packers.empty()) {
        add_packers(making, packers);
    }
    return program;
}

}  // namespace tessera::ops::token_exchange
