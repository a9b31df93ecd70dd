// SPDX-License-Identifier: Apache-2.0
// A kernel that is ready to run, built in or compiled just in time.
#pragma once

#include <cstddef>

namespace tessera {

/// Symbols that emu/kernel_pass exports from a kernel. entry.cpp there writes the same layout.
struct CompiledKernel {
    /// Runs the kernel to its end, on a stack inside the core's window
    /// (include/tessera/window_layout.hpp).
    void (*entry)() = nullptr;
    /// Initial values of the kernel's mutable globals: copied to the core's instance
    /// (`kernel_globals_offset`) before each launch. Null if there are none.
    const std::byte* globals_image = nullptr;
    std::size_t globals_size = 0;  ///< bytes
};

}  // namespace tessera
