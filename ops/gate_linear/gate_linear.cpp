// SPDX-License-Identifier: Apache-2.0
#include "ops/gate_linear/gate_linear.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

#include "emu/base/round_up.hpp"
#include "ops/bound.hpp"
#include "ops/gate_linear/kernels/args.hpp"
#include "ops/shared/buffer_room.hpp"
#include "ops/shared/core_sharing.hpp"
#include "ops/shared/host_floats.hpp"
#include "ops/shared/program_builder.hpp"
#include "ops/shared/work_share.hpp"
#include "tessera/program.hpp"

namespace tessera::ops::gate_linear {
namespace {

constexpr std::uint32_t kChunkTiles = 8;  // K tiles of one push of rows
constexpr std::uint32_t kBiasBytes = kTileRows * 4;
constexpr std::uint32_t kMostMembers = 16;

constexpr std::array kFields{
    config::field<&GateSpec::split_k>(
        "split_k", "0",
        "cores that share K of 32 tokens and experts; 0: chosen by the shape, 1 with a stated grid",
        config::Limits{0, kMostMembers}),
    config::field<&GateSpec::grid>("grid", kWholeGrid, kGridProse, kGridSide),
    config::field<&GateSpec::cb_depth>("cb_depth", "2",
                                       "pages in a CB; 2 overlaps reading and writing", kDepth),
};

struct Units {
    std::uint32_t k_tiles;
    std::uint32_t chunk;
    std::uint32_t expert_tiles;
    std::uint32_t count;
    std::uint32_t bias_bytes;  ///< bytes of an element; 0: no bias

    [[nodiscard]] std::uint32_t has_bias() const { return bias_bytes != 0 ? 1 : 0; }
    [[nodiscard]] std::uint32_t num_chunks() const { return div_up(k_tiles, chunk); }
};

std::uint32_t tiles_of(std::uint32_t elements) {
    return div_up(elements, kTileRows);
}

Units units_of(const OpContext& context) {
    const Shape& tokens = context.inputs["hidden_states"_in].spec.shape;
    const std::uint32_t expert_tiles = tiles_of(context.inputs["weight"_in].spec.shape[0]);
    const std::uint32_t k_tiles = tiles_of(tokens[1]);
    // A unit is a tile of logits. Short sequences have few token tiles, so units of both axes keep
    // more cores busy.
    const std::uint32_t bias_bytes =
        context.has("bias"_in)
            ? static_cast<std::uint32_t>(element_bytes(context.inputs["bias"_in].spec.format))
            : 0;
    return {k_tiles, std::min(kChunkTiles, k_tiles), expert_tiles,
            tiles_of(tokens[0]) * expert_tiles, bias_bytes};
}

/// Returns how many cores can share K of a unit: each has a chunk, and one unit only.
std::uint32_t most_members(const OpContext& context, const Units& units) {
    const CoreCoord grid = schedule_grid(kSpec.name, context.arch, context.params<GateSpec>().grid);
    const auto cores = static_cast<std::uint32_t>(grid.x * grid.y);
    return std::max(std::min({kMostMembers, units.num_chunks(), cores / units.count}), 1U);
}

std::vector<CbPlan> buffers_of(const Units& units, std::uint32_t depth, std::uint32_t members) {
    constexpr auto kBf16 = DataFormat::Float16_b;
    constexpr auto kFloat = DataFormat::Float32;
    // No second set of tiles: compute fills and empties them by itself, one unit after another.
    const std::uint32_t k_tiles = units.k_tiles + units.has_bias();
    std::vector<CbPlan> buffers{{Cb::TokenRows, kBf16, units.chunk * depth},
                                {Cb::ExpertRows, kBf16, units.chunk * depth},
                                {Cb::Tokens, kBf16, k_tiles},
                                {Cb::Experts, kBf16, k_tiles}};
    if (units.has_bias() != 0) {
        buffers.push_back({Cb::Bias, DataFormat::UInt32, {1, kBiasBytes}});
    }
    buffers.push_back({Cb::Output, kFloat, depth});
    if (members > 1) {
        buffers.push_back({Cb::Partial, kFloat, 1});
        buffers.push_back({Cb::Gathered, kFloat, members});
    }
    return buffers;
}

std::uint32_t members_of(const OpContext& context, const Units& units) {
    const auto& spec = context.params<GateSpec>();
    if (spec.split_k != 0) {
        return spec.split_k;
    }
    std::uint32_t members = may_choose_sharing(spec.grid) ? most_members(context, units) : 1;
    // Fewer members gather fewer sums, which must fit in L1 beside the tiles.
    while (members > 1 &&
           bytes_of(buffers_of(units, spec.cb_depth, members)) > buffer_room(context.arch)) {
        --members;
    }
    return members;
}

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<GateSpec>();
    judge_depth(spec.cb_depth, judge);
    if (!judge_grid(context.arch, spec.grid, judge)) {
        return;
    }
    const Units units = units_of(context);
    const std::uint32_t most = most_members(context, units);
    judge.require(spec.split_k <= most, "split_k",
                  fmt::format("is {}; allowed for {} units of work and {} tiles of K: 0 to {}",
                              spec.split_k, units.count, units.k_tiles, most));
    // Both operands of all of K stay in L1 as tiles; only the rows on their way are in chunks.
    const std::uint64_t bytes =
        bytes_of(buffers_of(units, spec.cb_depth, members_of(context, units)));
    judge.require(bytes <= buffer_room(context.arch), "hidden_states",
                  fmt::format("with H = {} take {} B of circular buffers; a core has {} B of L1 "
                              "for them",
                              context.inputs["hidden_states"_in].spec.shape[1], bytes,
                              buffer_room(context.arch)));
}

std::vector<TensorPlan> infer(const OpContext& context) {
    return {{.spec = {{context.inputs["hidden_states"_in].spec.shape[0],
                       context.inputs["weight"_in].spec.shape[0]},
                      DataFormat::Float32,
                      Layout::ROW_MAJOR}}};
}

/// A core, its units, and its part of K.
struct CoreWork {
    WorkShare share;
    KPart part;
    CoreCoord first_member;  ///< core that finishes the sum
};

/// Returns the work of each core; member i of unit u is core u · members + i.
std::vector<CoreWork> work_of(const SharedWork& work, const Units& units, std::uint32_t members) {
    std::vector<CoreWork> cores;
    for (const WorkShare& share : work.shares) {
        if (members == 1) {
            cores.push_back({share, {.first_k = 0, .num_k = units.k_tiles, .member = 0}, {}});
            continue;
        }
        const std::uint32_t member = share.first % members;
        const std::uint32_t chunks = units.num_chunks();
        // Whole chunks, so that only the last member has a short one.
        const std::uint32_t first = chunks * member / members * units.chunk;
        const std::uint32_t end =
            std::min(chunks * (member + 1) / members * units.chunk, units.k_tiles);
        cores.push_back({{share.core, share.first / members, 1},
                         {.first_k = first, .num_k = end - first, .member = member},
                         work.shares[share.first - member].core});
    }
    return cores;
}

ReaderTensors tensors_of(const OpContext& context, std::size_t position) {
    return {.tokens = &context.device_inputs["hidden_states"_in][position].buffer,
            .experts = &context.device_inputs["weight"_in][position].buffer,
            .bias = context.has("bias"_in) ? &context.device_inputs["bias"_in][position].buffer
                                           : nullptr};
}

ReaderArgs reader_args(const OpContext& context, const Units& units) {
    return {.row_bytes = context.inputs["hidden_states"_in].spec.page_size(),
            .chunk = units.chunk,
            .expert_tiles = units.expert_tiles,
            .num_tokens = context.inputs["hidden_states"_in].spec.shape[0],
            .num_experts = context.inputs["weight"_in].spec.shape[0],
            .bias_bytes = units.bias_bytes};
}

/// Logits are float32 with a 32-bit DST: models differ in the rounding of logits (DeepSeek-V3 to
/// bfloat16, V3.2 float32), which steps after can still do.
ComputeConfig computing_of(const Units& units, std::uint32_t members) {
    ComputeConfig computing = compute_config(
        ComputeArgs{.chunk = units.chunk, .has_bias = units.has_bias(), .members = members},
        {.fp32_dest_acc_en = true});
    if (members > 1) {
        // Through a source register, partial sums would lose 13 bits.
        unpack_to_fp32(computing, Cb::Gathered);
    }
    return computing;
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& spec = context.params<GateSpec>();
    const Units units = units_of(context);
    // Each unit reads all rows that it needs. Cores that need the same rows read them twice, since
    // this op has no multicast.
    const std::uint32_t members = members_of(context, units);
    const SharedWork work = share_work(kSpec.name, context.arch, spec.grid, units.count * members);
    const ReaderTensors read = tensors_of(context, position);
    const WriterTensors written{.logits = &context.device_outputs[only(kOutputs)][position].buffer};
    const ReaderArgs reading = reader_args(context, units);
    const WriterArgs writing{.expert_tiles = units.expert_tiles,
                             .num_tokens = reading.num_tokens,
                             .num_experts = reading.num_experts};

    Program program = CreateProgram();
    add_circular_buffers(program, work.cores, buffers_of(units, spec.cb_depth, members));
    const KernelHandle reader = CreateKernel(program, "ops/gate_linear/kernels/reader.cpp",
                                             work.cores, reader_config(reading, read));
    const KernelHandle compute = CreateKernel(program, "ops/gate_linear/kernels/compute.cpp",
                                              work.cores, computing_of(units, members));
    const KernelHandle writer =
        CreateKernel(program, "ops/gate_linear/kernels/writer.cpp", work.cores,
                     writer_config(named(writing, MemberArgs{.members = members}), written));
    const std::uint32_t arrived = members > 1 ? CreateSemaphore(program, work.cores, 0) : 0;
    for (const CoreWork& core : work_of(work, units, members)) {
        const UnitRange range{.first_unit = core.share.first, .num_units = core.share.count};
        const CoreCoord first = on_noc(context.arch, core.first_member);
        set_args(program, reader, core.share.core, range, core.part, addresses_of(read));
        set_args(program, compute, core.share.core, UnitCount{.num_units = core.share.count},
                 core.part);
        set_args(program, writer, core.share.core, range, addresses_of(written), core.part,
                 FirstMember{.first_x = static_cast<std::uint32_t>(first.x),
                             .first_y = static_cast<std::uint32_t>(first.y),
                             .arrived_semaphore = arrived});
    }
    return program;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const std::vector<float> tokens = floats_of(context.read("hidden_states"_in));
    const std::vector<float> weights = floats_of(context.read("weight"_in));
    const std::vector<float> bias =
        context.has("bias"_in) ? floats_of(context.read("bias"_in)) : std::vector<float>{};
    const std::size_t inner = context.in("hidden_states"_in).shape()[1];
    HostTensor logits =
        make_host_tensor(context.outputs[only(kOutputs)].spec.shape, DataFormat::Float32);
    const std::size_t experts = logits.shape[1];
    tbb::parallel_for(std::size_t{0}, std::size_t{logits.shape[0]}, [&](std::size_t token) {
        for (std::size_t expert = 0; expert < experts; ++expert) {
            // In double: routing compares logits, so the reference must not introduce ties.
            double sum = bias.empty() ? 0 : bias[expert];
            for (std::size_t k = 0; k < inner; ++k) {
                sum += double{tokens[token * inner + k]} * weights[expert * inner + k];
            }
            logits.as<float>()[token * experts + expert] = static_cast<float>(sum);
        }
    });
    return list_of(std::move(logits));
}

LeastWork bound(const BoundContext& context) {
    return product_work(context, context.in("hidden_states"_in).shape.back());
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<GateSpec>(kFields),
                        .rules = rules,
                        .infer = infer,
                        .programs = on_each(make_program),
                        .bound = bound,
                        .reference = reference};
    return kOp;
}

}  // namespace tessera::ops::gate_linear
