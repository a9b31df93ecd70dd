// SPDX-License-Identifier: Apache-2.0
#include "ops/reshard/reshard.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ops/expect_tensor.hpp"

namespace tessera::ops::reshard {
namespace {

bool has_local_shards(const DeviceTensor& tensor) {
    return tensor.buffer.layout != TensorMemoryLayout::INTERLEAVED &&
           tensor.buffer.type == BufferType::L1;
}

/// The tensor whose cores move pages, and the one they move them from or to.
struct Sides {
    const DeviceTensor& local;
    const DeviceTensor& remote;
};

/// A shard as its core sees it; counts are pages.
struct Shard {
    CoreCoord core;
    std::uint32_t first_page = 0;  ///< of the tensor
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
};

std::uint32_t div_up(std::uint32_t dividend, std::uint32_t divisor) {
    return (dividend + divisor - 1) / divisor;
}

std::vector<Shard> shards_of(const ShardSpec& spec) {
    const std::uint32_t tensor_rows = spec.tensor_shape[0];
    const std::uint32_t tensor_columns = spec.tensor_shape[1];
    const std::uint32_t across = div_up(tensor_columns, spec.shard_shape[1]);
    const std::uint32_t count = div_up(tensor_rows, spec.shard_shape[0]) * across;
    const std::vector<CoreCoord> cores = shard_cores(spec);
    require(count <= cores.size(), "reshard: {} shards are dealt to {} cores; a core takes one",
            count, cores.size());
    std::vector<Shard> shards;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t row = i / across * spec.shard_shape[0];
        const std::uint32_t column = i % across * spec.shard_shape[1];
        shards.push_back({cores[i], row * tensor_columns + column,
                          std::min(spec.shard_shape[0], tensor_rows - row),
                          std::min(spec.shard_shape[1], tensor_columns - column)});
    }
    return shards;
}

void check(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs) {
    const TensorSpec& in = inputs.input.spec;
    const TensorSpec& out = outputs.output.spec;
    require(in == out && num_elements(in.shape) > 0,
            "reshard: output is {}; it must be {} as the input, without an extent of 0",
            describe(out), describe(in));
    require(has_local_shards(inputs.input) || has_local_shards(outputs.output),
            "reshard: neither tensor is in shards in L1; the op copy moves interleaved pages");
    const bool meets_dram = inputs.input.buffer.type == BufferType::DRAM ||
                            outputs.output.buffer.type == BufferType::DRAM;
    require(!meets_dram || in.page_size() % arch.dram.alignment.value == 0,
            "reshard: pages of {} B between DRAM and L1; they must be multiples of {} B",
            in.page_size(), arch.dram.alignment.value);
}

/// What both kernels are told of both tensors; the remote accessor comes last, since that of a
/// sharded tensor has no fixed length.
std::vector<std::uint32_t> compile_args(const Sides& sides) {
    const ShardSpec& shard = *sides.local.buffer.shard;
    std::vector<std::uint32_t> args{shard.tensor_shape[1], shard.shard_shape[1],
                                    sides.local.buffer.page_size,
                                    sides.local.buffer.aligned_page_size};
    TensorAccessorArgs(sides.remote.buffer).append_to(args);
    return args;
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
    for (const Shard& shard : shards) {
        ranges.emplace_back(shard.core);
    }
    const CoreRangeSet cores(std::move(ranges));
    const KernelHandle kernel = CreateKernel(program, source, cores, config);
    for (const Shard& shard : shards) {
        const std::uint32_t pages = shard.rows * shard.columns;
        SetRuntimeArgs(program, kernel, shard.core,
                       {sides.remote.buffer.address, sides.local.buffer.address, shard.first_page,
                        shard.columns, pages * portion.begin / portion.parts,
                        pages * portion.end / portion.parts});
    }
}

}  // namespace

std::string_view schedule_of(const Outputs& outputs) noexcept {
    return has_local_shards(outputs.output) ? kSchedules[0] : kSchedules[1];
}

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const ReshardSpec& schedule) {
    check(arch, inputs, outputs);
    const bool reads = has_local_shards(outputs.output);
    const Sides sides =
        reads ? Sides{outputs.output, inputs.input} : Sides{inputs.input, outputs.output};
    const char* source =
        reads ? "ops/reshard/kernels/reader.cpp" : "ops/reshard/kernels/writer.cpp";
    const std::vector<Shard> shards = shards_of(*sides.local.buffer.shard);
    const bool both = schedule.movers == ReshardMovers::Both;

    Program program = CreateProgram();
    if (schedule.movers != ReshardMovers::Noc1) {
        add_mover(program, source, sides, shards, ReaderDataMovementConfig(compile_args(sides)),
                  both ? kFirstHalf : kWhole);
    }
    if (schedule.movers != ReshardMovers::Noc0) {
        add_mover(program, source, sides, shards, WriterDataMovementConfig(compile_args(sides)),
                  both ? kSecondHalf : kWhole);
    }
    return program;
}

HostTensor reference(const HostTensor& input) {
    return input;
}

}  // namespace tessera::ops::reshard
