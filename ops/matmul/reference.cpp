// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/parallel_for.h>

#include <vector>

#include "ops/matmul/matmul.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::matmul {
namespace {

void multiply_row(std::span<const float> row, std::span<const float> in1, std::span<float> out) {
    // Sums in double leave the judged error to the device: the sum over K has no rounding worth
    // mention against fp32.
    std::vector<double> sums(out.size());
    // Columns are the inner loop: in1 is read in memory order and the loop has no sum across lanes,
    // so the compiler vectorises it.
    for (std::size_t k = 0; k < row.size(); ++k) {
        const double factor = row[k];
        const float* columns = in1.data() + k * out.size();
        for (std::size_t column = 0; column < out.size(); ++column) {
            sums[column] += factor * columns[column];
        }
    }
    for (std::size_t column = 0; column < out.size(); ++column) {
        out[column] = static_cast<float>(sums[column]);
    }
}

}  // namespace

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const HostTensor in0 = context.read("in0"_in);
    const HostTensor in1 = context.read("in1"_in);
    const std::size_t k = in0.shape.at(1);
    const std::size_t n = in1.shape.at(1);
    const std::vector<float> left = floats_of(in0);
    const std::vector<float> right = floats_of(in1);
    HostTensor out = make_host_tensor({in0.shape.at(0), in1.shape.at(1)}, DataFormat::Float32);
    const std::span<float> values = out.as<float>();
    oneapi::tbb::parallel_for(std::size_t{0}, std::size_t{in0.shape[0]}, [&](std::size_t row) {
        multiply_row(std::span(left).subspan(row * k, k), right, values.subspan(row * n, n));
    });
    return list_of(std::move(out));
}

}  // namespace tessera::ops::matmul
