// SPDX-License-Identifier: Apache-2.0
#include "ops/reshard/reshard.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "emu/base/round_up.hpp"
#include "ops/reshard/kernels/args.hpp"
#include "ops/shared/moved_values.hpp"
#include "ops/shared/program_builder.hpp"

namespace tessera::ops::reshard {
namespace {

constexpr std::array kFields{
    config::field<&ReshardSpec::movers>(
        "movers", "both", "kernels that move the pages of a core: half on each NoC, or all on one"),
};

bool has_local_shards(const TensorPlan& tensor) {
    return tensor.layout != TensorMemoryLayout::INTERLEAVED && tensor.memory == BufferType::L1;
}

/// The tensor whose cores move pages, and their source or destination tensor.
struct Sides {
    const DeviceTensor& local;
    const DeviceTensor& remote;
};

/// A shard from its core's view; counts are pages.
struct Shard {
    CoreCoord core;
    std::uint32_t first_page = 0;  ///< first page in the tensor
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
};

std::uint32_t num_shards(const ShardSpec& spec) {
    // Shards at the right and lower edge may be smaller, but each counts as one.
    return div_up(spec.tensor_shape[0], spec.shard_shape[0]) *
           div_up(spec.tensor_shape[1], spec.shard_shape[1]);
}

std::vector<Shard> shards_of(const ShardSpec& spec) {
    const std::uint32_t tensor_rows = spec.tensor_shape[0];
    const std::uint32_t tensor_columns = spec.tensor_shape[1];
    const std::uint32_t across = div_up(tensor_columns, spec.shard_shape[1]);
    const std::vector<CoreCoord> cores = shard_cores(spec);
    std::vector<Shard> shards;
    // Shards are numbered row by row, and cores take them in the order of the shard specification.
    for (std::uint32_t i = 0; i < num_shards(spec); ++i) {
        const std::uint32_t row = i / across * spec.shard_shape[0];
        const std::uint32_t column = i % across * spec.shard_shape[1];
        shards.push_back({cores[i], row * tensor_columns + column,
                          std::min(spec.shard_shape[0], tensor_rows - row),
                          std::min(spec.shard_shape[1], tensor_columns - column)});
    }
    return shards;
}

void judge_shards(std::string_view operand, const TensorPlan& tensor, RuleJudge& judge) {
    const std::size_t cores = shard_cores(*tensor.shard).size();
    // A core has room for one shard: that is how the tensor was allocated.
    judge.require(num_shards(*tensor.shard) <= cores, operand,
                  fmt::format("has {} shards on {} cores; allowed: one on each core",
                              num_shards(*tensor.shard), cores));
}

void judge_pages(const OpContext& context, RuleJudge& judge) {
    const std::uint32_t page = context.inputs[only(kInputs)].spec.page_size();
    const std::uint64_t alignment = context.arch.dram.alignment.value;
    // Pages that meet DRAM need its alignment; between cores 16 bytes are enough.
    const bool meets_dram = context.inputs[only(kInputs)].memory == BufferType::DRAM ||
                            context.outputs[only(kOutputs)].memory == BufferType::DRAM;
    judge.require(
        !meets_dram || page % alignment == 0, "input",
        fmt::format("has pages of {} B, which move between DRAM and L1; allowed: multiples of {} B",
                    page, alignment));
}

void rules(const OpContext& context, RuleJudge& judge) {
    // An output without a layout is refused elsewhere.
    if (context.outputs.empty()) {
        return;
    }
    const bool to_shards = has_local_shards(context.outputs[only(kOutputs)]);
    const bool from_shards = has_local_shards(context.inputs[only(kInputs)]);
    judge.require(to_shards || from_shards, "output",
                  "is not in shards in L1, nor is input; the op copy moves interleaved pages");
    if (to_shards || from_shards) {
        judge_shards(to_shards ? "output" : "input",
                     to_shards ? context.outputs[only(kOutputs)] : context.inputs[only(kInputs)],
                     judge);
        judge_pages(context, judge);
    }
}

/// Returns the compile-time arguments of both kernels.
ShardArgs shard_args(const Sides& sides) {
    const ShardSpec& shard = *sides.local.buffer.shard;
    return {.tensor_columns = shard.tensor_shape[1],
            .shard_columns = shard.shard_shape[1],
            .page_size = sides.local.buffer.page_size,
            .page_stride = sides.local.buffer.aligned_page_size};
}

RemoteTensors remote_of(const Sides& sides) {
    return {.remote = &sides.remote.buffer};
}

/// Pages [begin, end) of a shard, in parts of the whole.
struct Portion {
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t parts;
};
constexpr Portion kWhole{0, 1, 1};
constexpr Portion kFirstHalf{0, 1, 2};
constexpr Portion kSecondHalf{1, 2, 2};

void add_mover(Program& program, const char* source, const Sides& sides,
               const std::vector<Shard>& shards, const DataMovementConfig& config,
               Portion portion) {
    std::vector<CoreRange> ranges;
    ranges.reserve(shards.size());
    for (const Shard& shard : shards) {
        ranges.emplace_back(shard.core);
    }
    const CoreRangeSet cores(std::move(ranges));
    const KernelHandle kernel = CreateKernel(program, source, cores, config);
    for (const Shard& shard : shards) {
        const std::uint32_t pages = shard.rows * shard.columns;
        set_args(program, kernel, shard.core, addresses_of(remote_of(sides)),
                 ShardRange{.shard_address = sides.local.buffer.address,
                            .first_page = shard.first_page,
                            .num_columns = shard.columns,
                            .begin = pages * portion.begin / portion.parts,
                            .end = pages * portion.end / portion.parts});
    }
}

Program make_program(const OpContext& context, std::size_t position) {
    const auto& schedule = context.params<ReshardSpec>();
    const DeviceTensor& input = context.device_inputs[only(kInputs)][position];
    const DeviceTensor& output = context.device_outputs[only(kOutputs)][position];
    // The sharded side moves its own pages, so the other side needs no kernel.
    const bool reads = has_local_shards(plan_of(output));
    const Sides sides = reads ? Sides{output, input} : Sides{input, output};
    const char* source =
        reads ? "ops/reshard/kernels/reader.cpp" : "ops/reshard/kernels/writer.cpp";
    const std::vector<Shard> shards = shards_of(*sides.local.buffer.shard);
    // Two RISCs with one NoC each: their halves of a shard do not share a port.
    const bool both = schedule.movers == ReshardMovers::Both;

    Program program = CreateProgram();
    if (schedule.movers != ReshardMovers::Noc1) {
        add_mover(program, source, sides, shards,
                  reader_config(shard_args(sides), remote_of(sides)), both ? kFirstHalf : kWhole);
    }
    if (schedule.movers != ReshardMovers::Noc0) {
        add_mover(program, source, sides, shards,
                  writer_config(shard_args(sides), remote_of(sides)), both ? kSecondHalf : kWhole);
    }
    return program;
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<ReshardSpec>(kFields),
                        .rules = rules,
                        .infer = like_first_input,
                        .programs = on_each(make_program),
                        .reference = first_input};
    return kOp;
}

}  // namespace tessera::ops::reshard
