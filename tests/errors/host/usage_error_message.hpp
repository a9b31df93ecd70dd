// SPDX-License-Identifier: Apache-2.0
// Catches a UsageError for comparison of its whole text.
#pragma once

#include <string>

#include "tessera/errors.hpp"

namespace tessera {

/// The message of the UsageError that `act` throws; "(nothing thrown)" if it returns. Errors of
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
