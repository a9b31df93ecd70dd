// SPDX-License-Identifier: Apache-2.0
// Host API for programs of 2024, whose headers left some standard names without a namespace.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tt-metalium/host_api.hpp"
#include "tt-metalium/tilize_utils.hpp"

using std::map;
using std::pair;
using std::string;
using std::vector;

/// Older name of TensorLayoutType.
using TensorLayout = TensorLayoutType;
