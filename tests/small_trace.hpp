// SPDX-License-Identifier: Apache-2.0
// A trace with content in every field.
#pragma once

#include "tessera/trace.hpp"

namespace tessera::testing {

inline ThreadTrace small_thread(Processor processor, std::uint32_t kernel, std::uint32_t num) {
    ThreadTrace thread{.processor = processor,
                       .default_noc = 1,
                       .kernel = kernel,
                       .compute = {.fidelity = MathFidelity::HiFi3,
                                   .fp32_dest_acc = true,
                                   .dst_full_sync = false,
                                   .approximate = true},
                       .sites = {{0, 0}, {kernel, 12}},
                       .events = {}};
    for (std::uint32_t i = 0; i < num; ++i) {
        thread.events.push_back({EventKind::NocRead, 1, 1, i + 1, TransferArgument{i, {}}.pack()});
    }
    return thread;
}

inline LaunchTrace small_launch(const std::string& name, std::uint32_t num_events) {
    return {
        .name = name,
        .dispatch = {{.device = 1,
                      .kernels = 2,
                      .cores = 3,
                      .threads = 4,
                      .cbs = 5,
                      .semaphores = 6,
                      .unique_args = 7,
                      .common_args = 8,
                      .binary_bytes = 9}},
        .cores =
            {{.device = 1,
              .core = {2, 3},
              .cbs = {{.index = 4, .format = DataFormat::Bfp8_b, .pages = 5, .page_bytes = 1088}},
              .l1_bytes = 77,
              .threads = {small_thread(Processor::Riscv0, 1, num_events),
                          small_thread(Processor::Compute, 2, 0)}}},
        .initial_words = {{.device = 1, .core = {2, 3}, .address = 40960, .value = 5}}};
}

/// Returns two launches, the second of which uses the last name.
inline Trace small_trace() {
    Trace trace{.arch = "test_arch", .names = {"", "reader.cpp", "compute.cpp"}, .launches = {}};
    trace.mesh = {.shape = {2, 4}, .topology = Topology::Ring, .device = "test_arch"};
    trace.launches = {small_launch("gate", 1000), small_launch("up", 1)};
    trace.names.emplace_back("silu_tile");
    trace.launches[1].cores[0].threads[1].events.push_back({EventKind::Sfpu, 0, 1, 1, 3});
    return trace;
}

}  // namespace tessera::testing
