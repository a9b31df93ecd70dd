// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/trace_taker.hpp"

#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "emu/base/seconds_since.hpp"
#include "tessera/errors.hpp"

namespace tessera::timed_run {
namespace {

/// Events of the launches that are timed side by side: 128 MB. In 48 of the 60 launches of
/// deepseek_v32_decode all devices do the same, so that each is one replay, on one host thread.
constexpr std::uint64_t kMostEventsBegun = 8'000'000;

}  // namespace

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
        run_thread_ = std::this_thread::get_id();
        modes.trace = TraceMode::On;
        modes.trace_sink = [this](const Trace& so_far, LaunchTrace&& launch) {
            take(so_far, std::move(launch));
        };
        modes.sink_calls = SinkCalls::BesideKernels;
    }
    return modes;
}

TraceTaker::Begun::Begun(const Trace& so_far, LaunchTrace&& taken)
    : names(so_far), launch(std::move(taken)) {
}

// An error of the run may end it before the launch is added.
TraceTaker::Begun::~Begun() {
    task.cancel();
    task.wait();
}

void TraceTaker::take(const Trace& so_far, LaunchTrace&& launch) {
    if (writer_) {
        writer_->append(so_far, launch);
    }
    if (timer_) {
        begin(so_far, std::move(launch));
    } else {
        keep(so_far, std::move(launch));
    }
}

void TraceTaker::begin(const Trace& so_far, LaunchTrace&& launch) {
    events_begun_ += num_events(launch);
    Begun& begun = begun_.emplace_back(so_far, std::move(launch));
    tasks_.execute([&] {
        begun.task.run([this, &begun] {
            try {
                begun.ahead = timer_->begin(begun.names, begun.launch);
            } catch (...) {
                begun.failure = std::current_exception();
            }
        });
    });
    // A session that calls on the run's own thread has one host thread, or explains an error of this
    // launch by the state of its kernels, which the next launch replaces.
    const bool is_beside_kernels = std::this_thread::get_id() != run_thread_;
    const std::uint64_t most = is_beside_kernels ? kMostEventsBegun : 0;
    while (events_begun_ > most) {
        add_first();
    }
}

void TraceTaker::add_first() {
    const auto start = std::chrono::steady_clock::now();
    Begun& first = begun_.front();
    tasks_.execute([&] { first.task.wait(); });
    if (first.failure) {
        std::rethrow_exception(first.failure);
    }
    timer_->add(first.names, first.launch, std::move(first.ahead));
    seconds_ += seconds_since(start);
    events_begun_ -= num_events(first.launch);
    keep(first.names, std::move(first.launch));
    begun_.pop_front();
}

void TraceTaker::keep(const Trace& so_far, LaunchTrace&& launch) {
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
    while (!begun_.empty()) {
        add_first();
    }
    return timer_ ? std::optional(timer_->finish()) : std::nullopt;
}

std::optional<report::TimingReport> TraceTaker::unfinished() {
    try {
        while (!begun_.empty()) {
            add_first();
        }
    } catch (const Error&) {
        // The error that ended the run is the one that is shown. The report ends before this launch.
    }
    return timer_ ? std::optional(timer_->finish()) : std::nullopt;
}

}  // namespace tessera::timed_run
