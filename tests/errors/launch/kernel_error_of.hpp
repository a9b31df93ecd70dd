// SPDX-License-Identifier: Apache-2.0
// Launches a program for comparison of the whole text of the KernelError that it ends with.
#pragma once

#include <string>
#include <vector>

#include "runtime/session/emulated_session.hpp"
#include "tessera/errors.hpp"

namespace tessera {

/// The message of the KernelError that `program` ends with on device 0; "no KernelError" if it ends
/// without. Errors of another type pass through and fail the test.
inline std::string kernel_error_of(EmulatedSession& session, const Program& program) {
    try {
        session.launch("test", std::vector<DeviceProgram>{{0, program}});
    } catch (const KernelError& error) {
        return error.what();
    }
    return "no KernelError";
}

}  // namespace tessera
