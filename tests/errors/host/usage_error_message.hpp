// SPDX-License-Identifier: Apache-2.0
// Catches a UsageError to compare its whole text.
#pragma once

#include <string>

#include "tessera/errors.hpp"

namespace tessera {

/// Returns the message of the UsageError that `act` throws, or "(nothing thrown)". Errors of
/// another type pass through and fail the test.
template <class Act>
std::string usage_error_message(Act&& act) {
    try {
        act();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "(nothing thrown)";
}

}  // namespace tessera
