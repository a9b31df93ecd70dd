// SPDX-License-Identifier: Apache-2.0
// What a dispatch leaves, by plain loops over all ranks' tokens.
#include <algorithm>
#include <cstring>
#include <optional>

#include "ops/token_exchange/dispatch.hpp"

namespace tessera::ops::token_exchange {
namespace {

struct Walked {
    std::uint32_t rank;
    std::uint32_t token;
    std::uint32_t slot;
    std::uint32_t expert;
    std::uint32_t bin;
    std::uint32_t place;  ///< in the bin
};

// Of an earlier slot of the same token with the same bin.
std::optional<std::uint32_t> place_of_earlier(const std::vector<Walked>& walked, std::uint32_t rank,
                                              std::uint32_t token, std::uint32_t bin) {
    for (auto it = walked.rbegin(); it != walked.rend() && it->rank == rank && it->token == token;
         ++it) {
        if (it->bin == bin) {
            return it->place;
        }
    }
    return std::nullopt;
}

constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

// Every slot with an expert of every rank's tokens, in order, with its place in its bin. A rank has
// at most `pair_rows` in a bin; others have no place.
std::vector<Walked> walk(const std::vector<HostTensor>& ids, std::uint32_t experts_per_rank,
                         Form form, std::uint32_t pair_rows) {
    std::vector<Walked> walked;
    std::vector<std::uint32_t> counts;
    const std::uint32_t top_k = ids[0].shape[1];
    for (std::uint32_t rank = 0; rank < ids.size(); ++rank) {
        const auto values = ids[rank].as<std::int32_t>();
        std::vector<std::uint32_t> of_rank(counts.size());
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            if (values[i] < 0) {
                continue;
            }
            const auto expert = static_cast<std::uint32_t>(values[i]);
            const std::uint32_t bin = form == Form::Rows ? expert / experts_per_rank : expert;
            counts.resize(std::max<std::size_t>(counts.size(), bin + 1));
            of_rank.resize(counts.size());
            const auto earlier = place_of_earlier(walked, rank, i / top_k, bin);
            const bool is_again = form == Form::Rows && earlier;
            const std::uint32_t place = is_again                     ? *earlier
                                        : of_rank[bin]++ < pair_rows ? counts[bin]++
                                                                     : kNowhere;
            walked.push_back({rank, i / top_k, i % top_k, expert, bin, place});
        }
    }
    return walked;
}

// Row `from` of one tensor to row `to` of another.
void copy_row(const HostTensor& source, std::uint32_t from, HostTensor& target, std::size_t to) {
    const std::size_t bytes = source.bytes.size() / source.shape[0];
    std::memcpy(target.bytes.data() + to * bytes, source.bytes.data() + from * bytes, bytes);
}

std::vector<HostTensor> empty_outputs(const ReferenceContext& context) {
    std::vector<HostTensor> outputs;
    for (const TensorPlan& plan : context.outputs) {
        outputs.push_back(make_host_tensor(plan.spec.shape, plan.spec.format));
    }
    return outputs;
}

}  // namespace

std::vector<HostTensor> dispatch_reference(const ReferenceContext& context, Form form) {
    const bool is_rows = form == Form::Rows;
    const auto tokens = context.read_all(0);
    const auto ids = context.read_all(1);
    const auto weights = context.read_all(2);
    const auto scales = context.inputs.size() > 3 ? context.read_all(3) : std::vector<HostTensor>();
    const std::uint32_t experts_per_rank =
        context.params<DispatchSpec>().experts / static_cast<std::uint32_t>(tokens.size());
    std::vector<HostTensor> out = empty_outputs(context);
    HostTensor& source = out[is_rows ? 3 : 1];
    HostTensor& num_received = out[is_rows ? 4 : 2];
    HostTensor& slots = out[is_rows ? 5 : 3];
    const std::uint32_t most = out[0].shape[is_rows ? 0 : 1];
    std::ranges::fill(slots.as<std::int32_t>(), -1);
    if (is_rows) {
        std::ranges::fill(out[1].as<std::int32_t>(), -1);
    }
    const std::uint32_t top_k = ids[0].shape[1];
    const bool is_one_phase = context.params<DispatchSpec>().phases == Phases::One;
    const std::uint32_t pair_rows =
        is_one_phase ? most / static_cast<std::uint32_t>(tokens.size()) : kNowhere;
    for (const Walked& w : walk(ids, experts_per_rank, form, pair_rows)) {
        if (w.place >= most) {
            continue;
        }
        const std::uint32_t batch = is_rows ? 0 : w.expert % experts_per_rank;
        const std::uint32_t row = batch * most + w.place;
        if (w.rank == context.position) {
            slots.as<std::int32_t>()[w.token * top_k + w.slot] = static_cast<std::int32_t>(row);
        }
        if (w.expert / experts_per_rank != context.position) {
            continue;
        }
        copy_row(tokens[w.rank], w.token, out[0], row);
        if (!scales.empty()) {
            copy_row(scales[w.rank], w.token, out.back(), row);
        }
        auto& count = num_received.as<std::uint32_t>()[batch];
        count = std::max(count, w.place + 1);
        if (!is_rows) {
            source.as<std::uint32_t>()[row] =
                (w.rank * tokens[0].shape[0] + w.token) * top_k + w.slot;
            continue;
        }
        source.as<std::uint32_t>()[2 * row] = w.rank;
        source.as<std::uint32_t>()[2 * row + 1] = w.token;
        out[1].as<std::int32_t>()[row * top_k + w.slot] = static_cast<std::int32_t>(w.expert);
        const std::size_t width = element_bytes(weights[0].format);
        std::memcpy(out[2].bytes.data() + (row * top_k + w.slot) * width,
                    weights[w.rank].bytes.data() + (w.token * top_k + w.slot) * width, width);
    }
    return out;
}

}  // namespace tessera::ops::token_exchange
