// SPDX-License-Identifier: Apache-2.0
#include "emu/core/stride_prefetcher.hpp"

#include "emu/base/round_up.hpp"

namespace tessera {

StridePrefetcher& StridePrefetcher::of_this_thread() {
    static thread_local StridePrefetcher prefetcher;
    return prefetcher;
}

void StridePrefetcher::note(const NocPort& port) {
    remember(port);
    learn_strides();
    predicted_.clear();
    next_ = 0;
    if (period_ != 0) {
        predict(1);
        predict(2);
    }
}

void StridePrefetcher::remember(const NocPort& port) {
    if (port_ != &port) {
        port_ = &port;
        for (Addresses& addresses : history_) {
            addresses.clear();
        }
    }
    newest_ = (newest_ + 1) % kHistory;
    history_[newest_].clear();
    for (const Transfer& transfer : port.in_flight) {
        if (!transfer.is_delivered && transfer.kind == TransferKind::Read &&
            transfer.size == kPageBytes) {
            history_[newest_].push_back(reinterpret_cast<std::uintptr_t>(transfer.source));
        }
    }
}

// Two equal strides of the first and the last read stand for all: a wrong guess loads a page in
// vain and no more.
bool StridePrefetcher::has_period(std::size_t period) const {
    const std::size_t count = past(0).size();
    if (count == 0 || past(period).size() != count || past(2 * period).size() != count) {
        return false;
    }
    const auto has_stride = [&](std::size_t i) {
        return past(0)[i] - past(period)[i] == past(period)[i] - past(2 * period)[i];
    };
    return has_stride(0) && has_stride(count - 1);
}

bool StridePrefetcher::keeps_strides() const {
    if (period_ == 0 || strides_.size() != past(0).size() || !has_period(period_)) {
        return false;
    }
    const auto keeps = [&](std::size_t i) { return past(0)[i] - past(period_)[i] == strides_[i]; };
    return keeps(0) && keeps(strides_.size() - 1);
}

void StridePrefetcher::learn_strides() {
    if (keeps_strides()) {
        return;  // within a loop: nothing to learn for most barriers
    }
    for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
        if (has_period(period)) {
            period_ = period;
            strides_.clear();
            for (std::size_t i = 0; i < past(0).size(); ++i) {
                strides_.push_back(past(0)[i] - past(period)[i]);
            }
            return;
        }
    }
}

void StridePrefetcher::predict(std::size_t barriers_ahead) {
    const std::uintptr_t num_periods = div_up(barriers_ahead, period_);
    const Addresses& last = past(num_periods * period_ - barriers_ahead);
    if (last.size() != strides_.size()) {
        return;
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
        predicted_.push_back(last[i] + num_periods * strides_[i]);
    }
}

}  // namespace tessera
