// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.hpp"

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

void check_operand(std::string_view name, const DeviceTensor& tensor,
                   const OperandLayout& expected) {
    require(tensor.spec == expected.spec, "matmul: {} is {}; it must be {}", name,
            describe(tensor.spec), describe(expected.spec));
    require(lies_as(tensor.buffer, expected),
            "matmul: {} does not lie as the schedule places it; operand_layouts() says how", name);
}

}  // namespace

Program make_program(const ArchSpec& arch, const Inputs& inputs, const Outputs& outputs,
                     const MatmulSpec& schedule) {
    const OperandLayouts layouts = operand_layouts(arch, shape_of(inputs), schedule);
    check_operand("in0", inputs.in0, layouts.in0);
    check_operand("in1", inputs.in1, layouts.in1);
    check_operand("out", outputs.out, layouts.out);
    return schedule.schedule == MatmulSchedule::MultiCore
               ? make_tile_program(arch, inputs, outputs, schedule)
               : make_block_program(arch, inputs, outputs, schedule);
}

}  // namespace tessera::ops::matmul
