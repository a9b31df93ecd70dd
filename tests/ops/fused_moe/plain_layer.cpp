// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/fused_moe/plain_layer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "runtime/config/load.hpp"

namespace tessera::ops::fused_moe {
namespace {

float float_of(std::uint16_t bf16) {
    return std::bit_cast<float>(std::uint32_t{bf16} << 16U);
}

/// Input tensors of a run, read as every device would read them.
class LayerInputs {
public:
    explicit LayerInputs(const config::LoadedRun& loaded)
        : values_(loaded.pipeline, loaded.run.mesh.shape.num_devices(), nullptr, nullptr),
          pipeline_(loaded.pipeline) {}

    [[nodiscard]] HostTensor on(const std::string& name, std::uint32_t device) const {
        return values_.on(*pipeline::find_tensor(pipeline_, name), device);
    }

private:
    pipeline::TensorValues values_;
    const pipeline::PipelineSpec& pipeline_;
};

double silu(double x) {
    return x / (1 + std::exp(-x));
}

/// Returns Σ_k row[k] · matrix[first + k] in double.
double dot(const std::vector<double>& row, const HostTensor& matrix, std::size_t first) {
    double sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
        sum += row[k] * float_of(matrix.as<std::uint16_t>()[first + k]);
    }
    return sum;
}

double gelu(double x) {
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
}

/// Returns the activation between the products: element i of n from the rows of w1 times the token.
double activated(const std::string& activation, const std::vector<double>& rows, std::size_t i) {
    const std::size_t half = rows.size() / 2;
    if (activation == "silu") {
        return silu(rows[i]) * rows[half + i];
    }
    if (activation == "gelu") {
        return gelu(rows[i]) * rows[half + i];
    }
    if (activation == "swigluoai") {
        const double gate = std::min(rows[2 * i], 7.0);
        const double up = std::clamp(rows[2 * i + 1], -7.0, 7.0);
        return (up + 1) * gate / (1 + std::exp(-1.702 * gate));
    }
    if (activation == "relu2_no_mul") {
        return rows[i] > 0 ? rows[i] * rows[i] : 0;
    }
    return activation == "silu_no_mul" ? silu(rows[i]) : gelu(rows[i]);
}

/// Returns the output of one expert for a token.
std::vector<double> expert_output(const std::vector<double>& token, const HostTensor& w1,
                                  const HostTensor& w2, std::size_t expert,
                                  const std::string& activation) {
    const std::size_t hidden = token.size();
    const std::size_t n = w2.shape[2];
    std::vector<double> rows(w1.shape[1]);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = dot(token, w1, (expert * rows.size() + i) * hidden);
    }
    std::vector<double> between(n);
    for (std::size_t i = 0; i < n; ++i) {
        between[i] = activated(activation, rows, i);
    }
    std::vector<double> out(hidden);
    for (std::size_t h = 0; h < hidden; ++h) {
        out[h] = dot(between, w2, (expert * hidden + h) * n);
    }
    return out;
}

/// Rounds to bfloat16, ties to even.
double to_bf16(double value) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return float_of(static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16U & 1U)) >> 16U));
}

}  // namespace

std::vector<double> expected(const config::LoadedRun& loaded, std::uint32_t ranks,
                             const Forward& forward) {
    const LayerInputs inputs(loaded);
    const HostTensor a = inputs.on("a", 0);
    const HostTensor ids = inputs.on("topk_ids", 0);
    const HostTensor weights = inputs.on("topk_weights", 0);
    const std::size_t hidden = a.shape[1];
    const std::size_t top_k = ids.shape[1];
    std::vector<double> sums(std::size_t{a.shape[0]} * hidden, 0.0);
    for (std::uint32_t device = 0; device < ranks; ++device) {
        const HostTensor map = inputs.on("expert_map", device);
        const HostTensor w1 = inputs.on("w1", device);
        const HostTensor w2 = inputs.on("w2", device);
        std::vector<std::size_t> taken(w1.shape[0], 0);
        for (std::size_t choice = 0; choice < a.shape[0] * top_k; ++choice) {
            const std::int32_t id = ids.as<std::int32_t>()[choice];
            const std::int32_t local = map.as<std::int32_t>()[static_cast<std::size_t>(id)];
            if (local < 0 || taken[static_cast<std::size_t>(local)]++ >= forward.capacity) {
                continue;
            }
            const std::size_t first = choice / top_k * hidden;
            std::vector<double> token(hidden);
            for (std::size_t h = 0; h < hidden; ++h) {
                token[h] = float_of(a.as<std::uint16_t>()[first + h]);
                token[h] = forward.weighs_input ? to_bf16(token[h] * weights.as<float>()[choice])
                                                : token[h];
            }
            const auto out =
                expert_output(token, w1, w2, static_cast<std::size_t>(local), forward.activation);
            const double weight = forward.weighs_input ? 1.0F : weights.as<float>()[choice];
            for (std::size_t h = 0; h < hidden; ++h) {
                sums[first + h] += weight * out[h];
            }
        }
    }
    return sums;
}

Distance distance(const HostTensor& result, const std::vector<double>& wanted) {
    std::vector<double> values;
    for (const std::uint16_t bits : result.as<std::uint16_t>()) {
        values.push_back(float_of(bits));
    }
    const auto n = static_cast<double>(wanted.size());
    const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
        const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
        const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) - n * mean_a * mean_b;
    };
    const double rms =
        std::sqrt(std::inner_product(wanted.begin(), wanted.end(), wanted.begin(), 0.0) / n);
    Distance found{
        0, product(values, wanted) / std::sqrt(product(values, values) * product(wanted, wanted))};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double error = std::fabs(values[i] - wanted[i]) / std::max(std::fabs(wanted[i]), rms);
        found.error = std::isfinite(error) ? std::max(found.error, error) : INFINITY;
    }
    return found;
}

}  // namespace tessera::ops::fused_moe
