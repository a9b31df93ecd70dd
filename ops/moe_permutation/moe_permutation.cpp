// SPDX-License-Identifier: Apache-2.0
#include "ops/moe_permutation/moe_permutation.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "emu/base/round_up.hpp"
#include "ops/moe_permutation/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/expert_rows/tables.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::moe_permutation {
namespace {

using config::field;
using config::Limits;

constexpr Limits kCount{1, 65536};

constexpr std::array kFields{
    field<&PermutationSpec::experts>("experts", config::kRequired, "experts of the whole layer",
                                     kCount),
    field<&PermutationSpec::local_experts>("local_experts", config::kRequired,
                                           "experts of one device", kCount),
    field<&PermutationSpec::local_expert_offset>(
        "local_expert_offset", "0",
        "first expert of the first device of the group; further devices have the following experts",
        Limits{0, 65536}),
    field<&PermutationSpec::tile>("tile", "8", "tokens of a CTA", Limits{.values = kTokenTiles}),
};

std::uint32_t aligned(std::uint32_t bytes) {
    return round_up(bytes, kAlignment);
}

TableLengths lengths_of(const PermutationSpec& spec, const Shape& topk_ids) {
    // The worst case over all routings, because only the device knows the counts.
    const std::uint32_t ctas =
        most_ctas(topk_ids[0], topk_ids[1], spec.local_experts, std::max(spec.tile, 1U));
    const std::uint32_t rows = ctas * spec.tile;
    return {.histogram = spec.experts,
            .local_histogram = spec.experts,
            .total = 1,
            .prefix = spec.local_experts + 1,
            .expanded_to_permuted = topk_ids[0] * topk_ids[1],
            .permuted_to_token = rows,
            .permuted_to_expanded = rows,
            .cta_to_expert = ctas,
            .cta_to_limit = ctas,
            .num_ctas = 1};
}

/// Returns the bytes of the tables, the ids, and a cursor for each local expert.
std::uint64_t scratch_bytes(const PermutationSpec& spec, const Shape& topk_ids) {
    // The ids of all tokens are held: both passes over them then read L1 only.
    std::uint64_t bytes =
        aligned(spec.local_experts * 4) + std::uint64_t{topk_ids[0]} * aligned(topk_ids[1] * 4);
    for (const std::uint32_t length : words_of(lengths_of(spec, topk_ids))) {
        bytes += aligned(length * 4);
    }
    return bytes;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<PermutationSpec>();
    const auto devices = static_cast<std::uint32_t>(context.devices.size());
    judge.require(std::ranges::find(kTokenTiles, spec.tile) != kTokenTiles.end(), "tile",
                  fmt::format("is {}; allowed: {}", spec.tile, fmt::join(kTokenTiles, ", ")));
    // 64 bits: offset and experts are each up to 65 536, and their product with devices is larger.
    const std::uint64_t end =
        spec.local_expert_offset + std::uint64_t{spec.local_experts} * devices;
    judge.require(
        end <= spec.experts, "local_expert_offset",
        fmt::format("{} with {} local experts on {} devices ends at expert {}; the layer "
                    "has {}",
                    spec.local_expert_offset, spec.local_experts, devices, end, spec.experts));
    const std::uint64_t bytes = scratch_bytes(spec, context.inputs[only(kInputs)].spec.shape);
    judge.require(bytes <= buffer_room(context.arch), "topk_ids",
                  fmt::format("of {} need tables of {} B; a core has {} B of L1 for them",
                              to_string(context.inputs[only(kInputs)].spec.shape), bytes,
                              buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    std::vector<TensorPlan> plans;
    for (const std::uint32_t length : words_of(lengths_of(
             context.params<PermutationSpec>(), context.inputs[only(kInputs)].spec.shape))) {
        plans.push_back({.spec = {{std::max(length, 1U)}, DataFormat::Int32, Layout::ROW_MAJOR}});
    }
    return plans;
}

Tensors tensors_of(const OpContext& context, std::size_t position) {
    const auto output = [&](std::size_t place) {
        return &context.device_outputs[place][position].buffer;
    };
    return {.topk_ids = &context.device_inputs[only(kInputs)][position].buffer,
            .histogram = output("expert_count_histogram"_out),
            .local_histogram = output("expert_count_histogram_local"_out),
            .total = output("total_num_padded_tokens"_out),
            .prefix = output("padded_prefix_sum"_out),
            .expanded_to_permuted = output("expanded_idx_to_permuted_idx"_out),
            .permuted_to_token = output("permuted_idx_to_token_idx"_out),
            .permuted_to_expanded = output("permuted_idx_to_expanded_idx"_out),
            .cta_to_expert = output("cta_idx_xy_to_batch_idx"_out),
            .cta_to_limit = output("cta_idx_xy_to_mn_limit"_out),
            .num_ctas = output("num_non_exiting_ctas"_out)};
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<PermutationSpec>();
    const Shape& shape = context.inputs[only(kInputs)].spec.shape;
    // One core: positions depend on counts of all tokens. With stores of single words 1024 tokens
    // took 632 095 cycles; fills through the NoC reduced this to 481 771.
    const CoreCoord core{0, 0};
    const auto scratch = static_cast<std::uint32_t>(scratch_bytes(spec, shape));

    Program program = CreateProgram();
    add_circular_buffer(program, core, Cb::Scratch, DataFormat::UInt32, {1, scratch});
    const RoutingArgs args{.num_tokens = shape[0],
                           .top_k = shape[1],
                           .num_local = spec.local_experts,
                           .tile = spec.tile};
    const Tensors tensors = tensors_of(context, position);
    const KernelHandle kernel =
        CreateKernel(program, "ops/moe_permutation/kernels/tables.cpp", core,
                     reader_config(named(args, lengths_of(spec, shape)), tensors));
    // Each device starts at its own experts; the rest of the tables is equal.
    const std::uint32_t first_expert =
        spec.local_expert_offset + static_cast<std::uint32_t>(position) * spec.local_experts;
    set_args(program, kernel, core, LocalRange{first_expert}, addresses_of(tensors));
    return program;
}

using Table = std::vector<std::int32_t>;

HostTensor tensor_of(const Table& table) {
    // Tables are int32 on the device as well.
    HostTensor tensor =
        make_host_tensor({static_cast<std::uint32_t>(table.size())}, DataFormat::Int32);
    std::ranges::copy(table, tensor.as<std::int32_t>().begin());
    return tensor;
}

/// Returns the expanded indices of each local expert.
std::vector<Table> lists_of(const HostTensor& topk_ids, std::int32_t first, std::size_t local) {
    std::vector<Table> lists(local);
    const auto ids = topk_ids.as<std::int32_t>();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::int32_t expert = ids[i] - first;
        if (expert >= 0 && static_cast<std::size_t>(expert) < local) {
            lists[static_cast<std::size_t>(expert)].push_back(static_cast<std::int32_t>(i));
        }
    }
    return lists;
}

/// Returns how many choices each of the experts has, of all devices.
Table histogram_of(const HostTensor& topk_ids, std::uint32_t experts) {
    Table histogram(experts);
    for (const std::int32_t id : topk_ids.as<std::int32_t>()) {
        if (id != kNobody) {
            ++histogram[static_cast<std::size_t>(id)];
        }
    }
    return histogram;
}

std::vector<HostTensor> host_tensors(std::initializer_list<Table> tables) {
    std::vector<HostTensor> tensors;
    tensors.reserve(tables.size());
    for (const Table& table : tables) {
        tensors.push_back(tensor_of(table));
    }
    return tensors;
}

// Appends each expert's rows and pads them: another way to the tables than the kernel's, which
// counts first.
std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<PermutationSpec>();
    const HostTensor topk_ids = context.read(only(kInputs));
    const auto first =
        static_cast<std::int32_t>(spec.local_expert_offset + context.position * spec.local_experts);
    const auto lists = lists_of(topk_ids, first, spec.local_experts);
    const TableLengths lengths = lengths_of(spec, topk_ids.shape);
    const auto top_k = static_cast<std::int32_t>(topk_ids.shape[1]);
    Table local(spec.experts), prefix{0}, expanded(lengths.expanded_to_permuted, -1);
    Table tokens, sources, batch, limits;
    for (std::size_t e = 0; e < lists.size(); ++e) {
        // Only local experts have rows; the histogram counts all.
        local[static_cast<std::size_t>(first) + e] = static_cast<std::int32_t>(lists[e].size());
        const std::size_t end = sources.size() + lists[e].size();
        for (const std::int32_t i : lists[e]) {
            expanded[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(sources.size());
            sources.push_back(i);
        }
        // Each expert's rows end at a whole tile of tokens, as a CTA multiplies with one expert's
        // weights.
        sources.resize(round_up(end, std::size_t{spec.tile}), -1);
        prefix.push_back(static_cast<std::int32_t>(sources.size()));
        while (batch.size() * spec.tile < sources.size()) {
            batch.push_back(static_cast<std::int32_t>(e));
            // The limit is the end of the expert's real rows: a CTA does not compute its padding.
            limits.push_back(static_cast<std::int32_t>(std::min(batch.size() * spec.tile, end)));
        }
    }
    const auto total = static_cast<std::int32_t>(sources.size());
    const auto live = static_cast<std::int32_t>(batch.size());
    for (const std::int32_t i : sources) {
        tokens.push_back(i < 0 ? -1 : i / top_k);
    }
    // Entries after the live ones are -1 in the kernel, too.
    tokens.resize(lengths.permuted_to_token, -1);
    sources.resize(lengths.permuted_to_expanded, -1);
    batch.resize(lengths.cta_to_expert, -1);
    limits.resize(lengths.cta_to_limit, -1);
    return host_tensors({histogram_of(topk_ids, spec.experts), local, Table{total}, prefix,
                         expanded, tokens, sources, batch, limits, Table{live}});
}

void check_values(const ReferenceContext& context) {
    const auto& spec = context.params<PermutationSpec>();
    const NamedTable ids = named_table(kInputs, context, only(kInputs));
    check_indices(kSpec.name, ids, spec.experts, Nobody::Allowed);
    // Tables have room for one row of a token and a local expert (most_ctas).
    if (ids.values.shape[1] > spec.local_experts) {
        check_selects_once(kSpec.name, ids);
    }
}

}  // namespace

std::uint32_t most_ctas(std::uint32_t tokens, std::uint32_t top_k, std::uint32_t local_experts,
                        std::uint32_t tile) {
    // An expert occurs once in a token's row.
    const std::uint32_t rows = tokens * std::min(top_k, local_experts);
    // An expert with rows needs at least one CTA; every further tile of rows needs one more.
    const std::uint32_t filled = std::min(rows, local_experts);
    return filled + (rows - filled) / tile;
}

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<PermutationSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .reference = reference,
                        .check_values = check_values};
    return kOp;
}

}  // namespace tessera::ops::moe_permutation
