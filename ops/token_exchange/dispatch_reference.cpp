// SPDX-License-Identifier: Apache-2.0
// What a dispatch leaves, by plain loops over all ranks' tokens.
#include <algorithm>
#include <cstring>
#include <optional>

#include "ops/token_exchange/dispatch.hpp"
#include "tessera/errors.hpp"

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

// Every slot with an expert of every rank's tokens, in order, with its place in its bin.
std::vector<Walked> walk(const std::vector<HostTensor>& ids, std::uint32_t experts_per_rank,
                         Form form) {
    std::vector<Walked> walked;
    std::vector<std::uint32_t> counts;
    const std::uint32_t top_k = ids[0].shape[1];
    for (std::uint32_t rank = 0; rank < ids.size(); ++rank) {
        const auto values = ids[rank].as<std::int32_t>();
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            if (values[i] < 0) {
                continue;
            }
            const auto expert = static_cast<std::uint32_t>(values[i]);
            const std::uint32_t bin = form == Form::Rows ? expert / experts_per_rank : expert;
            counts.resize(std::max<std::size_t>(counts.size(), bin + 1));
            const auto earlier = place_of_earlier(walked, rank, i / top_k, bin);
            const bool is_again = form == Form::Rows && earlier;
            const std::uint32_t place = is_again ? *earlier : counts[bin]++;
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
    for (const Walked& w : walk(ids, experts_per_rank, form)) {
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

void check_ids(std::string_view op, const ReferenceContext& context, std::size_t operand,
               std::uint32_t experts) {
    for (const HostTensor& ids : context.read_all(operand)) {
        const auto values = ids.as<std::int32_t>();
        for (std::size_t i = 0; i < values.size(); ++i) {
            require(values[i] >= -1 && values[i] < static_cast<std::int64_t>(experts),
                    "{}: topk_ids[{},{}] is {}; it must be -1 or an expert, 0 to {}", op,
                    i / ids.shape[1], i % ids.shape[1], values[i], experts - 1);
        }
    }
}

}  // namespace tessera::ops::token_exchange
