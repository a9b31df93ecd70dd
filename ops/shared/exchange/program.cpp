// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/program.hpp"

#include <algorithm>

#include "ops/shared/program_builder.hpp"
#include "tessera/errors.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::exchange {
namespace {

constexpr std::uint32_t kMostArguments = 341;
constexpr std::uint32_t kOtherArguments = 24;
constexpr std::uint32_t kMostSemaphores = 16;

// Along the rows: the writers' NoC leaves a core along its column. Eight cores that gather 2 MiB on
// 8 devices take 190 us in a row, 499 us in a column (predicted, 2026-11-22). On a diagonal they
// take as long as in a row, and longer if the reader stores own blocks over the other NoC.
CoreCoord core_of(const ArchSpec& arch, std::size_t index) {
    const std::uint32_t columns = arch.workers.compute.columns;
    return {static_cast<std::uint32_t>(index) % columns,
            static_cast<std::uint32_t>(index) / columns};
}

CoreRangeSet cores_of(const ArchSpec& arch, std::size_t count) {
    std::vector<CoreRange> ranges;
    for (std::size_t i = 0; i < count; ++i) {
        ranges.emplace_back(core_of(arch, i));
    }
    return CoreRangeSet(ranges);
}

struct Kernels {
    KernelHandle reader;
    KernelHandle compute;
    KernelHandle writer;
    bool sums;
    std::uint32_t arrived;
    std::uint32_t stored;
    std::uint32_t first_credit;
};

KernelHandle create_compute(Program& program, const CoreRangeSet& cores,
                            const Transport& transport) {
    const bool is_fp32 = transport.partial_sums == PartialSums::Fp32;
    ComputeConfig config =
        compute_config(ComputeArgs{.sums_are_fp32 = is_fp32 ? 1U : 0U}, {.fp32_dest_acc_en = true});
    // Float32 sums must reach DST unrounded; through a source register they would lose 13 bits.
    if (is_fp32) {
        unpack_to_fp32(config, Cb::Received);
        unpack_to_fp32(config, Cb::Earlier);
    }
    return CreateKernel(program, "ops/shared/exchange/kernels/compute.cpp", cores, config);
}

// Returns the first of so many semaphores, which follow each other.
std::uint32_t create_credits(Program& program, const CoreRangeSet& cores, std::uint32_t count) {
    const std::uint32_t first = CreateSemaphore(program, cores, 0);
    for (std::uint32_t i = 1; i < count; ++i) {
        CreateSemaphore(program, cores, 0);
    }
    return first;
}

const Buffer* workspace_of(const DevicePart& part) {
    return part.workspace != nullptr ? &part.workspace->buffer : nullptr;
}

ReaderTensors reader_tensors(const DevicePart& part) {
    return {.input = &part.input.buffer,
            .output = &part.output.buffer,
            .workspace = workspace_of(part)};
}

WriterTensors writer_tensors(const DevicePart& part) {
    return {.output = &part.output.buffer, .workspace = workspace_of(part)};
}

Kernels create_kernels(Program& program, const CoreRangeSet& cores, const DevicePart& part,
                       const Transport& transport) {
    const bool sums = part.acts.sums;
    const std::uint32_t sum_bytes = tile_bytes(partial_format(transport));
    // Sums of float32 are twice as long as the units in which plans count.
    const ReaderArgs reader{.own_blocks = kOwnBlocks, .sum_scale = sum_bytes / kUnitBytes};
    const WriterArgs writer{.sum_tile_bytes = sums ? sum_bytes : 0,
                            .gathers = part.acts.gathers ? 1U : 0U};
    return {CreateKernel(program, "ops/shared/exchange/kernels/reader.cpp", cores,
                         reader_config(reader, reader_tensors(part))),
            sums ? create_compute(program, cores, transport) : KernelHandle{},
            CreateKernel(program, "ops/shared/exchange/kernels/writer.cpp", cores,
                         writer_config(writer, writer_tensors(part))),
            sums,
            CreateSemaphore(program, cores, 0),
            CreateSemaphore(program, cores, 0),
            create_credits(program, cores, part.num_credits)};
}

/// Returns the words of the links of a core, in the order of `connections`.
std::vector<std::uint32_t> connection_words(Program& program, CoreCoord core, std::uint32_t link,
                                            std::span<const LinkDirection> connections) {
    std::vector<std::uint32_t> words;
    // All connections of the core are on one link; lanes of other links have their own cores.
    for (const LinkDirection direction : connections) {
        append_fabric_connection_rt_args(direction, link, program, core, words);
    }
    return words;
}

/// Sets the arguments of core `index` of the plans. `head` lacks the number of phases.
void set_arguments(Program& program, const Kernels& kernels, const DevicePart& part,
                   std::size_t index, CoreCoord core, PlanHead head) {
    const CorePlan& plan = part.plans[index];
    const std::vector<LinkDirection> connections = connections_of(plan);
    const std::vector<std::uint32_t> phases = words_of(plan, connections);
    // The number of phases is the only difference between the heads of cores.
    head.num_phases = static_cast<std::uint32_t>(plan.size());

    const Buffer& rows = part.output.buffer;
    set_args(program, kernels.reader, core, addresses_of(reader_tensors(part)),
             ReaderCore{.row_bytes = rows.page_size,
                        .row_stride = rows.aligned_page_size,
                        .arrived_semaphore = kernels.arrived,
                        .stored_semaphore = kernels.stored},
             head, phases);
    // Reader, writer and compute read the same plan and walk it in step, so nothing tells them
    // about each other's phases.
    set_args(
        program, kernels.writer, core, addresses_of(writer_tensors(part)),
        WriterCore{.row_bytes = rows.page_size,
                   .row_stride = rows.aligned_page_size,
                   .stored_semaphore = kernels.stored,
                   .arrived_semaphore = kernels.arrived,
                   .first_credit_semaphore = kernels.first_credit,
                   .num_connections = static_cast<std::uint32_t>(connections.size())},
        connection_words(program, core, static_cast<std::uint32_t>(index / part.ways), connections),
        head, phases);
    if (kernels.sums) {
        set_args(program, kernels.compute, core, head, phases);
    }
}

}  // namespace

void judge_transport(const ArchSpec& arch, const Transport& transport, std::uint32_t ways,
                     RuleJudge& judge) {
    const bool has_links = transport.links >= 1 && transport.links <= kLinksPerDirection;
    judge.require(
        has_links, "links",
        fmt::format("is {}; a direction has 1 to {}", transport.links, kLinksPerDirection));
    const std::uint32_t cores = arch.workers.compute.columns * arch.workers.compute.rows;
    judge.require(!has_links || transport.links * ways <= cores, "links",
                  fmt::format("{} take {} cores; {} has {}", transport.links,
                              transport.links * ways, arch.name, cores));
    const std::uint32_t most = largest_fabric_payload(arch.noc.max_packet) / kUnitBytes;
    judge.require(transport.packet_tiles <= most, "packet_tiles",
                  fmt::format("is {}; a packet of {} B holds 1 to {}", transport.packet_tiles,
                              largest_fabric_payload(arch.noc.max_packet), most));
}

void judge_plans(GroupPlans plans, std::span<const std::uint32_t> devices, RuleJudge& judge) {
    // Judged over all cores: the longest plan and the most semaphores decide.
    const std::size_t credits = number_credits(plans, devices);
    std::size_t words = 0;
    std::size_t semaphores = 0;
    for (const DevicePlans& device : plans) {
        for (const CorePlan& plan : device) {
            const std::vector<LinkDirection> connections = connections_of(plan);
            words = std::max(
                words, words_of(plan, connections).size() + kConnectionWords * connections.size());
            // Two semaphores count arrivals and stored phases; each connection takes two more.
            semaphores = std::max(semaphores, 2 + credits + 2 * connections.size());
        }
    }
    judge.require(
        words + kOtherArguments <= kMostArguments, "devices",
        fmt::format("are {}: the plan of a core takes {} words, a kernel's arguments hold "
                    "{}",
                    devices.size(), words, kMostArguments - kOtherArguments));
    judge.require(semaphores <= kMostSemaphores, "devices",
                  fmt::format("are {}: a core takes {} semaphores and has {}", devices.size(),
                              semaphores, kMostSemaphores));
}

Program make_program(const ArchSpec& arch, const Transport& transport, const DevicePart& part) {
    const CoreRangeSet cores = cores_of(arch, part.plans.size());
    Program program = CreateProgram();
    Transport stated = transport;
    // The default chunk depends on the buffers, so the stated one is used everywhere from here on.
    stated.chunk_packets = chunk_of(arch, transport, part.acts);
    for (const auto& [cb, format, tiles] : buffer_sizes(arch, stated, part.acts)) {
        add_circular_buffer(program, cores, cb, format, {tiles, tile_bytes(format)});
    }
    const Kernels kernels = create_kernels(program, cores, part, transport);
    const PlanHead head{.num_phases = 0,
                        .chunk = stated.chunk_packets,
                        .sum_tiles = sum_tiles(arch, transport),
                        .gather_tiles = gather_tiles(arch, transport)};
    for (std::size_t i = 0; i < part.plans.size(); ++i) {
        set_arguments(program, kernels, part, i, core_of(arch, i), head);
    }
    return program;
}

}  // namespace tessera::ops::exchange
