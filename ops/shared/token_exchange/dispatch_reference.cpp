// SPDX-License-Identifier: Apache-2.0
// Outputs of a dispatch as plain loops over all ranks' tokens.
#include <algorithm>
#include <cstring>
#include <optional>

#include "ops/shared/token_exchange/operands.hpp"

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

// Returns the place of an earlier slot of the same token with the same bin.
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

// Returns every slot with an expert of every rank's tokens, in order, with its place in its bin. A
// rank has at most `pair_rows` in a bin; others have no place.
std::vector<Walked> walk(const std::vector<HostTensor>& ids, std::uint32_t experts_per_rank,
                         Form form, std::uint32_t pair_rows) {
    std::vector<Walked> walked;
    std::vector<std::uint32_t> counts;
    const std::uint32_t top_k = ids[0].shape[1];
    for (std::uint32_t rank = 0; rank < ids.size(); ++rank) {
        const auto values = ids[rank].as<std::int32_t>();
        std::vector<std::uint32_t> of_rank(counts.size());
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            // A slot may name no expert; it goes nowhere.
            if (values[i] < 0) {
                continue;
            }
            const auto expert = static_cast<std::uint32_t>(values[i]);
            // Rows have a bin for each rank, batches one for each expert.
            const std::uint32_t bin = form == Form::Rows ? expert / experts_per_rank : expert;
            counts.resize(std::max<std::size_t>(counts.size(), bin + 1));
            of_rank.resize(counts.size());
            const auto earlier = place_of_earlier(walked, rank, i / top_k, bin);
            // A token goes to a rank once, whatever number of its experts are there.
            const bool is_again = form == Form::Rows && earlier;
            const std::uint32_t place = is_again                     ? *earlier
                                        : of_rank[bin]++ < pair_rows ? counts[bin]++
                                                                     : kNowhere;
            walked.push_back({rank, i / top_k, i % top_k, expert, bin, place});
        }
    }
    return walked;
}

// Copies row `from` of one tensor to row `to` of another.
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

/// The outputs of one rank, filled slot by slot.
class Dispatched {
public:
    Dispatched(const ReferenceContext& context, Form form)
        : context_(context),
          is_rows_(form == Form::Rows),
          places_(places_of(form)),
          tokens_(context.read_all(kTokens)),
          ids_(context.read_all(kIds)),
          weights_(context.read_all(kWeights)),
          out_(empty_outputs(context)) {
        if (context.inputs.size() > kScales) {
            scales_ = context.read_all(kScales);
        }
        // Slots and ids that nothing is written to are -1 in the kernels, too.
        std::ranges::fill(slots().as<std::int32_t>(), -1);
        if (is_rows_) {
            std::ranges::fill(out_[places_.ids].as<std::int32_t>(), -1);
        }
    }

    [[nodiscard]] std::vector<Walked> slots_of_all() const {
        const auto& spec = context_.params<DispatchSpec>();
        const std::uint32_t pair_rows =
            spec.phases == Phases::One ? most() / num_ranks() : kNowhere;
        return walk(ids_, experts_per_rank(), is_rows_ ? Form::Rows : Form::Batches, pair_rows);
    }

    void note(const Walked& walked) {
        // Rows beyond the room are dropped; senders count them alike.
        if (walked.place >= most()) {
            return;
        }
        const std::uint32_t batch = is_rows_ ? 0 : walked.expert % experts_per_rank();
        const std::uint32_t row = batch * most() + walked.place;
        if (walked.rank == context_.position) {
            slots().as<std::int32_t>()[walked.token * top_k() + walked.slot] =
                static_cast<std::int32_t>(row);
        }
        if (walked.expert / experts_per_rank() == context_.position) {
            receive(walked, batch, row);
        }
    }

    [[nodiscard]] std::vector<HostTensor> take() { return std::move(out_); }

private:
    void receive(const Walked& walked, std::uint32_t batch, std::uint32_t row) {
        copy_row(tokens_[walked.rank], walked.token, out_[places_.received], row);
        if (!scales_.empty()) {
            copy_row(scales_[walked.rank], walked.token, out_[places_.scales], row);
        }
        auto& count = out_[places_.num_received].as<std::uint32_t>()[batch];
        // Slots come in the order of the walk, but a place may be shared by several of them.
        count = std::max(count, walked.place + 1);
        const auto source = out_[places_.source].as<std::uint32_t>();
        if (is_rows_) {
            source[2 * row] = walked.rank;
            source[2 * row + 1] = walked.token;
            receive_choice(walked, row);
        } else {
            source[row] =
                (walked.rank * tokens_[0].shape[0] + walked.token) * top_k() + walked.slot;
        }
    }

    // Stores the expert and its weight.
    void receive_choice(const Walked& walked, std::uint32_t row) {
        out_[places_.ids].as<std::int32_t>()[row * top_k() + walked.slot] =
            static_cast<std::int32_t>(walked.expert);
        const std::size_t width = element_bytes(weights_[0].format);
        std::memcpy(
            out_[places_.weights].bytes.data() + (row * top_k() + walked.slot) * width,
            weights_[walked.rank].bytes.data() + (walked.token * top_k() + walked.slot) * width,
            width);
    }

    [[nodiscard]] HostTensor& slots() { return out_[places_.slots]; }
    [[nodiscard]] std::uint32_t num_ranks() const {
        return static_cast<std::uint32_t>(tokens_.size());
    }
    [[nodiscard]] std::uint32_t experts_per_rank() const {
        return context_.params<DispatchSpec>().experts / num_ranks();
    }
    /// Returns the most rows of a batch, or of all.
    [[nodiscard]] std::uint32_t most() const {
        return out_[places_.received].shape[is_rows_ ? 0 : 1];
    }
    [[nodiscard]] std::uint32_t top_k() const { return ids_[0].shape[1]; }

    const ReferenceContext& context_;
    bool is_rows_;
    OutputPlaces places_;
    std::vector<HostTensor> tokens_;
    std::vector<HostTensor> ids_;
    std::vector<HostTensor> weights_;
    std::vector<HostTensor> scales_;
    std::vector<HostTensor> out_;
};

}  // namespace

std::vector<HostTensor> dispatch_reference(const ReferenceContext& context, Form form) {
    Dispatched dispatched(context, form);
    for (const Walked& walked : dispatched.slots_of_all()) {
        dispatched.note(walked);
    }
    return dispatched.take();
}

}  // namespace tessera::ops::token_exchange
