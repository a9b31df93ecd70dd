// SPDX-License-Identifier: Apache-2.0
// Units of work: 32 tokens of a head, those of one head behind each other.
#pragma once

struct HeadShapes {
    uint32_t tokens;
    uint32_t heads;
    uint32_t token_tiles;
    uint32_t inner_tiles;
    uint32_t outer_tiles;
    uint32_t row_tiles;  // of a head's weights
    uint32_t column_tiles;
    bool is_transposed;  // rows of weights are elements of the output
};

// The first compile-time arguments.
inline HeadShapes head_shapes() {
    return {get_compile_time_arg_val(0), get_compile_time_arg_val(1),
            get_compile_time_arg_val(2), get_compile_time_arg_val(3),
            get_compile_time_arg_val(4), get_compile_time_arg_val(5),
            get_compile_time_arg_val(6), get_compile_time_arg_val(7) != 0};
}
