// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/builtin_table.hpp"

#include <algorithm>

namespace tessera {

const BuiltinKernel* find_builtin(std::string_view source) noexcept {
    const auto kernels = builtin_kernels();
    const auto row = std::ranges::lower_bound(kernels, source, {}, &BuiltinKernel::source);
    return row != kernels.end() && row->source == source ? &*row : nullptr;
}

}  // namespace tessera
