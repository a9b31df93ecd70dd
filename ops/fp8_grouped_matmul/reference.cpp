// SPDX-License-Identifier: Apache-2.0
#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

#include "ops/fp8_grouped_matmul/fp8_grouped_matmul.hpp"

namespace tessera::ops::fp8_grouped_matmul {
namespace {

using fp8::Cta;
using fp8::kBlock;

/// One block of weights as numbers, with k as the outer index, so the sums of its columns are
/// contiguous.
using Panel = std::vector<float>;

void read_panel(const HostTensor& weights, std::size_t n_block, std::size_t k_block, Panel& panel) {
    const std::size_t inner = weights.shape.back();
    const auto codes = weights.as<std::uint8_t>();
    for (std::size_t n = 0; n < kBlock; ++n) {
        const std::size_t first = (n_block * kBlock + n) * inner + k_block * kBlock;
        for (std::size_t k = 0; k < kBlock; ++k) {
            panel[k * kBlock + n] = fp8::value_of(codes[first + k]);
        }
    }
}

/// Adds a block's products. A product of two codes is exact in float, so fusing it with the sum
/// gives the same bytes on any host.
void add_block(const float* row, const float* panel, float scale, float* sums) {
    float partial[kBlock] = {};
    for (std::size_t k = 0; k < kBlock; ++k) {
        const float factor = row[k];
        for (std::size_t n = 0; n < kBlock; ++n) {
            partial[n] += factor * panel[k * kBlock + n];
        }
    }
    // The block's sum is scaled by itself, as in the kernel: scales differ from block to block.
    for (std::size_t n = 0; n < kBlock; ++n) {
        const float scaled = partial[n] * scale;
        sums[n] += scaled;
    }
}

/// The rows of one expert as numbers, with the source and destination of each.
struct ExpertRows {
    std::vector<std::size_t> sources;
    std::vector<std::size_t> places;
    std::vector<float> values;
};

class Reference {
public:
    explicit Reference(const ReferenceContext& context)
        : context_(context),
          activations_(context.read("activations"_in)),
          row_scales_(context.read("activation_scale"_in)),
          weight_scales_(context.read("weight_scale"_in)),
          batch_(context.read("cta_idx_xy_to_batch_idx"_in)),
          limits_(context.read("cta_idx_xy_to_mn_limit"_in)),
          live_(context.read("num_non_exiting_ctas"_in)),
          tokens_(context.has("permuted_idx_to_token_idx"_in)
                      ? context.read("permuted_idx_to_token_idx"_in)
                      : HostTensor{}) {}

    Product run() {
        const auto& spec = context_.params<GroupedMatmulSpec>();
        const Shape& shape = context_.outputs["output"_out].spec.shape;
        const bool quantises = spec.output == DataFormat::Fp8_e4m3;
        Product product{
            make_host_tensor(shape, quantises ? DataFormat::Fp8_e4m3 : DataFormat::Float32),
            quantises ? make_host_tensor({shape[1] / kBlock, shape[0]}, DataFormat::Float32)
                      : HostTensor{}};
        const auto ctas = fp8::ctas_of(batch_.as<std::int32_t>(), limits_.as<std::int32_t>(),
                                       live_.as<std::int32_t>()[0], spec.tile);
        const std::uint32_t experts = context_.in("weights"_in).shape()[0];
        // Experts are independent: each has its own weights and rows.
        tbb::parallel_for(0U, experts, [&](std::uint32_t expert) {
            const ExpertRows rows = rows_of(ctas, expert);
            if (!rows.places.empty()) {
                multiply(expert, rows, product);
            }
        });
        return product;
    }

private:
    [[nodiscard]] std::size_t inner() const { return activations_.shape[1]; }

    [[nodiscard]] ExpertRows rows_of(std::span<const Cta> ctas, std::uint32_t expert) const {
        ExpertRows rows;
        for (const Cta& cta : ctas) {
            for (std::uint32_t i = 0; cta.expert == expert && i < cta.num_rows; ++i) {
                const std::size_t place = std::size_t{cta.first_row} + i;
                const std::size_t source =
                    tokens_.bytes.empty()
                        ? place
                        : static_cast<std::size_t>(tokens_.as<std::int32_t>()[place]);
                rows.places.push_back(place);
                rows.sources.push_back(source);
                const auto codes =
                    activations_.as<std::uint8_t>().subspan(source * inner(), inner());
                std::ranges::transform(codes, std::back_inserter(rows.values), fp8::value_of);
            }
        }
        return rows;
    }

    void multiply(std::uint32_t expert, const ExpertRows& rows, Product& product) const {
        const Shape& shape = context_.in("weights"_in).shape();
        const HostTensor weights = context_.in("weights"_in).first_rows(expert, shape[1]);
        // Blocks of columns share nothing but the rows.
        tbb::parallel_for(std::size_t{0}, std::size_t{shape[1] / kBlock}, [&](std::size_t n) {
            std::vector<float> sums(rows.places.size() * kBlock);
            Panel panel(std::size_t{kBlock} * kBlock);
            for (std::size_t k = 0; k < inner() / kBlock; ++k) {
                // A panel is decoded once for all rows of the expert.
                read_panel(weights, n, k, panel);
                const float scale = weight_scale(expert, n, k);
                for (std::size_t r = 0; r < rows.places.size(); ++r) {
                    add_block(rows.values.data() + r * inner() + k * kBlock, panel.data(),
                              row_scale(rows.sources[r], k) * scale, sums.data() + r * kBlock);
                }
            }
            for (std::size_t r = 0; r < rows.places.size(); ++r) {
                store(std::span(sums).subspan(r * kBlock, kBlock), rows.places[r], n, product);
            }
        });
    }

    [[nodiscard]] float weight_scale(std::size_t expert, std::size_t n, std::size_t k) const {
        const Shape& shape = weight_scales_.shape;
        return weight_scales_.as<float>()[(expert * shape[1] + n) * shape[2] + k];
    }
    [[nodiscard]] float row_scale(std::size_t row, std::size_t k) const {
        return row_scales_.as<float>()[k * row_scales_.shape[1] + row];
    }

    static void store(std::span<const float> sums, std::size_t row, std::size_t n_block,
                      Product& product) {
        const std::size_t first = row * product.output.shape[1] + n_block * kBlock;
        if (product.scale.bytes.empty()) {
            std::ranges::copy(sums, product.output.as<float>().subspan(first, kBlock).begin());
            return;
        }
        // The epilogue's rule is an assumption (largest / 448): the published kernel is a binary.
        product.scale.as<float>()[n_block * product.scale.shape[1] + row] = fp8::quantise(
            sums, ScaleRule::Trtllm, product.output.as<std::uint8_t>().subspan(first, kBlock));
    }

    const ReferenceContext& context_;
    HostTensor activations_;
    HostTensor row_scales_;
    HostTensor weight_scales_;
    HostTensor batch_;
    HostTensor limits_;
    HostTensor live_;
    HostTensor tokens_;
};

}  // namespace

Product reference(const ReferenceContext& context) {
    return Reference(context).run();
}

}  // namespace tessera::ops::fp8_grouped_matmul
