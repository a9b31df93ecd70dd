// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "ops/attention_decode/call.hpp"
#include "ops/attention_decode/kernels/args.hpp"
#include "ops/shared/attention/cache_places.hpp"
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

/// Returns how many parts the core that takes most of them merges one after another.
std::uint32_t merges_of(std::uint32_t split, MergeOrder order) {
    return order == MergeOrder::Tree ? static_cast<std::uint32_t>(std::bit_width(split - 1))
                                     : split - 1;
}

/// Returns the number of cores that share the keys of a token, at most `most`. Each core processes
/// its part of the blocks, then parts are merged. Measured with 2048 chosen positions and 16 heads
/// on a Wormhole: a block of 128 positions takes about 40 000 cycles, and a merge 23 000.
std::uint32_t fitting_split(const OpContext& context, std::uint32_t most) {
    const auto& spec = context.params<DecodeSpec>();
    const std::uint32_t chosen = chosen_width(context.inputs);
    const std::uint64_t held =
        std::uint64_t{context.inputs[kPageTable].spec.shape[1]} * spec.page_size;
    const std::uint64_t visible =
        spec.window != 0 ? std::min<std::uint64_t>(spec.window, held) : held;
    // Chosen positions bound the keys of a token; otherwise all pages of the table may be full.
    const std::uint64_t keys = chosen != 0 ? chosen : visible;
    constexpr std::uint64_t kBlockCost = 7;
    constexpr std::uint64_t kMergeCost = 4;
    const std::uint64_t blocks = div_up(keys, std::uint64_t{spec.block} * kTileRows);
    const auto cost = [&](std::uint32_t split) {
        return kBlockCost * div_up(blocks, std::uint64_t{split}) +
               kMergeCost * merges_of(split, spec.merge);
    };
    std::uint32_t best = 1;
    for (std::uint32_t split = 2; split <= most; ++split) {
        best = cost(split) < cost(best) ? split : best;
    }
    return best;
}

Groups groups_of(const OpContext& context, std::uint32_t units) {
    const auto& spec = context.params<DecodeSpec>();
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, spec.grid);
    const std::uint32_t all = grid.x * grid.y;
    // At most the cores per unit, and never more than a core can merge.
    const std::uint32_t most = std::clamp(all / units, 1U, kMostSplit);
    const std::uint32_t split = spec.split != 0 ? spec.split : fitting_split(context, most);
    // A core works for one group only, so a group's first core can wait for the rest of the group.
    const std::uint32_t count = std::min(units, all / split) * split;
    // Cores of a group are neighbours in the split's order, so parts travel few hops.
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
    const DataFormat cache = inputs[kCache].spec.format;
    const std::size_t lists = place_of_sequences(cache);
    const std::uint32_t columns = is_fp8(cache) ? extents.latent : extents.cache_columns();
    return {.heads = extents.heads,
            .latent_bytes = 2 * extents.latent,
            .rope_bytes = 2 * extents.rope,
            .row_tiles = shapes.query_tiles,
            .block = shapes.block,
            .page_size = spec.page_size,
            .table_width = shapes.page_words,
            .chosen_width = shapes.chosen_words,
            .tokens_each = std::max(extents.tokens / inputs[kPageTable].spec.shape[0], 1U),
            .room_semaphore = handshake.room,
            .arrived_semaphore = handshake.arrived,
            .partial_tiles = shapes.partial_tiles(),
            .position_width = row_length(inputs[kPositions].spec.shape),
            .sequence_width = is_given(inputs, lists) ? row_length(inputs[lists].spec.shape) : 0,
            .positions_each = positions_of_row(inputs[kCache].spec.shape, columns, spec.page_size),
            .scales = scales_of(cache, extents)};
}

/// Buffers of operands that a call has; null for others.
class Buffers {
public:
    Buffers(const OpContext& context, std::size_t position)
        : context_(context), position_(position) {}
    const Buffer* operator[](std::size_t operand) const {
        return context_.has(operand) ? &context_.device_inputs[operand][position_].buffer : nullptr;
    }

private:
    const OpContext& context_;
    std::size_t position_;
};

ReaderTensors reader_tensors(const OpContext& context, std::size_t position) {
    const DataFormat cache = context.inputs[kCache].spec.format;
    const Buffers buffers(context, position);
    return {.latent = buffers[kQuery],
            .rope = buffers[kRope],
            .cache = buffers[kCache],
            .table = buffers[kPageTable],
            .positions = buffers[kPositions],
            .chosen = buffers[place_of_chosen(cache)],
            .sequences = buffers[place_of_sequences(cache)],
            .scales = is_fp8(cache) ? buffers[kScales] : nullptr,
            .rope_cache = is_fp8(cache) ? buffers[kRopeCache] : nullptr};
}

HeadReaderArgs head_reader_args(const OpContext& context, const Shapes& shapes,
                                const Extents& extents, attention::Handshake handshake) {
    const auto& inputs = context.inputs;
    const auto& spec = context.params<DecodeSpec>();
    const std::size_t lists = place_of_sequences(inputs[kCache].spec.format);
    const auto heads_each = [&](std::size_t cache, std::uint32_t dim) {
        return positions_of_row(inputs[cache].spec.shape, dim, spec.page_size, extents.kv_heads);
    };
    return {.heads = extents.heads,
            .kv_heads = extents.kv_heads,
            .key_bytes = 2 * extents.latent,
            .value_bytes = 2 * extents.value,
            .key_tiles = shapes.query_tiles,
            .value_tiles = shapes.value_tiles,
            .block = shapes.block,
            .page_size = spec.page_size,
            .table_width = shapes.page_words,
            .chosen_width = shapes.chosen_words,
            .window = spec.window,
            .tokens_each = std::max(extents.tokens / inputs[kPageTable].spec.shape[0], 1U),
            .room_semaphore = handshake.room,
            .arrived_semaphore = handshake.arrived,
            .partial_tiles = shapes.partial_tiles(),
            .position_width = row_length(inputs[kPositions].spec.shape),
            .sequence_width = context.has(lists) ? row_length(inputs[lists].spec.shape) : 0,
            .key_heads_each = heads_each(kCache, extents.latent),
            .value_heads_each = heads_each(kValues, extents.value),
            .has_sinks = shapes.sink_bytes != 0 ? 1U : 0U};
}

HeadReaderTensors head_reader_tensors(const OpContext& context, std::size_t position) {
    const DataFormat cache = context.inputs[kCache].spec.format;
    const Buffers buffers(context, position);
    return {.query = buffers[kQuery],
            .keys = buffers[kCache],
            .values = buffers[kValues],
            .table = buffers[kPageTable],
            .positions = buffers[kPositions],
            .chosen = buffers[place_of_chosen(cache)],
            .sequences = buffers[place_of_sequences(cache)],
            .sinks = buffers[kSinks]};
}

/// A reader and the addresses that it takes.
struct Reader {
    KernelHandle kernel;
    std::vector<std::uint32_t> addresses;
};

/// Creates the reader. Each form has its own kernel, so cores with aligned latents spend no time on
/// the check.
Reader add_reader(Program& program, const OpContext& context, std::size_t position,
                  const CoreRangeSet& cores, attention::Handshake handshake) {
    const Shapes shapes = shapes_of(context);
    const Extents extents = extents_of(context);
    const std::string folder = "ops/attention_decode/kernels/";
    if (extents.has_kv_heads()) {
        const HeadReaderTensors tensors = head_reader_tensors(context, position);
        const auto args = head_reader_args(context, shapes, extents, handshake);
        return {
            CreateKernel(program, folder + "head_reader.cpp", cores, reader_config(args, tensors)),
            addresses_of(tensors)};
    }
    const ReaderTensors tensors = reader_tensors(context, position);
    const ReaderArgs args = reader_args(context, shapes, extents, handshake);
    if (!is_misaligned(context, extents)) {
        return {CreateKernel(program, folder + "reader.cpp", cores, reader_config(args, tensors)),
                addresses_of(tensors)};
    }
    const MisalignedArgs misaligned{.alignment = dram_alignment(context.arch)};
    return {CreateKernel(program, folder + "misaligned_reader.cpp", cores,
                         reader_config(named(args, misaligned), tensors)),
            addresses_of(tensors)};
}

/// Returns the slots of a group whose parts `slot` merges, in this order.
std::vector<std::uint32_t> children_of(std::uint32_t slot, std::uint32_t split, MergeOrder order) {
    std::vector<std::uint32_t> slots;
    if (order == MergeOrder::Leader) {
        for (std::uint32_t i = 1; slot == 0 && i < split; ++i) {
            slots.push_back(i);
        }
        return slots;
    }
    // The nearest one first: it has no children of its own, so that its part arrives first.
    for (std::uint32_t step = 1; (slot & step) == 0 && slot + step < split; step *= 2) {
        slots.push_back(slot + step);
    }
    return slots;
}

/// Returns the slot that merges the part of `slot`; 0 for slot 0, which sends nothing.
std::uint32_t parent_of(std::uint32_t slot, MergeOrder order) {
    return order == MergeOrder::Leader ? 0 : slot & (slot - 1);
}

Program make_program(const OpContext& context, std::size_t position) {
    const Shapes shapes = shapes_of(context);
    const std::uint32_t units = extents_of(context).units();
    const Groups groups = groups_of(context, units);
    const MergeOrder order = context.params<DecodeSpec>().merge;
    const CoreRangeSet cores = range_of(groups.cores);
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][position];

    Program program = CreateProgram();
    // One word says that there is room, the other that a part has arrived.
    const attention::Handshake handshake{CreateSemaphore(program, cores, 0),
                                         CreateSemaphore(program, cores, 0)};
    attention::add_compute(program, context.arch, cores, shapes);
    const Reader reader = add_reader(program, context, position, cores, handshake);
    const KernelHandle writer = attention::add_writer(program, cores, shapes, output, handshake);
    for (std::uint32_t i = 0; i < groups.cores.size(); ++i) {
        // Slot 0 of a group is its first core.
        const std::uint32_t slot = i % groups.split;
        const CoreCoord* const group = &groups.cores[i - slot];
        const std::vector<std::uint32_t> children = children_of(slot, groups.split, order);
        std::vector<std::uint32_t> partners;
        for (const std::uint32_t child : children) {
            const CoreCoord core = on_noc(context.arch, group[child]);
            const auto own = words_of(Partner{.x = core.x, .y = core.y});
            partners.insert(partners.end(), own.begin(), own.end());
        }
        const auto num_partners = static_cast<std::uint32_t>(children.size());
        set_args(program, reader.kernel, groups.cores[i],
                 ReaderShare{.group = i / groups.split,
                             .num_groups = groups.count(),
                             .slot = slot,
                             .split = groups.split,
                             .num_units = units},
                 reader.addresses, PartnerCount{.num_partners = num_partners}, partners);
        attention::set_writer_args(program, writer, groups.cores[i], output,
                                   on_noc(context.arch, group[parent_of(slot, order)]));
    }
    return program;
}

}  // namespace

std::vector<DeviceProgram> programs(const OpContext& context) {
    return on_each(context, [&](std::size_t p) { return make_program(context, p); });
}

}  // namespace tessera::ops::attention_decode
