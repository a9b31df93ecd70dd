// SPDX-License-Identifier: Apache-2.0
#include "ops/registry.hpp"

#include <algorithm>
#include <array>

#include "ops/all_gather/all_gather.hpp"
#include "ops/all_reduce/all_reduce.hpp"
#include "ops/copy/copy.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "ops/local_reduce_moe_output/local_reduce_moe_output.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/moe_bmm/moe_bmm.hpp"
#include "ops/mul/mul.hpp"
#include "ops/prepare_moe_routing_tensors/prepare_moe_routing_tensors.hpp"
#include "ops/reduce_scatter/reduce_scatter.hpp"
#include "ops/reshard/reshard.hpp"
#include "ops/scatter_moe_input/scatter_moe_input.hpp"
#include "ops/silu/silu.hpp"
#include "ops/silu_mul/silu_mul.hpp"
#include "ops/to_layout/to_layout.hpp"

namespace tessera::ops {
namespace {

// One row per op, sorted by name.
constexpr std::array kOps{
    all_gather::kSpec,
    all_reduce::kSpec,
    copy::kSpec,
    eltwise::kSpec,
    local_reduce_moe_output::kSpec,
    matmul::kSpec,
    moe_bmm::kSpec,
    mul::kSpec,
    prepare_moe_routing_tensors::kSpec,
    reduce_scatter::kSpec,
    reshard::kSpec,
    scatter_moe_input::kSpec,
    silu::kSpec,
    silu_mul::kSpec,
    to_layout::kSpec,
};
static_assert(std::ranges::is_sorted(kOps, {}, &OpSpec::name), "keep kOps sorted by name");

}  // namespace

std::span<const OpSpec> all_ops() noexcept {
    return kOps;
}

const OpSpec* find_op(std::string_view name) noexcept {
    const auto row = std::ranges::lower_bound(kOps, name, {}, &OpSpec::name);
    return row != kOps.end() && row->name == name ? &*row : nullptr;
}

}  // namespace tessera::ops
