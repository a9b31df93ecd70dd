// SPDX-License-Identifier: Apache-2.0
#include "ops/all_to_all/all_to_all.hpp"

#include <algorithm>
#include <cstring>

#include "ops/all_to_all/kernels/args.hpp"
#include "ops/bound.hpp"
#include "ops/shared/describe_tensor.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/token_exchange/cores.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::all_to_all {
namespace {

using token_exchange::append;
using token_exchange::Cb;
using token_exchange::CombineControlArgs;
using token_exchange::kDirections;
using token_exchange::Rank;
using token_exchange::WriterSemaphores;
using token_exchange::WriterTensors;

constexpr std::array kFields{
    config::field<&AllToAllSpec::links>("links", "4", "links of each direction",
                                        config::Limits{1, kLinksPerDirection}),
    config::field<&AllToAllSpec::opposite>("opposite", "either_way",
                                           "direction of parts for the opposite device of a ring"),
};

/// Rows from every device to every device: [from][to].
using Counts = std::vector<std::vector<std::uint32_t>>;

Counts counts_of(std::span<const std::uint32_t> values, std::size_t devices, std::uint32_t rows) {
    // Without counts all parts are equal; with counts the rows of the table are senders.
    Counts counts(devices, std::vector<std::uint32_t>(devices, rows));
    for (std::size_t i = 0; i < values.size(); ++i) {
        counts[i / devices][i % devices] = values[i];
    }
    return counts;
}

// Returns the first row of the part for `to` among those that `from` sends; of `from` among those
// `to` gets.
std::uint32_t sent_before(const Counts& counts, std::size_t from, std::size_t to) {
    std::uint32_t rows = 0;
    for (std::size_t i = 0; i < to; ++i) {
        rows += counts[from][i];
    }
    return rows;
}
std::uint32_t received_before(const Counts& counts, std::size_t from, std::size_t to) {
    std::uint32_t rows = 0;
    for (std::size_t i = 0; i < from; ++i) {
        rows += counts[i][to];
    }
    return rows;
}

/// Context from which all devices' programs are made.
struct Call {
    const OpContext& context;
    Counts counts;

    [[nodiscard]] const DeviceTensor& input(const Rank& rank) const {
        return context.device_inputs["input"_in][rank.position];
    }
    [[nodiscard]] const DeviceTensor& output(const Rank& rank) const {
        return context.device_outputs[only(kOutputs)][rank.position];
    }
    // TILE tensors have less than a page a row, but whole pages a part. Pages times rows exceed 32
    // bits for large tensors.
    [[nodiscard]] std::uint32_t pages(std::uint32_t rows) const {
        const TensorSpec& spec = context.inputs["input"_in].spec;
        return static_cast<std::uint32_t>(std::uint64_t{spec.num_pages()} * rows / spec.shape[0]);
    }
};

std::uint32_t piece_of(const Call& call) {
    return token_exchange::piece_bytes(call.context.arch,
                                       call.context.inputs["input"_in].spec.page_size());
}

ReaderTensors reader_tensors(const Call& call, const Rank& rank) {
    return {.input = &call.input(rank).buffer};
}

/// Returns PeerPages of each peer: the share of `link` in the pages of the peer's part.
std::vector<std::uint32_t> peer_pages(const Call& call, const Rank& rank, std::uint32_t direction,
                                      std::uint32_t link) {
    std::vector<std::uint32_t> words;
    for (const std::uint32_t peer : rank.peers_of(direction)) {
        // Links share each part, so that all of them are busy until the last part.
        const std::uint32_t pages = call.pages(call.counts[rank.position][peer]);
        const auto first = static_cast<std::uint32_t>(std::uint64_t{pages} * link / rank.links);
        const auto end = static_cast<std::uint32_t>(std::uint64_t{pages} * (link + 1) / rank.links);
        append(words,
               words_of(PeerPages{
                   .first_here = call.pages(sent_before(call.counts, rank.position, peer)) + first,
                   .first_there =
                       call.pages(received_before(call.counts, rank.position, peer)) + first,
                   .num_pages = end - first}));
    }
    return words;
}

// The writer is that of moe_dispatch, without a table and scales. All senders count up one word on
// the control core, for which the launch waits.
void add_page_senders(const Call& call, const Rank& rank, Program& program,
                      const WriterSemaphores& semaphores, const CoreRangeSet& cores) {
    const ReaderTensors read = reader_tensors(call, rank);
    const WriterTensors written{
        .rows = &call.output(rank).buffer, .scales = nullptr, .tables = nullptr};
    const KernelHandle reader = CreateKernel(program, "ops/all_to_all/kernels/reader.cpp", cores,
                                             reader_config(NoArgs{}, read));
    const KernelHandle writer = token_exchange::add_row_writer(program, cores, written);
    const std::uint32_t page_bytes = call.context.inputs["input"_in].spec.page_size();
    const PageArgs sizes{.page_bytes = page_bytes, .piece_bytes = piece_of(call)};
    // A part that stays on the device has a core of its own, so that it does not delay parts that
    // travel.
    for (std::uint32_t direction = 0; direction < kDirections; ++direction) {
        for (std::uint32_t link = 0; link < rank.links; ++link) {
            const CoreCoord core = rank.sender(direction, link);
            set_args(program, reader, core, addresses_of(read), sizes,
                     token_exchange::peer_words(rank, direction, link),
                     peer_pages(call, rank, direction, link));
            set_args(program, writer, core, addresses_of(written),
                     token_exchange::writer_args(rank, direction, page_bytes, semaphores),
                     token_exchange::connected_peer_words(rank, direction, link, program));
        }
    }
}

Program make_page_program(const Call& call, const Rank& rank) {
    // Pages in flight for one sender: enough that the reader is ahead of the link.
    constexpr std::uint32_t kPiecePages = 8;
    constexpr std::uint32_t kTargetPages = 8;
    std::vector<CoreCoord> cores;
    for (std::uint32_t i = 0; i < rank.num_senders(); ++i) {
        cores.push_back(rank.core(i));
    }
    const CoreRangeSet senders = token_exchange::range_set(cores);
    cores.push_back(rank.control());
    const CoreRangeSet all = token_exchange::range_set(cores);
    Program program = CreateProgram();
    token_exchange::add_buffer(program, senders, Cb::Rows, piece_of(call), kPiecePages);
    token_exchange::add_buffer(program, senders, Cb::Commands, 16, kTargetPages);
    const WriterSemaphores semaphores{CreateSemaphore(program, all, 0),
                                      CreateSemaphore(program, all, 0)};
    add_page_senders(call, rank, program, semaphores, senders);
    const KernelHandle control =
        CreateKernel(program, "ops/shared/token_exchange/kernels/combine_control.cpp",
                     rank.control(), ReaderDataMovementConfig());
    // Each sending core increments once, when all of its pages have arrived.
    const auto senders_here = static_cast<std::uint32_t>(rank.devices.size()) * rank.links;
    set_args(program, control, rank.control(),
             CombineControlArgs{.num_senders = senders_here,
                                .rows_semaphore = semaphores.rows_arrived,
                                .go_semaphore = semaphores.started},
             token_exchange::ListSize{.count = 0});
    return program;
}

void page_rules(const OpContext& context, RuleJudge& judge) {
    token_exchange::judge_links(context.arch, context.params<AllToAllSpec>().links, 1, judge);
    const auto [mesh_rows, mesh_columns] = context.mesh.shape;
    // On a mesh of rows and columns packets turn, so an opposite device has no single direction.
    judge.require(context.params<AllToAllSpec>().opposite != Opposite::Forward || mesh_rows == 1 ||
                      mesh_columns == 1,
                  "opposite",
                  fmt::format("is forward on a mesh of {}x{}; it is of a single row or column",
                              mesh_rows, mesh_columns));
    const TensorSpec& input = context.inputs["input"_in].spec;
    const auto devices = static_cast<std::uint32_t>(context.devices.size());
    // A tile holds rows of two devices where a part is not whole tiles.
    const bool is_whole = input.layout == Layout::ROW_MAJOR || input.shape.size() > 2 ||
                          input.shape[0] % (kTileRows * devices) == 0;
    judge.require(
        is_whole, "input",
        fmt::format("is {}; allowed: a multiple of {} rows, whole tiles for each of {} devices",
                    describe(input), kTileRows * devices, devices));
    judge.require(!context.has("counts"_in) || input.layout == Layout::ROW_MAJOR, "counts",
                  "are of rows of a ROW_MAJOR tensor; the input is TILE");
}

std::vector<DeviceProgram> page_programs(const OpContext& context) {
    // The host's plan depends on counts here, so they must be known before the launch.
    const std::size_t devices = context.devices.size();
    const auto rows =
        context.inputs["input"_in].spec.shape[0] / static_cast<std::uint32_t>(devices);
    const auto values = context.has("counts"_in) ? context.host_counts("counts"_in, 0)
                                                 : std::span<const std::uint32_t>{};
    const Call call{context, counts_of(values, devices, rows)};
    std::vector<DeviceProgram> programs;
    for (std::uint32_t p = 0; p < devices; ++p) {
        const auto& spec = context.params<AllToAllSpec>();
        const Rank rank{context.arch,    context.mesh,
                        context.devices, p,
                        spec.links,      spec.opposite == Opposite::Forward};
        programs.push_back({rank.device(), make_page_program(call, rank)});
    }
    return programs;
}

Counts reference_counts(const ReferenceContext& context) {
    const std::size_t devices = context.inputs["input"_in].size();
    const auto rows = context.in("input"_in).shape()[0] / static_cast<std::uint32_t>(devices);
    const auto values =
        context.has("counts"_in) ? context.counts("counts"_in) : std::vector<std::uint32_t>();
    return counts_of(values, devices, rows);
}

std::vector<HostTensor> page_reference(const ReferenceContext& context) {
    const auto inputs = context.read_all("input"_in);
    const Counts counts = reference_counts(context);
    HostTensor output{inputs.front().shape, inputs.front().format, {}};
    const std::size_t row = inputs.front().bytes.size() / inputs.front().shape[0];
    for (std::size_t from = 0; from < inputs.size(); ++from) {
        const auto begin =
            inputs[from].bytes.begin() +
            static_cast<std::ptrdiff_t>(sent_before(counts, from, context.position) * row);
        output.bytes.insert(
            output.bytes.end(), begin,
            begin + static_cast<std::ptrdiff_t>(counts[from][context.position] * row));
    }
    output.bytes.resize(inputs.front().bytes.size());
    return list_of(std::move(output));
}

void check_counts(const ReferenceContext& context) {
    const Counts counts = reference_counts(context);
    const std::uint32_t most = context.in("input"_in).shape()[0];
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::uint32_t sent = sent_before(counts, i, counts.size());
        // Both sums: a table may let a device receive more than its tensor has.
        const std::uint32_t received = received_before(counts, counts.size(), i);
        require(sent <= most && received <= most,
                "{}: counts let device {} send {} and receive {} rows; tensors have {}", kSpec.name,
                i, sent, received, most);
    }
}

LeastWork bound(const BoundContext& context) {
    const std::vector<std::uint32_t> counts = context.counts(kOutputs[only(kOutputs)]);
    LeastWork work = operand_bytes(context, {"input", "counts"});
    // With counts a device may keep most rows, which the sum over senders does not show.
    if (counts.empty()) {
        work.link_bytes =
            share_of_others(context) * bytes_of_elements(valid_elements(context, only(kOutputs)),
                                                         context.out(only(kOutputs)).format);
    }
    return work;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<AllToAllSpec>(kFields),
                        .rules = page_rules,
                        .infer = [](const OpContext& context) -> std::vector<TensorPlan> {
                            return {{.spec = context.inputs["input"_in].spec,
                                     .memory = context.inputs["input"_in].memory}};
                        },
                        .programs = page_programs,
                        .bound = bound,
                        .reference = page_reference,
                        .check_values = check_counts};
    return kOp;
}

}  // namespace tessera::ops::all_to_all
