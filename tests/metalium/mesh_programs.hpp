// SPDX-License-Identifier: Apache-2.0
// Programs of the newer generation: meshes, their buffers and workloads.
#pragma once

namespace metalium_programs {

// fabric_programs.cpp
bool pages_over_links();
// mesh_workloads.cpp
bool workload_on_parts_of_a_mesh();
bool replicated_and_sharded_buffers();
bool trace_of_workloads();
// mesh_kernels.cpp
bool matmul_on_many_cores();
bool sum_of_rows();
bool functions_of_examples();
bool semaphore_ring();
bool kernels_from_strings();
// mesh_compute.cpp
bool matmul_with_reuse();
bool custom_vector_function();
bool layer_norm_of_rows();
bool closed_with_held_buffers();
// remote_buffers.cpp
bool pages_for_two_receivers();
// spec_program.cpp
bool program_from_a_spec();
// vendor_all_to_all.cpp
bool vendor_exchange_in_a_ring();
bool vendor_exchange_over_four_links();
bool vendor_exchange_in_rows();
bool vendor_exchange_on_a_mesh();

}  // namespace metalium_programs
