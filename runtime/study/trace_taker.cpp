// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/trace_taker.hpp"

#include <chrono>
#include <utility>

#include "emu/base/seconds_since.hpp"

namespace tessera::timed_run {

TraceTaker::TraceTaker(std::optional<RunTimer> timer,
                       const std::optional<std::filesystem::path>& file, Keeping keeping)
    : timer_(std::move(timer)), keeping_(keeping) {
    if (file) {
        writer_.emplace(*file);
    }
}

pipeline::RunModes TraceTaker::modes(pipeline::RunModes modes) {
    // A run that is neither timed nor written records no trace.
    if (timer_ || writer_) {
        modes.trace = TraceMode::On;
        modes.trace_sink = [this](const Trace& so_far, LaunchTrace&& launch) {
            take(so_far, std::move(launch));
        };
        modes.sink_calls = SinkCalls::BesideKernels;
    }
    return modes;
}

void TraceTaker::take(const Trace& so_far, LaunchTrace&& launch) {
    if (writer_) {
        writer_->append(so_far, launch);
    }
    if (timer_) {
        const auto start = std::chrono::steady_clock::now();
        timer_->add(so_far, launch);
        seconds_ += seconds_since(start);
    }
    // Last, because it moves the launch.
    if (keeping_ == Keeping::Trace) {
        trace_.arch = so_far.arch;
        trace_.mesh = so_far.mesh;
        trace_.names = so_far.names;  // all names that launches so far refer to
        trace_.launches.push_back(std::move(launch));
    }
}

std::optional<report::TimingReport> TraceTaker::finish() {
    if (writer_) {
        writer_->finish();
    }
    return timer_ ? std::optional(timer_->finish()) : std::nullopt;
}

std::optional<report::TimingReport> TraceTaker::unfinished() {
    return timer_ ? std::optional(timer_->finish()) : std::nullopt;
}

}  // namespace tessera::timed_run
