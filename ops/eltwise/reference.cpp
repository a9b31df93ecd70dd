// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "emu/base/round_up.hpp"
#include "ops/eltwise/eltwise.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::eltwise {
namespace {

/// Formula of a function in double; functions of one input ignore the second.
using PairFunction = double (*)(double a, double b);

struct Row {
    std::string_view name;
    Domain domain;
    PairFunction function;
};

// One row per function, in the order of the enumeration. The same table makes the enumeration, the
// kernel API and the kernels' switches; a function had 15 places before.
constexpr std::array kRows{
#define SFPU_BINARY_CHOICE(call, Word, shape, constants, yaml, domain, reference) \
    Row{#yaml, Domain::domain, [](double a, double b) -> double { return reference; }},
#define SFPU_CHOICE(call, Word, shape, options, routine, constants, yaml, domain, arguments, \
                    reference)                                                               \
    Row{#yaml, Domain::domain, [](double a, double) -> double { return reference; }},
#include "tessera/kernel/compute/sfpu_table.inc"
};

const Row& row_of(EltwiseFunction function) noexcept {
    return kRows[static_cast<std::size_t>(function)];
}

}  // namespace

std::string_view name_of(EltwiseFunction function) noexcept {
    return row_of(function).name;
}

Domain domain_of(EltwiseFunction function) noexcept {
    return row_of(function).domain;
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    // Two buffers of 4096 floats are 32 KiB, which a host core keeps in its first cache.
    constexpr std::uint64_t kPiece = 4096;
    const HostTensor first_input = context.read("a"_in);
    // With one input this is the first input again; the function ignores it.
    const HostTensor last_input = context.read(context.inputs.size() - 1);
    HostTensor output = make_host_tensor(first_input.shape, DataFormat::Float32);
    const auto out = output.as<float>();
    const PairFunction apply = row_of(context.params<EltwiseSpec>().function).function;
    tbb::parallel_for(std::uint64_t{0}, div_up(out.size(), kPiece), [&](std::uint64_t i) {
        const std::uint64_t first = i * kPiece;
        const auto piece = out.subspan(first, std::min(kPiece, out.size() - first));
        std::array<float, kPiece> a{};
        std::array<float, kPiece> b{};
        read_floats(first_input, first, std::span(a).first(piece.size()));
        read_floats(last_input, first, std::span(b).first(piece.size()));
        for (std::size_t at = 0; at < piece.size(); ++at) {
            piece[at] =
                static_cast<float>(apply(static_cast<double>(a[at]), static_cast<double>(b[at])));
        }
    });
    return list_of(std::move(output));
}

}  // namespace tessera::ops::eltwise
