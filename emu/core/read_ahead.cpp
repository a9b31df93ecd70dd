// SPDX-License-Identifier: Apache-2.0
#include "emu/core/read_ahead.hpp"

namespace tessera {

ReadAhead& ReadAhead::of_this_thread() {
    static thread_local ReadAhead read_ahead;
    return read_ahead;
}

void ReadAhead::note(const NocPort& port) {
    remember(port);
    learn_steps();
    foretold_.clear();
    next_ = 0;
    if (period_ != 0) {
        foretell(1);
        foretell(2);
    }
}

void ReadAhead::remember(const NocPort& port) {
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

// Two equal steps of the first and the last read stand for all.
bool ReadAhead::has_period(std::size_t period) const {
    const std::size_t count = past(0).size();
    if (count == 0 || past(period).size() != count || past(2 * period).size() != count) {
        return false;
    }
    const auto has_step = [&](std::size_t i) {
        return past(0)[i] - past(period)[i] == past(period)[i] - past(2 * period)[i];
    };
    return has_step(0) && has_step(count - 1);
}

bool ReadAhead::keeps_steps() const {
    if (period_ == 0 || steps_.size() != past(0).size() || !has_period(period_)) {
        return false;
    }
    const auto keeps = [&](std::size_t i) { return past(0)[i] - past(period_)[i] == steps_[i]; };
    return keeps(0) && keeps(steps_.size() - 1);
}

void ReadAhead::learn_steps() {
    if (keeps_steps()) {
        return;
    }
    for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
        if (has_period(period)) {
            period_ = period;
            steps_.clear();
            for (std::size_t i = 0; i < past(0).size(); ++i) {
                steps_.push_back(past(0)[i] - past(period)[i]);
            }
            return;
        }
    }
}

void ReadAhead::foretell(std::size_t barriers_ahead) {
    const std::uintptr_t num_steps = (barriers_ahead + period_ - 1) / period_;
    const Addresses& last = past(num_steps * period_ - barriers_ahead);
    if (last.size() != steps_.size()) {
        return;
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
        foretold_.push_back(last[i] + num_steps * steps_[i]);
    }
}

}  // namespace tessera
