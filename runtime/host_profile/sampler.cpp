// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_profile/sampler.hpp"

#include <sys/time.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <ctime>

#include "emu/core/kernel_thread.hpp"
#include "tessera/errors.hpp"

namespace tessera::host_profile {
namespace {

/// Hosts round it up to their tick, so this is a quarter of an hour or more.
constexpr std::size_t kMostSamples = 1'000'000;
constexpr suseconds_t kMicrosecondsApart = 1000;

// A signal handler may neither allocate nor lock.
std::array<Sample, kMostSamples> g_samples;
std::atomic<std::size_t> g_num_samples{0};
std::atomic<bool> g_exists{false};

std::uint64_t program_counter(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uint64_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return machine.pc;
#else
#error "the program counter of this processor is not known here"
#endif
}

void take_sample(int /*signal*/, siginfo_t* /*info*/, void* context) {
    const std::size_t index = g_num_samples.fetch_add(1, std::memory_order_relaxed);
    if (index < kMostSamples) {
        g_samples[index] = {program_counter(context), current_thread_or_null() != nullptr};
    }
}

void set_timer(suseconds_t microseconds) {
    const itimerval timer{{0, microseconds}, {0, microseconds}};
    ensure(setitimer(ITIMER_PROF, &timer, nullptr) == 0, "setitimer of {} us", microseconds);
}

double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

Sampler::Sampler() {
    require(!g_exists.exchange(true), "the host is being profiled already");
    g_num_samples = 0;
    struct sigaction action {};
    action.sa_sigaction = take_sample;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    start_ = processor_seconds();
    set_timer(kMicrosecondsApart);
}

Sampler::~Sampler() {
    (void)stop();
    g_exists = false;
}

// The handler stays: a signal that is still on its way must find one.
Samples Sampler::stop() {
    if (!is_running_) {
        return {};
    }
    is_running_ = false;
    set_timer(0);
    const double seconds = processor_seconds() - start_;
    const std::size_t count = std::min(g_num_samples.load(), kMostSamples);
    const auto end = g_samples.begin() + static_cast<std::ptrdiff_t>(count);
    return {{g_samples.begin(), end}, count == 0 ? 0 : seconds / static_cast<double>(count)};
}

}  // namespace tessera::host_profile
