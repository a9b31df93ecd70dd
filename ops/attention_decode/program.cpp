// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/attention_decode/call.hpp"
#include "ops/kv_cache_append/kv_cache_append.hpp"
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

/// A core's part of the blocks takes as long to work through as they are many, and merging as many
/// cores as there are: their number is the root of twice the blocks. Tried at 1024, 4096 and 32768
/// positions, 16 heads and all of a Wormhole's cores: 4, 8 and 16 cores were fastest, as here.
std::uint32_t fitting_split(const OpContext& context) {
    const auto& spec = context.params<DecodeSpec>();
    const std::uint32_t chosen = chosen_width(context.inputs);
    const std::uint64_t keys =
        chosen != 0 ? chosen : std::uint64_t{context.inputs[3].spec.shape[1]} * spec.page_size;
    const double blocks = std::ceil(static_cast<double>(keys) / (spec.block * kTileRows));
    return static_cast<std::uint32_t>(std::ceil(std::sqrt(2 * blocks)));
}

Groups groups_of(const OpContext& context, std::uint32_t units) {
    const auto& spec = context.params<DecodeSpec>();
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    const std::uint32_t all = grid.x * grid.y;
    const std::uint32_t most = std::clamp(all / units, 1U, kMostSplit);
    const std::uint32_t split =
        spec.split != 0 ? spec.split : std::min(most, fitting_split(context));
    const std::uint32_t count = std::min(units, all / split) * split;
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

std::vector<std::uint32_t> reader_words(const OpContext& context, const Shapes& shapes,
                                        const Extents& extents, attention::Handshake handshake) {
    const auto& inputs = context.inputs;
    const DataFormat cache = inputs[2].spec.format;
    const std::size_t lists = place_of_sequences(cache);
    const std::uint32_t columns = extents.latent + (is_fp8(cache) ? 0 : extents.rope);
    return {extents.heads,
            2 * extents.latent,
            2 * extents.rope,
            shapes.query_tiles,
            shapes.block,
            context.params<DecodeSpec>().page_size,
            shapes.page_words,
            shapes.chosen_words,
            std::max(extents.tokens / inputs[3].spec.shape[0], 1U),
            handshake.room,
            handshake.arrived,
            shapes.partial_tiles(),
            row_length(inputs[4].spec.shape),
            is_given(inputs, lists) ? row_length(inputs[lists].spec.shape) : 0,
            positions_of_row(inputs[2].spec.shape, columns, context.params<DecodeSpec>().page_size),
            scales_of(cache, extents)};
}

void set_arguments(Program& program, const ArchSpec& arch, const Groups& groups,
                   KernelHandle reader, KernelHandle writer,
                   const std::vector<std::uint32_t>& addresses, std::uint32_t output,
                   std::uint32_t units) {
    const CoreCoord origin = arch.workers.virtual_origin;
    for (std::uint32_t i = 0; i < groups.cores.size(); ++i) {
        const std::uint32_t slot = i % groups.split;
        std::vector<std::uint32_t> args{i / groups.split, groups.count(), slot, groups.split,
                                        units};
        args.insert(args.end(), addresses.begin(), addresses.end());
        args.push_back(slot == 0 ? groups.split - 1 : 0);
        for (std::uint32_t partner = 1; slot == 0 && partner < groups.split; ++partner) {
            args.push_back(origin.x + groups.cores[i + partner].x);
            args.push_back(origin.y + groups.cores[i + partner].y);
        }
        SetRuntimeArgs(program, reader, groups.cores[i], args);
        const CoreCoord leader = groups.cores[i - slot];
        SetRuntimeArgs(program, writer, groups.cores[i],
                       {output, origin.x + leader.x, origin.y + leader.y});
    }
}

Program make_program(const OpContext& context, std::size_t position) {
    const Shapes shapes = shapes_of(context);
    const Extents extents = extents_of(context.inputs[0].spec.shape, context.inputs[1].spec.shape);
    const Groups groups = groups_of(context, extents.units());
    const CoreRangeSet cores = range_of(groups.cores);

    Program program = CreateProgram();
    const attention::Handshake handshake{CreateSemaphore(program, cores, 0),
                                         CreateSemaphore(program, cores, 0)};
    attention::add_compute(program, context.arch, cores, shapes);
    std::vector<std::uint32_t> words = reader_words(context, shapes, extents, handshake);
    std::vector<std::uint32_t> addresses;
    const DataFormat cache = context.inputs[2].spec.format;
    const std::size_t none = context.inputs.size();
    for (const std::size_t operand :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{4},
          place_of_chosen(cache), place_of_sequences(cache), is_fp8(cache) ? kScales : none,
          is_fp8(cache) ? kRopeCache : none}) {
        // The kernel gets words of another tensor for one that is not there.
        const auto& tensors = context.device_inputs[context.has(operand) ? operand : 4];
        append_accessors({&tensors[position]}, words);
        addresses.push_back(tensors[position].buffer.address);
    }
    // A kernel of its own: cores with aligned rows take no time for the question.
    const bool reads_apart = is_misaligned(context, extents);
    if (reads_apart) {
        words.push_back(dram_alignment(context.arch));
    }
    const KernelHandle reader =
        CreateKernel(program,
                     reads_apart ? "ops/attention_decode/kernels/misaligned_reader.cpp"
                                 : "ops/attention_decode/kernels/reader.cpp",
                     cores, ReaderDataMovementConfig(std::move(words)));
    const DeviceTensor& output = context.device_outputs[0][position];
    const KernelHandle writer = attention::add_writer(program, cores, shapes, output, handshake);
    set_arguments(program, context.arch, groups, reader, writer, addresses, output.buffer.address,
                  extents.units());
    return program;
}

}  // namespace

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) { return make_program(context, p); });
}

}  // namespace tessera::ops::attention_decode
