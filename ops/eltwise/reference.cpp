// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "ops/eltwise/eltwise.hpp"
#include "ops/host_floats.hpp"

namespace tessera::ops::eltwise {
namespace {

/// What one function does to a pair; functions of one input ignore the second.
using PairFunction = double (*)(double a, double b);

struct Row {
    std::string_view name;
    PairFunction function;
};

constexpr double kSqrtHalf = 0.70710678118654752440;

// One row per function, in the order of the enumeration.
constexpr std::array kRows{
    Row{"add", [](double a, double b) { return a + b; }},
    Row{"sub", [](double a, double b) { return a - b; }},
    Row{"mul", [](double a, double b) { return a * b; }},
    Row{"div", [](double a, double b) { return a / b; }},
    Row{"max", [](double a, double b) { return std::max(a, b); }},
    Row{"min", [](double a, double b) { return std::min(a, b); }},
    Row{"abs", [](double a, double) { return std::fabs(a); }},
    Row{"exp", [](double a, double) { return std::exp(a); }},
    Row{"gelu", [](double a, double) { return a / 2 * std::erfc(-a * kSqrtHalf); }},
    Row{"identity", [](double a, double) { return a; }},
    Row{"log", [](double a, double) { return std::log(a); }},
    Row{"negative", [](double a, double) { return -a; }},
    Row{"recip", [](double a, double) { return 1 / a; }},
    Row{"relu", [](double a, double) { return std::max(a, 0.0); }},
    Row{"rsqrt", [](double a, double) { return 1 / std::sqrt(a); }},
    Row{"sigmoid", [](double a, double) { return 1 / (1 + std::exp(-a)); }},
    Row{"sign", [](double a, double) { return a > 0   ? 1.0
                                              : a < 0 ? -1.0
                                                      : 0.0; }},
    Row{"silu", [](double a, double) { return a / (1 + std::exp(-a)); }},
    Row{"sqrt", [](double a, double) { return std::sqrt(a); }},
    Row{"square", [](double a, double) { return a * a; }},
    Row{"tanh", [](double a, double) { return std::tanh(a); }},
};
static_assert(kRows.size() == static_cast<std::size_t>(EltwiseFunction::Tanh) + 1);

const Row& row_of(EltwiseFunction function) noexcept {
    return kRows[static_cast<std::size_t>(function)];
}

}  // namespace

std::string_view name_of(EltwiseFunction function) noexcept {
    return row_of(function).name;
}

Domain domain_of(EltwiseFunction function) noexcept {
    switch (function) {
        case EltwiseFunction::Log:
        case EltwiseFunction::Rsqrt:
        case EltwiseFunction::Sqrt:
            return Domain::Positive;
        case EltwiseFunction::Div:
        case EltwiseFunction::Recip:
            return Domain::NotZero;
        default:
            return Domain::All;
    }
}

HostTensor reference(EltwiseFunction function, const std::vector<const HostTensor*>& inputs) {
    constexpr std::uint64_t kPiece = 4096;
    HostTensor output = make_host_tensor(inputs.front()->shape, DataFormat::Float32);
    const auto out = output.as<float>();
    const PairFunction apply = row_of(function).function;
    tbb::parallel_for(std::uint64_t{0}, (out.size() + kPiece - 1) / kPiece, [&](std::uint64_t i) {
        const std::uint64_t first = i * kPiece;
        const auto piece = out.subspan(first, std::min(kPiece, out.size() - first));
        std::array<float, kPiece> a{};
        std::array<float, kPiece> b{};
        read_floats(*inputs.front(), first, std::span(a).first(piece.size()));
        read_floats(*inputs.back(), first, std::span(b).first(piece.size()));
        for (std::size_t at = 0; at < piece.size(); ++at) {
            piece[at] =
                static_cast<float>(apply(static_cast<double>(a[at]), static_cast<double>(b[at])));
        }
    });
    return output;
}

}  // namespace tessera::ops::eltwise
