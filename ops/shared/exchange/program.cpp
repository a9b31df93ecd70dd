// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/program.hpp"

#include <algorithm>

#include "tessera/errors.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera::ops::exchange {
namespace {

constexpr std::uint32_t kMostArguments = 341;
constexpr std::uint32_t kOtherArguments = 24;
constexpr std::uint32_t kMostSemaphores = 16;

// Along the rows: the writers' NoC leaves a core along its column. Eight cores that gather 2 MiB
// on 8 devices take 190 us in a row, 499 us in a column (predicted, 2026-11-22). On a diagonal they
// take as long as in a row, and longer where the reader stores own blocks over the other NoC.
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
    ComputeConfig config{.fp32_dest_acc_en = true,
                         .compile_args = {transport.partial_sums == PartialSums::Fp32 ? 1U : 0U}};
    if (transport.partial_sums == PartialSums::Fp32) {
        config.unpack_to_dest_mode.resize(kEarlier + 1, UnpackToDestMode::Default);
        config.unpack_to_dest_mode[kReceived] = UnpackToDestMode::UnpackToDestFp32;
        config.unpack_to_dest_mode[kEarlier] = UnpackToDestMode::UnpackToDestFp32;
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

Kernels create_kernels(Program& program, const CoreRangeSet& cores, const DevicePart& part,
                       const Transport& transport) {
    const bool sums = part.acts.sums;
    const std::uint32_t sum_bytes = tile_bytes(partial_format(transport));
    const DeviceTensor& workspace = part.workspace != nullptr ? *part.workspace : part.output;
    std::vector<std::uint32_t> reader{kOwnBlocks, sum_bytes / kUnitBytes};
    std::vector<std::uint32_t> writer;
    TensorAccessorArgs(part.input.buffer).append_to(reader);
    TensorAccessorArgs(part.output.buffer).append_to(reader);
    TensorAccessorArgs(workspace.buffer).append_to(reader);
    TensorAccessorArgs(part.output.buffer).append_to(writer);
    TensorAccessorArgs(workspace.buffer).append_to(writer);
    writer.push_back(sums ? sum_bytes : 0);
    writer.push_back(part.acts.gathers ? 1 : 0);
    return {CreateKernel(program, "ops/shared/exchange/kernels/reader.cpp", cores,
                         ReaderDataMovementConfig(reader)),
            sums ? create_compute(program, cores, transport) : KernelHandle{},
            CreateKernel(program, "ops/shared/exchange/kernels/writer.cpp", cores,
                         WriterDataMovementConfig(writer)),
            sums,
            CreateSemaphore(program, cores, 0),
            CreateSemaphore(program, cores, 0),
            create_credits(program, cores, part.num_credits)};
}

void append(std::vector<std::uint32_t>& args, std::span<const std::uint32_t> more) {
    args.insert(args.end(), more.begin(), more.end());
}

void set_arguments(Program& program, const Kernels& kernels, const DevicePart& part,
                   std::size_t index, CoreCoord core,
                   std::span<const std::uint32_t> transport_words) {
    const CorePlan& plan = part.plans[index];
    const std::vector<LinkDirection> connections = connections_of(plan);
    std::vector<std::uint32_t> words{static_cast<std::uint32_t>(plan.size())};
    append(words, transport_words);
    append(words, words_of(plan, connections));

    const Buffer& rows = part.output.buffer;
    const DeviceTensor& workspace = part.workspace != nullptr ? *part.workspace : part.output;
    std::vector<std::uint32_t> reader{part.input.buffer.address,
                                      rows.address,
                                      workspace.buffer.address,
                                      rows.page_size,
                                      rows.aligned_page_size,
                                      kernels.arrived,
                                      kernels.stored};
    append(reader, words);
    std::vector<std::uint32_t> writer{
        rows.address,         workspace.buffer.address,
        rows.page_size,       rows.aligned_page_size,
        kernels.stored,       kernels.arrived,
        kernels.first_credit, static_cast<std::uint32_t>(connections.size())};
    for (const LinkDirection direction : connections) {
        append_fabric_connection_rt_args(direction, static_cast<std::uint32_t>(index / part.ways),
                                         program, core, writer);
    }
    append(writer, words);
    SetRuntimeArgs(program, kernels.reader, core, reader);
    SetRuntimeArgs(program, kernels.writer, core, writer);
    if (kernels.sums) {
        SetRuntimeArgs(program, kernels.compute, core, words);
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
    const std::size_t credits = number_credits(plans, devices);
    std::size_t words = 0;
    std::size_t semaphores = 0;
    for (const DevicePlans& device : plans) {
        for (const CorePlan& plan : device) {
            const std::vector<LinkDirection> connections = connections_of(plan);
            words = std::max(words, words_of(plan, connections).size() + 3 * connections.size());
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
    stated.chunk_packets = chunk_of(arch, transport, part.acts);
    for (const auto& [index, format, tiles] : buffer_sizes(arch, stated, part.acts)) {
        CreateCircularBuffer(program, cores,
                             CircularBufferConfig(tiles * tile_bytes(format), {{index, format}})
                                 .set_page_size(index, tile_bytes(format)));
    }
    const Kernels kernels = create_kernels(program, cores, part, transport);
    const std::array words{stated.chunk_packets, sum_tiles(arch, transport),
                           gather_tiles(arch, transport)};
    for (std::size_t i = 0; i < part.plans.size(); ++i) {
        set_arguments(program, kernels, part, i, core_of(arch, i), words);
    }
    return program;
}

}  // namespace tessera::ops::exchange
