// SPDX-License-Identifier: Apache-2.0
// Programs of the older generation: CreateDevice, command queues, detail:: calls.
#pragma once

namespace metalium_programs {

// queue_copies.cpp
bool loopback();
bool copy_on_all_cores();
bool parts_of_buffers();
bool memory_by_address();
bool padded_rows();
// queue_compute.cpp
bool vector_add();
bool transposed_tiles();
bool decaying_exponentials();
bool sharded_add();
bool tilized_and_back();
bool softmax_of_rows();
bool layer_norm_of_rows();
bool custom_vector_function();
// queue_matmul.cpp
bool matmul_on_one_core();
bool matmul_with_multicast();
// queue_observed.cpp
bool printed_values();
bool timestamps();
// queue_many_cores.cpp
bool all_reduce_over_64_cores();
bool device_profile();
// queue_changes.cpp
bool changed_between_launches();
bool several_programs();
bool recorded_trace();
bool resharded();

}  // namespace metalium_programs
