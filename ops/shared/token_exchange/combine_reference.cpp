// SPDX-License-Identifier: Apache-2.0
// Sums of a combine as plain loops over the outputs of each device's experts.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "ops/shared/host_floats.hpp"
#include "ops/shared/token_exchange/combine.hpp"
#include "ops/shared/token_exchange/operands.hpp"

namespace tessera::ops::token_exchange {
namespace {

// The kernel's packer rounds to nearest even; ties are not left to the host's library.
std::uint16_t rounded_to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) {
        return static_cast<std::uint16_t>(bits >> 16U | 0x40U);
    }
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

// Rows for one device's tokens: by token and place (rank or slot), where they are.
struct Contribution {
    std::uint32_t rank;
    std::uint32_t row;
};
using Contributions = std::map<std::pair<std::uint32_t, std::uint32_t>, Contribution>;

void add_rows(const ReferenceContext& context, std::uint32_t rank, Contributions& found) {
    const HostTensor source = context.inputs[combine_input("source")].at(rank)->all();
    const HostTensor received = context.inputs[combine_input("num_received")].at(rank)->all();
    // Rows from the count on are stale.
    const std::uint32_t count = received.as<std::uint32_t>()[0];
    for (std::uint32_t row = 0; row < count; ++row) {
        const auto entry = source.as<std::uint32_t>().subspan(std::size_t{2} * row, 2);
        if (entry[0] == context.position) {
            found[{entry[1], rank}] = {rank, row};
        }
    }
}

void add_batches(const ReferenceContext& context, std::uint32_t rank, Contributions& found) {
    const HostTensor source = context.inputs[combine_input("source")].at(rank)->all();
    const HostTensor received = context.inputs[combine_input("num_received")].at(rank)->all();
    const Shape& slots = context.in(combine_input("slots")).shape();
    // Entries of batches number the slots of all ranks: rank, then token, then slot.
    const std::uint32_t of_a_rank = slots[0] * slots[1];
    for (std::uint32_t batch = 0; batch < received.shape[0]; ++batch) {
        for (std::uint32_t i = 0; i < received.as<std::uint32_t>()[batch]; ++i) {
            const std::uint32_t row = batch * source.shape[1] + i;
            const std::uint32_t entry = source.as<std::uint32_t>()[row];
            if (entry / of_a_rank == context.position) {
                const std::uint32_t slot = entry % of_a_rank;
                found[{slot / slots[1], slot % slots[1]}] = {rank, row};
            }
        }
    }
}

Contributions contributions_of(const ReferenceContext& context, Form form) {
    Contributions found;
    // All ranks: any of them may have computed a token of this one.
    for (std::uint32_t rank = 0; rank < context.inputs[combine_input("rows")].size(); ++rank) {
        form == Form::Rows ? add_rows(context, rank, found) : add_batches(context, rank, found);
    }
    return found;
}

std::vector<float> weights_of(const ReferenceContext& context, Form form) {
    if (form == Form::Rows || !context.has(kTopkWeights)) {
        return {};
    }
    const HostTensor tensor = context.read(kTopkWeights);
    std::vector<float> weights(num_elements(tensor.shape));
    read_floats(tensor, 0, weights);
    return weights;
}

}  // namespace

std::vector<HostTensor> combine_reference(const ReferenceContext& context, Form form) {
    const Contributions found = contributions_of(context, form);
    const auto rows = context.read_all(combine_input("rows"));
    const std::vector<float> weights = weights_of(context, form);
    const Shape& shape = context.outputs[kFirst].spec.shape;
    const std::uint32_t top_k = context.in(combine_input("slots")).shape()[1];
    std::vector<float> sums(num_elements(shape));
    std::vector<float> row(shape[1]);
    std::vector<bool> has_sum(shape[0]);
    // Terms in the order of the kernel, which rounds each sum to fp32.
    for (const auto& [place, from] : found) {  // by token, then by rank or slot
        const auto [token, index] = place;
        read_floats(rows[from.rank], std::uint64_t{from.row} * shape[1], row);
        for (std::uint32_t i = 0; i < shape[1]; ++i) {
            const float term = weights.empty() ? row[i] : row[i] * weights[token * top_k + index];
            float& sum = sums[std::size_t{token} * shape[1] + i];
            // The first term is no sum, so that it is not added to 0: that would change -0.
            sum = has_sum[token] ? sum + term : term;
        }
        has_sum[token] = true;
    }
    HostTensor output = make_host_tensor(shape, DataFormat::Float16_b);
    std::ranges::transform(sums, output.as<std::uint16_t>().begin(), rounded_to_bf16);
    return list_of(std::move(output));
}

std::vector<HostTensor> slots_reference(const ReferenceContext& context) {
    const auto rows = context.read_all(combine_input("rows"));
    const Shape& shape = context.outputs[kFirst].spec.shape;
    const std::size_t row_bytes = std::size_t{2} * shape[2];
    HostTensor output = make_host_tensor(shape, DataFormat::Float16_b);
    for (const auto& [place, from] : contributions_of(context, Form::Batches)) {
        const std::size_t to = std::size_t{place.first} * shape[1] + place.second;
        std::memcpy(output.bytes.data() + to * row_bytes,
                    rows[from.rank].bytes.data() + from.row * row_bytes, row_bytes);
    }
    return list_of(std::move(output));
}

}  // namespace tessera::ops::token_exchange
