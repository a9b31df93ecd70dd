// SPDX-License-Identifier: Apache-2.0
// Programs of the newer generation: meshes, their buffers and workloads.
#pragma once

namespace metalium_programs {

// mesh_workloads.cpp
bool workload_on_parts_of_a_mesh();
bool replicated_and_sharded_buffers();
bool trace_of_workloads();
// mesh_kernels.cpp
bool matmul_on_many_cores();
bool sum_of_rows();
bool semaphore_ring();
bool kernels_from_strings();
// spec_program.cpp
bool program_from_a_spec();

}  // namespace metalium_programs
