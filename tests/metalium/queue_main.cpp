// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/metalium/program_table.hpp"
#include "tests/metalium/queue_programs.hpp"

int main(int argc, char** argv) {
    using namespace metalium_programs;
    constexpr std::array kPrograms{
        Program{"loopback", loopback},
        Program{"copy_on_all_cores", copy_on_all_cores},
        Program{"parts_of_buffers", parts_of_buffers},
        Program{"memory_by_address", memory_by_address},
        Program{"padded_rows", padded_rows},
        Program{"vector_add", vector_add},
        Program{"transposed_tiles", transposed_tiles},
        Program{"decaying_exponentials", decaying_exponentials},
        Program{"sharded_add", sharded_add},
        Program{"tilized_and_back", tilized_and_back},
        Program{"softmax_of_rows", softmax_of_rows},
        Program{"layer_norm_of_rows", layer_norm_of_rows},
        Program{"custom_vector_function", custom_vector_function},
        Program{"matmul_on_one_core", matmul_on_one_core},
        Program{"matmul_with_multicast", matmul_with_multicast},
        Program{"printed_values", printed_values},
        Program{"timestamps", timestamps},
        Program{"all_reduce_over_64_cores", all_reduce_over_64_cores},
        Program{"device_profile", device_profile},
        Program{"changed_between_launches", changed_between_launches},
        Program{"several_programs", several_programs},
        Program{"recorded_trace", recorded_trace},
        Program{"resharded", resharded},
    };
    return run(kPrograms, argc, argv);
}
