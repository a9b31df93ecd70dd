// SPDX-License-Identifier: Apache-2.0
// Standard headers that the kernel API and kernels use. They are precompiled for kernels that are
// compiled just in time, which makes such a build five times as fast. Not here: the kernel API,
// whose text depends on the defines and compile-time arguments of each program.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// Kernels define constants of this name; the headers of the chip's compiler do not define it.
#undef M_PI
