// SPDX-License-Identifier: Apache-2.0
// Functions of DST tile 0, selected by code. `site` is the kernel's own line: the line of a row
// here would not show where a kernel waits.
#pragma once

#include "function_code.hpp"

namespace {

#define ARGUMENTS_EXACT
#define ARGUMENTS_WITH(...) <__VA_ARGS__>
#define ARGUMENTS_WITH_MODE(...) <__VA_ARGS__>

template <bool approximate>
void init_function(uint32_t function, CallSite site = CallSite::here()) {
    switch (function) {
#define SFPU_CHOICE(call, Word, shape, options, routine, constants, yaml, domain, arguments, ...) \
    case k##Word:                                                                                 \
        return call##_init ARGUMENTS_##arguments(site);
#include "tessera/kernel/compute/sfpu_table.inc"
    }
}

#undef ARGUMENTS_WITH_MODE
#define ARGUMENTS_WITH_MODE(...) <VectorMode::RC, __VA_ARGS__>
#define PARAMETERS_TILE (0, site)
#define PARAMETERS_MODE (0, site)
#define PARAMETERS_FACES (0, VectorMode::RC, site)
#define PARAMETERS_SCALED (0, VectorMode::RC, 0x3F80, site)

template <bool approximate>
void apply_function(uint32_t function, CallSite site = CallSite::here()) {
    switch (function) {
#define SFPU_CHOICE(call, Word, shape, options, routine, constants, yaml, domain, arguments, ...) \
    case k##Word:                                                                                 \
        return call ARGUMENTS_##arguments PARAMETERS_##shape;
#include "tessera/kernel/compute/sfpu_table.inc"
    }
}

}  // namespace
