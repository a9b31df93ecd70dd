// SPDX-License-Identifier: Apache-2.0
// Arguments that a kernel reads by name, get_arg(args::NAME). The launch of a program declares the
// names as constants of these types. get_arg is in the namespace of the types, so that calls find
// it.
#pragma once

#include "tessera/kernel/dataflow/args.hpp"

namespace tessera_args {

/// A runtime argument of a core, by its index.
struct Runtime {
    std::uint32_t index;
};
/// A runtime argument that all cores of a kernel share.
struct Common {
    std::uint32_t index;
};
/// A compile-time argument.
struct Constant {
    std::uint32_t value;
};
inline std::uint32_t get_arg(Runtime arg) {
    return get_arg_val<std::uint32_t>(static_cast<int>(arg.index));
}
inline std::uint32_t get_arg(Common arg) {
    return get_common_arg_val<std::uint32_t>(static_cast<int>(arg.index));
}
constexpr std::uint32_t get_arg(Constant arg) {
    return arg.value;
}

}  // namespace tessera_args

using tessera_args::get_arg;
