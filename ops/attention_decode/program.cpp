// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/attention_decode/call.hpp"
#include "ops/attention_decode/kernels/args.hpp"
#include "ops/kv_cache_append/kv_cache_append.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "ops/shared/work_share.hpp"

namespace tessera::ops::attention_decode {
namespace {

using attention::Shapes;

/// The cores of a launch: groups of `split` neighbours down the columns.
struct Groups {
    std::vector<CoreCoord> cores;
    std::uint32_t split = 1;

    [[nodiscard]] std::uint32_t count() const {
        return static_cast<std::uint32_t>(cores.size()) / split;
    }
};

/// Returns the number of cores that share the keys of a token. Each core works through its part of
/// the blocks, and the first one merges as many parts as there are cores. The sum of both is least
/// near the root of twice the blocks. Tried at 1024, 4096 and 32768 positions, 16 heads and all of
/// a Wormhole's cores: 4, 8 and 16 cores were fastest, as here.
std::uint32_t fitting_split(const OpContext& context) {
    const auto& spec = context.params<DecodeSpec>();
    const std::uint32_t chosen = chosen_width(context.inputs);
    // Chosen positions bound the keys of a token; otherwise all pages of the table may be full.
    const std::uint64_t keys =
        chosen != 0 ? chosen : std::uint64_t{context.inputs[3].spec.shape[1]} * spec.page_size;
    const double blocks = std::ceil(static_cast<double>(keys) / (spec.block * kTileRows));
    return static_cast<std::uint32_t>(std::ceil(std::sqrt(2 * blocks)));
}

Groups groups_of(const OpContext& context, std::uint32_t units) {
    const auto& spec = context.params<DecodeSpec>();
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    const std::uint32_t all = grid.x * grid.y;
    // Not more cores than tokens leave over, and never more than a core can merge.
    const std::uint32_t most = std::clamp(all / units, 1U, kMostSplit);
    const std::uint32_t split =
        spec.split != 0 ? spec.split : std::min(most, fitting_split(context));
    // A core works for one group only, so that a group's first core can wait for the others.
    const std::uint32_t count = std::min(units, all / split) * split;
    // Cores of a group are neighbours in the split's order, so that parts travel few hops.
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, count);
    Groups groups{{}, split};
    for (const WorkShare& share : work.shares) {
        groups.cores.push_back(share.core);
    }
    return groups;
}

CoreRangeSet range_of(const std::vector<CoreCoord>& cores) {
    std::vector<CoreRange> ranges;
    ranges.reserve(cores.size());
    for (const CoreCoord& core : cores) {
        ranges.emplace_back(core);
    }
    return CoreRangeSet(ranges);
}

ReaderArgs reader_args(const OpContext& context, const Shapes& shapes, const Extents& extents,
                       attention::Handshake handshake) {
    const auto& inputs = context.inputs;
    const auto& spec = context.params<DecodeSpec>();
    const DataFormat cache = inputs[2].spec.format;
    const std::size_t lists = place_of_sequences(cache);
    const std::uint32_t columns = extents.latent + (is_fp8(cache) ? 0 : extents.rope);
    // Several positions in a row of the tensor are read together. max(…, 1): a call with fewer
    // tokens than sequences has a list of them.
    return {.heads = extents.heads,
            .latent_bytes = 2 * extents.latent,
            .rope_bytes = 2 * extents.rope,
            .row_tiles = shapes.query_tiles,
            .block = shapes.block,
            .page_size = spec.page_size,
            .table_width = shapes.page_words,
            .chosen_width = shapes.chosen_words,
            .tokens_each = std::max(extents.tokens / inputs[3].spec.shape[0], 1U),
            .room_semaphore = handshake.room,
            .arrived_semaphore = handshake.arrived,
            .partial_tiles = shapes.partial_tiles(),
            .position_width = row_length(inputs[4].spec.shape),
            .sequence_width = is_given(inputs, lists) ? row_length(inputs[lists].spec.shape) : 0,
            .positions_each = positions_of_row(inputs[2].spec.shape, columns, spec.page_size),
            .scales = scales_of(cache, extents)};
}

ReaderTensors reader_tensors(const OpContext& context, std::size_t position) {
    const DataFormat cache = context.inputs[2].spec.format;
    const auto buffer = [&](std::size_t operand) {
        return context.has(operand) ? &context.device_inputs[operand][position].buffer : nullptr;
    };
    return {.latent = buffer(0),
            .rope = buffer(1),
            .cache = buffer(2),
            .table = buffer(3),
            .positions = buffer(4),
            .chosen = buffer(place_of_chosen(cache)),
            .sequences = buffer(place_of_sequences(cache)),
            .scales = is_fp8(cache) ? buffer(kScales) : nullptr,
            .rope_cache = is_fp8(cache) ? buffer(kRopeCache) : nullptr};
}

/// Creates the reader. Misaligned rows have a kernel of their own, so that cores with aligned rows
/// take no time for the question.
KernelHandle add_reader(Program& program, const OpContext& context, const CoreRangeSet& cores,
                        const ReaderArgs& args, const ReaderTensors& tensors) {
    const std::uint32_t alignment = dram_alignment(context.arch);
    return is_misaligned(context,
                         extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape))
               ? CreateKernel(
                     program, "ops/attention_decode/kernels/misaligned_reader.cpp", cores,
                     reader_config(named(args, MisalignedArgs{.alignment = alignment}), tensors))
               : CreateKernel(program, "ops/attention_decode/kernels/reader.cpp", cores,
                              reader_config(args, tensors));
}

/// Returns the coordinates of the cores whose parts core `first` merges: the others of its group.
std::vector<std::uint32_t> partners_of(const ArchSpec& arch, const Groups& groups,
                                       std::uint32_t first) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = first + 1; i < first + groups.split; ++i) {
        const CoreCoord core = on_noc(arch, groups.cores[i]);
        const auto own = words_of(Partner{.x = core.x, .y = core.y});
        words.insert(words.end(), own.begin(), own.end());
    }
    return words;
}

Program make_program(const OpContext& context, std::size_t position) {
    const Shapes shapes = shapes_of(context);
    const Extents extents = extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape);
    const Groups groups = groups_of(context, extents.units());
    const CoreRangeSet cores = range_of(groups.cores);
    const ReaderTensors tensors = reader_tensors(context, position);
    const DeviceTensor& output = context.device_outputs[0][position];

    Program program = CreateProgram();
    // One word says that there is room, the other that a part has arrived.
    const attention::Handshake handshake{CreateSemaphore(program, cores, 0),
                                         CreateSemaphore(program, cores, 0)};
    attention::add_compute(program, context.arch, cores, shapes);
    const KernelHandle reader = add_reader(
        program, context, cores, reader_args(context, shapes, extents, handshake), tensors);
    const KernelHandle writer = attention::add_writer(program, cores, shapes, output, handshake);
    for (std::uint32_t i = 0; i < groups.cores.size(); ++i) {
        // Slot 0 of a group is its first core.
        const std::uint32_t slot = i % groups.split;
        const std::uint32_t num_partners = slot == 0 ? groups.split - 1 : 0;
        set_args(program, reader, groups.cores[i],
                 ReaderShare{.group = i / groups.split,
                             .num_groups = groups.count(),
                             .slot = slot,
                             .split = groups.split,
                             .num_units = extents.units()},
                 addresses_of(tensors), PartnerCount{.num_partners = num_partners},
                 slot == 0 ? partners_of(context.arch, groups, i) : std::vector<std::uint32_t>{});
        // All cores of a group send to its first core.
        attention::set_writer_args(program, writer, groups.cores[i], output,
                                   on_noc(context.arch, groups.cores[i - slot]));
    }
    return program;
}

}  // namespace

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) { return make_program(context, p); });
}

}  // namespace tessera::ops::attention_decode
