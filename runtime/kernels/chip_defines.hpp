// SPDX-License-Identifier: Apache-2.0
// Macros of the chip's own build, with which each kernel is compiled.
#pragma once

#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Adds what the chip's build defines; defines that are there take precedence.
/// Source   tt-metal, tt_metal/jit_build (build.cpp, genfiles.cpp), dev_mem_map.h,
///          noc_parameters.h.
void add_chip_defines(const ArchSpec& arch, Defines& defines);

/// Adds what the build of a compute kernel defines besides.
void add_compute_defines(const ComputeConfig& config, Defines& defines);

}  // namespace tessera
