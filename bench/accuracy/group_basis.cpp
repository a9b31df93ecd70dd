// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/group_basis.hpp"

#include <algorithm>
#include <array>

namespace tessera::score {
namespace {

struct NamedBasis {
    std::string_view group;
    GroupBasis basis;
};

constexpr std::string_view kLongLoops = "issue costs at the slow end of their ranges";

constexpr std::array<NamedBasis, 12> kTable{{
    {"ccl", {Basis::Changed, "Blackhole's links at the report's 25 GB/s"}},
    {"dram_sat", {Basis::Changed, "ports and memory rate of the report's time"}},
    {"eth_link",
     {Basis::Circular, "loops of the measured kernels step by step, a formula for latency"}},
    {"fabric_edm", {Basis::Changed, "routers of June 2025: one processor, rings of two channels"}},
    {"fabric_mux", {Basis::Changed, "an unlimited link, as behind the measured mux"}},
    {"noc_epcc", {Basis::Changed, kLongLoops}},
    {"nocread_epcc", {Basis::Changed, kLongLoops}},
    {"npe", {Basis::Changed, "85 cycles a read and 200 a kernel more, for the profiler"}},
    {"riscv_epcc", {Basis::Circular, "the constants of stores and divisions come from these rows"}},
    {"sfpu", {Basis::Circular, "the constants come from these rows"}},
    {"tensix_epcc", {Basis::Circular, "formulas of the instruction constants"}},
    {"tile_calls", {Basis::Circular, "the constants come from these rows"}},
}};
static_assert(std::ranges::is_sorted(kTable, {}, &NamedBasis::group), "keep kTable sorted");

}  // namespace

GroupBasis basis_of(std::string_view group) noexcept {
    const auto found = std::ranges::find(kTable, group, &NamedBasis::group);
    return found == kTable.end() ? GroupBasis{} : found->basis;
}

std::string_view name_of(Basis basis) noexcept {
    switch (basis) {
        case Basis::Changed:
            return "changed";
        case Basis::Circular:
            return "circular";
        case Basis::Program:
            break;
    }
    return "";
}

}  // namespace tessera::score
