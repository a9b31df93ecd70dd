// SPDX-License-Identifier: Apache-2.0
// Exit codes of the process. Error::exit_code has those of errors.
#pragma once

#include <cstdint>

namespace tessera::cli {

enum class ExitCode : std::uint8_t {
    Success = 0,
    VerificationFailed = 1,  ///< the run ended, but a result is too far from its reference
    WrongInput = 2,          ///< command line, configuration or input files
    KernelFault = 3,         ///< the emulated program broke the machine's contract
    Internal = 70,           ///< Tessera's fault; EX_SOFTWARE of sysexits.h
};

}  // namespace tessera::cli
