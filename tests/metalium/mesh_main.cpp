// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/metalium/mesh_programs.hpp"
#include "tests/metalium/program_table.hpp"

int main(int argc, char** argv) {
    using namespace metalium_programs;
    constexpr std::array kPrograms{
        Program{"workload_on_parts_of_a_mesh", workload_on_parts_of_a_mesh},
        Program{"replicated_and_sharded_buffers", replicated_and_sharded_buffers},
        Program{"trace_of_workloads", trace_of_workloads},
        Program{"matmul_on_many_cores", matmul_on_many_cores},
        Program{"matmul_with_reuse", matmul_with_reuse},
        Program{"custom_vector_function", custom_vector_function},
        Program{"layer_norm_of_rows", layer_norm_of_rows},
        Program{"closed_with_held_buffers", closed_with_held_buffers},
        Program{"sum_of_rows", sum_of_rows},
        Program{"functions_of_examples", functions_of_examples},
        Program{"semaphore_ring", semaphore_ring},
        Program{"kernels_from_strings", kernels_from_strings},
        Program{"pages_for_two_receivers", pages_for_two_receivers},
        Program{"pages_over_links", pages_over_links},
        Program{"program_from_a_spec", program_from_a_spec},
        Program{"vendor_exchange_in_a_ring", vendor_exchange_in_a_ring},
        Program{"vendor_exchange_over_four_links", vendor_exchange_over_four_links},
        Program{"vendor_exchange_in_rows", vendor_exchange_in_rows},
        Program{"vendor_exchange_on_a_mesh", vendor_exchange_on_a_mesh},
    };
    return run(kPrograms, argc, argv);
}
