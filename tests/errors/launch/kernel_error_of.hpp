// SPDX-License-Identifier: Apache-2.0
// Launches a program to compare the whole text of its KernelError.
#pragma once

#include <string>
#include <vector>

#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"

namespace tessera {

/// Returns the message of the KernelError that ends `program` on device 0, or "no KernelError".
/// Errors of another type pass through and fail the test.
inline std::string kernel_error_of(EmulatedSession& session, const Program& program) {
    try {
        session.launch("test", std::vector<DeviceProgram>{{0, program}});
    } catch (const KernelError& error) {
        return error.what();
    }
    return "no KernelError";
}

}  // namespace tessera
