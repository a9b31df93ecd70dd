// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.hpp"

#include <fmt/ranges.h>

#include "emu/base/fields/value.hpp"
#include "ops/expect_tensor.hpp"
#include "ops/matmul/block_program.hpp"
#include "ops/matmul/tile_program.hpp"

namespace tessera::ops::matmul {
namespace {

MatmulShape shape_of(const Inputs& inputs) {
    const Shape& in0 = inputs.in0.spec.shape;
    const Shape& in1 = inputs.in1.spec.shape;
    require(in0.size() == 2 && in1.size() == 2 && in0[1] == in1[0],
            "matmul: in0 is {} and in1 {}; they must be (M,K) and (K,N)", to_string(in0),
            to_string(in1));
    return {in0[0], in0[1], in1[1]};
}

bool lies_as(const Buffer& buffer, const OperandLayout& expected) {
    if (buffer.type != expected.type || buffer.layout != expected.layout) {
        return false;
    }
    return buffer.layout == TensorMemoryLayout::INTERLEAVED ||
           (buffer.shard && buffer.shard->orientation == expected.shard.orientation &&
            shard_cores(*buffer.shard) == shard_cores(expected.shard) &&
            buffer.shard->shard_shape == expected.shard.shard_shape &&
            buffer.shard->tensor_shape == expected.shard.tensor_shape);
}

const char* name_of_layout(TensorMemoryLayout layout) {
    switch (layout) {
        case TensorMemoryLayout::INTERLEAVED:
            return "interleaved";
        case TensorMemoryLayout::HEIGHT_SHARDED:
            return "height-sharded";
        case TensorMemoryLayout::WIDTH_SHARDED:
            return "width-sharded";
        case TensorMemoryLayout::BLOCK_SHARDED:
            return "block-sharded";
    }
    return "of an unknown layout";
}

/// "interleaved in DRAM"; "block-sharded in L1, 1x2 tiles of 3x4 on each of 6 cores from (0,0)".
std::string placement_text(BufferType type, TensorMemoryLayout layout, const ShardSpec& shard) {
    std::string text =
        fmt::format("{} in {}", name_of_layout(layout), type == BufferType::DRAM ? "DRAM" : "L1");
    const std::vector<CoreCoord> cores = shard_cores(shard);
    if (layout != TensorMemoryLayout::INTERLEAVED && !cores.empty()) {
        text += fmt::format(", {} tiles of {} on each of {} cores from {}",
                            fmt::join(shard.shard_shape, "x"), fmt::join(shard.tensor_shape, "x"),
                            cores.size(), to_string(cores.front()));
    }
    return text;
}

void check_operand(std::string_view name, const DeviceTensor& tensor, const OperandLayout& expected,
                   MatmulSchedule schedule) {
    require(tensor.spec == expected.spec, "matmul: {} is {}; it must be {}", name,
            describe(tensor.spec), describe(expected.spec));
    const Buffer& buffer = tensor.buffer;
    require(lies_as(buffer, expected), "matmul: {} is {}; schedule {} needs {}", name,
            placement_text(buffer.type, buffer.layout, buffer.shard.value_or(ShardSpec{})),
            config::Value<MatmulSchedule>::show(schedule),
            placement_text(expected.type, expected.layout, expected.shard));
}

}  // namespace

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const MatmulSpec& schedule) {
    const OperandLayouts layouts = operand_layouts(arch, shape_of(inputs), schedule);
    check_operand("in0", inputs.in0, layouts.in0, schedule.schedule);
    check_operand("in1", inputs.in1, layouts.in1, schedule.schedule);
    check_operand("out", outputs.out, layouts.out, schedule.schedule);
    return schedule.schedule == MatmulSchedule::MultiCore
               ? make_tile_program(arch, inputs, outputs, schedule)
               : make_block_program(arch, inputs, outputs, schedule);
}

}  // namespace tessera::ops::matmul
