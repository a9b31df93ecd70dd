// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/token_exchange/dispatch_program.hpp"

#include <algorithm>

#include "emu/base/round_up.hpp"
#include "ops/shared/exchange/buffers.hpp"
#include "ops/shared/exchange/group.hpp"
#include "ops/shared/exchange/program.hpp"

namespace tessera::ops::token_exchange {
namespace {

constexpr std::uint32_t kRowPieces = 8;     // on their way from reader to writer
constexpr std::uint32_t kCommandPages = 8;  // more than rows that are read at once

// Positions among the workspaces, in the order of dispatch_workspaces().
enum : std::size_t { kTables, kArriving, kArrivingScales };

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

/// The program of one device, its operands and the semaphores of its kernels.
struct DispatchProgram {
    const OpContext& context;
    const Rank& rank;
    const DispatchSizes& sizes;
    Form form;
    Program& program;
    Semaphores semaphores;

    [[nodiscard]] const Buffer* in(std::size_t operand) const {
        return &context.device_inputs[operand][rank.position].buffer;
    }
    [[nodiscard]] const Buffer* out(std::size_t operand) const {
        return operand == kAbsent ? nullptr
                                  : &context.device_outputs[operand][rank.position].buffer;
    }
    [[nodiscard]] const Buffer* workspace(std::size_t place) const {
        return &context.workspaces()[place][rank.position].buffer;
    }
    [[nodiscard]] const Buffer* received() const { return out(places_of(form).received); }
    [[nodiscard]] bool has_scales() const { return sizes.scales_bytes != 0; }
    [[nodiscard]] const Buffer* received_scales() const {
        return has_scales() ? out(places_of(form).scales) : nullptr;
    }
    // Workspaces: tables; in one phase also rows, and their scales, as they arrive.
    [[nodiscard]] const Buffer* tables() const { return workspace(kTables); }
    [[nodiscard]] const Buffer* arriving() const {
        return sizes.pair_rows != 0 ? workspace(kArriving) : received();
    }
    [[nodiscard]] const Buffer* arriving_scales() const {
        const bool lie_apart = sizes.pair_rows != 0 && has_scales();
        return lie_apart ? workspace(kArrivingScales) : received_scales();
    }
    /// Returns the cores that put rows together.
    [[nodiscard]] std::vector<CoreCoord> packers() const {
        return sizes.pair_rows != 0 ? rank.rest() : std::vector<CoreCoord>{};
    }
};

WriterArgs sender_args(const DispatchProgram& own, std::uint32_t direction, std::uint32_t link) {
    WriterArgs args = writer_args(own.rank, direction, own.sizes.row_bytes,
                                  {own.semaphores.started, own.semaphores.rows_arrived});
    args.piece_bytes = own.sizes.piece;
    args.scales_bytes = own.sizes.scales_bytes;
    // One core a direction sends the table; the links beside it begin with rows.
    args.sends_table = link == 0 && direction != kLocal ? 1 : 0;
    args.tables_semaphore = own.semaphores.tables_arrived;
    args.table_packet = exchange::packet_piece(own.context.arch);
    return args;
}

void add_senders(const DispatchProgram& own) {
    std::vector<CoreCoord> cores;
    for (std::uint32_t i = 0; i < own.rank.num_senders(); ++i) {
        cores.push_back(own.rank.core(i));
    }
    const DispatchReaderTensors read{.tokens = own.in(kTokens),
                                     .ids = own.in(kIds),
                                     .weights = own.in(kWeights),
                                     .scales = own.has_scales() ? own.in(kScales) : nullptr};
    const WriterTensors written{
        .rows = own.arriving(), .scales = own.arriving_scales(), .tables = own.tables()};
    const KernelHandle reader =
        CreateKernel(own.program, "ops/shared/token_exchange/kernels/dispatch_reader.cpp",
                     range_set(cores), reader_config(own.sizes.shape(), read));
    const KernelHandle writer =
        add_row_writer(own.program, range_set(cores), written, own.sizes.shape());
    for (std::uint32_t direction = 0; direction < kDirections; ++direction) {
        for (std::uint32_t link = 0; link < own.rank.links; ++link) {
            const CoreCoord core = own.rank.sender(direction, link);
            // The reader and the writer of a core take the same peers in the same order.
            set_args(own.program, reader, core, addresses_of(read),
                     DispatchReaderArgs{.num_links = own.rank.links,
                                        .link = link,
                                        .row_bytes = own.sizes.row_bytes,
                                        .piece_bytes = own.sizes.piece,
                                        .scales_bytes = own.sizes.scales_bytes,
                                        .bases_semaphore = own.semaphores.bases_ready,
                                        .rank = own.rank.position},
                     peer_words(own.rank, direction, link));
            set_args(own.program, writer, core, addresses_of(written),
                     sender_args(own, direction, link),
                     connected_peer_words(own.rank, direction, link, own.program));
        }
    }
}

// Returns the cores that wait for the bases: those that have peers.
std::vector<CoreCoord> waiting_cores(const Rank& rank) {
    std::vector<CoreCoord> cores;
    for (std::uint32_t direction = 0; direction < kDirections; ++direction) {
        for (std::uint32_t link = 0; !rank.peers_of(direction).empty() && link < rank.links;
             ++link) {
            cores.push_back(rank.sender(direction, link));
        }
    }
    return cores;
}

void add_control(const DispatchProgram& own) {
    const OutputPlaces places = places_of(own.form);
    const ControlTensors tensors{.ids = own.in(kIds),
                                 .weights = own.in(kWeights),
                                 .tables = own.tables(),
                                 .out_ids = own.out(places.ids),
                                 .out_weights = own.out(places.weights),
                                 .source = own.out(places.source),
                                 .slots = own.out(places.slots),
                                 .num_received = own.out(places.num_received)};
    const auto& spec = own.context.params<DispatchSpec>();
    const ControlWork work{.rank = own.rank.position,
                           .scratch_stride = own.sizes.scratch_stride(),
                           .fails_beyond = spec.overflow == Overflow::Fail ? 1U : 0U,
                           .tables_semaphore = own.semaphores.tables_arrived,
                           .rows_semaphore = own.semaphores.rows_arrived,
                           .bases_semaphore = own.semaphores.bases_ready,
                           .num_senders = own.sizes.ranks * own.rank.links,
                           .go_semaphore = own.semaphores.go};
    // With two phases the places of rows are known after the tables; the cores that send wait for
    // them.
    const auto waiting =
        own.sizes.pair_rows == 0 ? waiting_cores(own.rank) : std::vector<CoreCoord>{};
    const KernelHandle kernel = CreateKernel(
        own.program, "ops/shared/token_exchange/kernels/dispatch_control.cpp", own.rank.control(),
        reader_config(named(own.sizes.shape(), ControlArgs{.weight_bytes = own.sizes.weight_bytes}),
                      tensors));
    set_args(own.program, kernel, own.rank.control(), addresses_of(tensors), work,
             core_words(own.context.arch, waiting), core_words(own.context.arch, own.packers()));
}

// A packer writes as a core of rows that stay. Nobody waits for its counts.
WriterArgs packer_args(const DispatchProgram& own) {
    WriterArgs args = writer_args(own.rank, kLocal, own.sizes.row_bytes,
                                  {own.semaphores.started, own.semaphores.started});
    args.piece_bytes = own.sizes.piece;
    args.scales_bytes = own.sizes.scales_bytes;
    return args;
}

// Packers are the idle cores of the device: rows are put together in parallel.
void add_packers(const DispatchProgram& own, std::span<const CoreCoord> cores) {
    const DispatchSizes& sizes = own.sizes;
    const PackTensors read{.rows = own.arriving(), .scales = own.arriving_scales()};
    const WriterTensors written{
        .rows = own.received(), .scales = own.received_scales(), .tables = nullptr};
    const KernelHandle reader =
        CreateKernel(own.program, "ops/shared/token_exchange/kernels/pack_reader.cpp",
                     range_set(cores), reader_config(sizes.shape(), read));
    const KernelHandle writer =
        add_row_writer(own.program, range_set(cores), written, sizes.shape());
    // Rows are distributed one by one, because their number is known on the device only.
    for (std::uint32_t i = 0; i < cores.size(); ++i) {
        set_args(own.program, reader, cores[i], addresses_of(read),
                 PackArgs{.row_bytes = sizes.row_bytes,
                          .piece_bytes = sizes.piece,
                          .scales_bytes = sizes.scales_bytes,
                          .go_semaphore = own.semaphores.go,
                          .core = i,
                          .num_cores = static_cast<std::uint32_t>(cores.size())});
        set_args(own.program, writer, cores[i], addresses_of(written), packer_args(own),
                 ListSize{.count = 0});
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
    // A line of places for each expert of a batch; it is written when it is full.
    const std::uint32_t lines = sizes.is_batched ? sizes.experts / sizes.ranks * kLineBytes : 0;
    return {{Cb::Table, sizes.table_bytes(), 1},
            {Cb::Bases, 4 * sizes.bins(), 1},
            {Cb::Counts, 2 * 4 * sizes.bins(), 1},
            {Cb::Scratch, kScratchRows * sizes.scratch_stride() + lines, 1},
            {Cb::Rows, sizes.piece, kRowPieces},
            {Cb::Commands, 4 * (2 * sizes.top_k + 1), kCommandPages},
            {Cb::Pairs, 4 * sizes.bins(), 1}};
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
    for (const auto& [cb, page, pages] : dispatch_buffers(sizes)) {
        add_buffer(program, all, cb, page, pages);
    }
    // Five counts on every core, since a semaphore has one address for both ends.
    const Semaphores semaphores{CreateSemaphore(program, all, 0), CreateSemaphore(program, all, 0),
                                CreateSemaphore(program, all, 0), CreateSemaphore(program, all, 0),
                                CreateSemaphore(program, all, 0)};
    const DispatchProgram own{context, rank, sizes, form, program, semaphores};
    add_senders(own);
    add_control(own);
    if (!packers.empty()) {
        add_packers(own, packers);
    }
    return program;
}

}  // namespace tessera::ops::token_exchange
