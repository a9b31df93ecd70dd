// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/deadlock_cause.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "runtime/scheduler/wait_partners.hpp"

namespace tessera {
namespace {

/// Kinds of causes, the most specific first.
enum class Kind : std::uint8_t {
    Overshot,       ///< a word has passed the awaited value
    Finished,       ///< the partner has finished
    Cycle,          ///< each thread waits for the next
    Poll,           ///< polls a word of L1 whose writer is unknown
    ProbableCycle,  ///< a cycle, if the assumed partners are the real ones
    TooLow,         ///< threads have added to the semaphore, but not enough
    UserFinished,   ///< no thread has used the CB, and a kernel of its core has finished
    Semaphore,      ///< no thread has set the semaphore
    NeverUsed,      ///< no thread has used the CB, and its possible users are blocked
    Mux,            ///< a mux still serves, as it must while others are blocked
};

struct Cause {
    Kind kind{};
    const KernelThread* thread = nullptr;
    std::string text;
};

/// Sequence of threads in which each one waits for the next.
using Path = std::vector<const KernelThread*>;

const CircularBuffer& buffer_of(const KernelThread& thread) {
    return thread.core().circular_buffers[thread.wait.object];
}

std::string place_of(const Core& core) {
    return fmt::format("device {} core {}", core.device().id(), to_string(core.logical()));
}

std::string name_of(const KernelThread& thread) {
    return fmt::format("{} {}", place_of(thread.core()), role_of(thread.processor()));
}

std::string site_of(const KernelThread& thread) {
    return fmt::format("{}:{}", thread.last_call.file, thread.last_call.line);
}

const char* call_of(WaitKind kind) {
    return kind == WaitKind::SemaphoreEquals ? "noc_semaphore_wait" : "noc_semaphore_wait_min";
}

std::string awaited_word(const KernelThread& thread) {
    return name_of_word(thread.core(), thread.wait.object);
}

std::string edge_text(const KernelThread& thread, const KernelThread& next, bool names_core) {
    const std::string object =
        waits_for_cb(thread)
            ? fmt::format("{} of cb {}", thread.wait.kind == WaitKind::CbData ? "pages" : "space",
                          thread.wait.object)
            : awaited_word(thread);
    const auto name = [&](const KernelThread& of) {
        return names_core ? name_of(of) : std::string(role_of(of.processor()));
    };
    return fmt::format("{} waits for {} from {}", name(thread), object, name(next));
}

/// Returns the extent of a set of threads: "core (0,0)", "3 cores", "4 devices".
std::string extent_text(std::span<const KernelThread* const> threads) {
    std::set<std::uint32_t> devices;
    std::set<const Core*> cores;
    for (const KernelThread* thread : threads) {
        devices.insert(thread->activity.device);
        cores.insert(&thread->core());
    }
    if (cores.size() == 1) {
        return place_of(**cores.begin());
    }
    return devices.size() > 1 ? fmt::format("{} devices", devices.size())
                              : fmt::format("{} cores", cores.size());
}

bool is_on_one_core(std::span<const KernelThread* const> threads) {
    return std::ranges::all_of(threads, [&](const KernelThread* thread) {
        return &thread->core() == &threads.front()->core();
    });
}

bool has_compute(const Core& core) {
    return core.threads[static_cast<std::size_t>(Processor::Compute)] != nullptr;
}

Cause cycle(const Path& path, Path::const_iterator begin, bool is_certain) {
    constexpr std::size_t kMostEdges = 4;  // a ring of 64 cores repeats itself
    const std::span threads(begin, path.end());
    const bool is_local = is_on_one_core(threads);
    std::vector<std::string> edges;
    std::string advice;
    for (std::size_t i = 0; i < threads.size(); ++i) {
        const KernelThread& thread = *threads[i];
        if (edges.size() < kMostEdges) {
            edges.push_back(edge_text(thread, *threads[(i + 1) % threads.size()], !is_local));
        }
        // One full CB is enough to open the cycle, so only the first gives advice.
        if (thread.wait.kind == WaitKind::CbSpace && advice.empty()) {
            advice = fmt::format("; with more than {} pages in cb {} {} would advance",
                                 buffer_of(thread).num_pages, thread.wait.object,
                                 role_of(thread.processor()));
        }
    }
    // Reader and writer wait for each other in the same way if what is between them is missing.
    if (!is_certain && is_local && !has_compute(threads.front()->core())) {
        advice += "; or a compute kernel is missing: this core has none";
    }
    const char* more = threads.size() > kMostEdges ? ", …" : "";
    return {is_certain ? Kind::Cycle : Kind::ProbableCycle, threads.front(),
            fmt::format("{}a {} {}: {}{}{}", is_certain ? "" : "probably ",
                        is_local ? "cycle on" : "ring of", extent_text(threads),
                        fmt::join(edges, ", "), more, advice)};
}

Cause finished(const KernelThread& thread, const KernelThread& partner) {
    const bool is_data = thread.wait.kind == WaitKind::CbData;
    const CircularBuffer& buffer = buffer_of(thread);
    return {Kind::Finished, &thread,
            fmt::format("the {} of cb {}, {} {}, has finished after {} pages in all",
                        is_data ? "producer" : "consumer", thread.wait.object,
                        role_of(partner.processor()), partner.kernel,
                        is_data ? buffer.pages_received : buffer.pages_acked)};
}

std::string finished_threads(const Core& core) {
    std::vector<std::string> names;
    for (const auto& other : core.threads) {
        if (other && other->is_finished) {
            names.push_back(fmt::format("{} {}", role_of(other->processor()), other->kernel));
        }
    }
    return fmt::format("{}", fmt::join(names, " and "));
}

Cause never_used(const KernelThread& thread) {
    const std::string left = finished_threads(thread.core());
    return {left.empty() ? Kind::NeverUsed : Kind::UserFinished, &thread,
            fmt::format("no thread has {} cb {} on {}{}{}{}",
                        thread.wait.kind == WaitKind::CbData ? "pushed to" : "popped from",
                        thread.wait.object, name_of(thread), left.empty() ? "" : "; ", left,
                        left.empty() ? "" : " finished without")};
}

Cause overshot(const KernelThread& thread, std::uint32_t value) {
    return {Kind::Overshot, &thread,
            fmt::format("{} of {} has passed the value {} (it is {}), and noc_semaphore_wait "
                        "tests equality",
                        awaited_word(thread), name_of(thread), thread.wait.need, value)};
}

Cause too_low(const KernelThread& thread, std::uint32_t value) {
    return {Kind::TooLow, &thread,
            fmt::format("{} of {} stays at {} and {} needs {}: no thread that can still run would "
                        "add to it",
                        awaited_word(thread), name_of(thread), value, call_of(thread.wait.kind),
                        thread.wait.need)};
}

Cause unset(const KernelThread& thread) {
    return {Kind::Semaphore, &thread,
            fmt::format("no thread that can still run would set {} of {} to {}",
                        awaited_word(thread), name_of(thread), thread.wait.need)};
}

bool has_overshot(const KernelThread& thread) {
    return thread.wait.kind == WaitKind::SemaphoreEquals &&
           load_local_word(thread, thread.wait.object) > thread.wait.need;
}

// A mux serves until a worker ends it. Its wait is a cause only if no other thread is blocked.
Cause of_mux(const KernelThread& thread) {
    return {Kind::Mux, &thread,
            fmt::format("the mux on {}, {}, still serves: no worker has called "
                        "fabric_endpoint_terminate for it",
                        place_of(thread.core()), thread.kernel)};
}

// States whether the loop can end by itself.
std::string cause_of_loop(const KernelThread& thread) {
    const std::string name = name_of(thread);
    switch (thread.idling) {
        case Idling::Asks:
            return fmt::format("{} waits for something that no remaining thread would provide",
                               name);
        case Idling::Polls:
            return fmt::format("{} polls memory for a value that no remaining thread will write",
                               name);
        case Idling::Computes:
            return fmt::format(
                "{} has run more than {} iterations of this loop while no other thread advances, "
                "{} times machine.progress_limit; raise that limit if the loop ends",
                name, kComputedRoundsPerPoll * thread.progress_limit, kComputedRoundsPerPoll);
    }
    return "?";
}

Cause of_poll(const KernelThread& thread) {
    if (thread.awaited_mux == nullptr) {
        return {Kind::Poll, &thread, cause_of_loop(thread)};
    }
    const std::string left = finished_threads(*thread.awaited_mux);
    return {Kind::Finished, &thread,
            fmt::format("the mux on {} does not serve {}{}", place_of(*thread.awaited_mux),
                        name_of(thread),
                        left.empty() ? "" : ": " + left + " has ended before it connects")};
}

// An overshot word comes first: it is certain, and no later add can repair it.
Cause of_semaphore(const KernelThread& thread) {
    const std::uint32_t value = load_local_word(thread, thread.wait.object);
    if (has_overshot(thread)) {
        return overshot(thread, value);
    }
    if (thread.core().mux.is_serving) {
        return of_mux(thread);
    }
    return value == 0 ? unset(thread) : too_low(thread, value);
}

/// Follows waits until they close a cycle or end at a thread that has finished.
class Follower {
public:
    explicit Follower(std::map<Word, Threads> setters) : setters_(std::move(setters)) {}

    [[nodiscard]] Cause follow(const KernelThread& first, Path path, bool is_certain) {
        const KernelThread* thread = &first;
        for (const KernelThread* next = thread; next != nullptr; next = next_of(*thread)) {
            thread = next;
            const auto seen = std::ranges::find(path, thread);
            if (seen != path.end()) {
                in_cycle_.insert(seen, path.end());
                return cycle(path, seen, is_certain);
            }
            path.push_back(thread);
        }
        return end_of(*thread, path);
    }

    /// Returns whether a cycle that was found contains the thread.
    [[nodiscard]] bool is_in_cycle(const KernelThread& thread) const {
        return in_cycle_.contains(&thread);
    }

private:
    /// Returns the blocked thread for which this one certainly waits; null if it is unknown.
    [[nodiscard]] const KernelThread* next_of(const KernelThread& thread) const {
        const KernelThread* next = waits_for_cb(thread)     ? partner_of(thread)
                                   : waits_for_word(thread) ? setter_of(thread)
                                                            : nullptr;
        return next == nullptr || next->is_finished ? nullptr : next;
    }

    // Any thread may set a semaphore. A thread that alone has added to it before is likely to do so
    // again.
    [[nodiscard]] const KernelThread* setter_of(const KernelThread& thread) const {
        const auto known = setters_.find(word_of(thread));
        return known == setters_.end() || known->second.size() != 1 || has_overshot(thread)
                   ? nullptr
                   : known->second.front();
    }

    // Certain ends come first. Possible partners are followed last, because a guess may only
    // show a probable cycle; any other end of a guessed path proves nothing.
    [[nodiscard]] Cause end_of(const KernelThread& thread, const Path& path) {
        if (thread.wait.kind == WaitKind::None) {
            return of_poll(thread);
        }
        if (waits_for_word(thread)) {
            return of_semaphore(thread);
        }
        if (const KernelThread* partner = partner_of(thread)) {
            return finished(thread, *partner);
        }
        for (const KernelThread* possible : possible_partners(thread)) {
            Cause cause = follow(*possible, path, false);
            if (cause.kind == Kind::ProbableCycle) {
                return cause;
            }
        }
        return never_used(thread);
    }

    std::map<Word, Threads> setters_;
    std::set<const KernelThread*> in_cycle_;
};

/// Returns the threads that wait at one line, and the object that they wait for.
std::string waiters_text(std::span<const KernelThread* const> threads) {
    const std::string extent = extent_text(threads);
    const bool is_one = is_on_one_core(threads);
    return fmt::format("{} wait{} at {} for {}", extent, is_one ? "s" : "",
                       site_of(*threads.front()), awaited_word(*threads.front()));
}

// The setter of a semaphore is unknown until a thread has set it. But if each unfinished thread
// waits for a semaphore, or for a CB of a core whose thread does, the setter is one of them.
std::optional<Cause> ring_of_semaphores(std::span<KernelThread* const> blocked) {
    std::map<std::pair<std::string, std::string>, Threads> waiters;  // by line and semaphore
    Threads all;
    for (const KernelThread* thread : blocked) {
        if (waits_for_word(*thread) && !thread->core().mux.is_serving) {
            waiters[{site_of(*thread), awaited_word(*thread)}].push_back(thread);
            all.push_back(thread);
        }
    }
    if (all.empty() || is_on_one_core(all)) {
        return std::nullopt;
    }
    const std::string head = fmt::format("probably a ring of {}: ", extent_text(all));
    if (waiters.size() == 1) {
        return Cause{
            Kind::Semaphore, all.front(),
            fmt::format("{}each waits at {} for {} of its own core, and no other thread is left to "
                        "set it",
                        head, site_of(*all.front()), awaited_word(*all.front()))};
    }
    std::vector<std::string> parts;
    parts.reserve(waiters.size());
    for (const auto& [line, threads] : waiters) {
        parts.push_back(waiters_text(threads));
    }
    return Cause{
        Kind::Semaphore, all.front(),
        fmt::format("{}{}, and no other thread is left to set them", head, fmt::join(parts, ", "))};
}

// Returns whether a kernel has ended: it may be the one that should have set an awaited semaphore.
bool has_finished_thread(std::span<Core* const> cores) {
    return std::ranges::any_of(cores, [](const Core* core) {
        return std::ranges::any_of(core->threads, [](const auto& thread) {
            return thread && thread->is_finished && thread->processor() != Processor::Compute;
        });
    });
}

}  // namespace

std::string name_of_word(const Core& core, std::uint32_t address) {
    const L1Spec& l1 = core.arch().l1;
    const std::uint64_t begin = l1.semaphores.value;
    const std::uint64_t stride = l1.semaphore_stride.value;
    if (address < begin || address >= begin + stride * l1.num_semaphores) {
        return fmt::format("the word at L1 {:#x}", address);
    }
    const std::uint64_t id = (address - begin) / stride;
    for (const SemaphoreDescription& semaphore : core.device().named_semaphores) {
        if (semaphore.id == id && semaphore.cores.contains(core.logical())) {
            return "semaphore " + semaphore.name;
        }
    }
    return fmt::format("semaphore {}", id);
}

// Examines all blocked threads: often a thread of another core blocks the first one.
DeadlockCause find_cause(std::span<KernelThread* const> blocked, std::span<Core* const> cores) {
    Follower follower(setters_of(blocked, cores));
    std::vector<Cause> causes;
    for (const KernelThread* thread : blocked) {
        // Each thread of a ring would find the same ring again.
        if (!follower.is_in_cycle(*thread)) {
            causes.push_back(follower.follow(*thread, {}, true));
        }
    }
    const Cause& most = *std::ranges::min_element(causes, {}, &Cause::kind);
    if (most.kind == Kind::Semaphore && !has_finished_thread(cores)) {
        if (const auto ring = ring_of_semaphores(blocked)) {
            return {ring->thread, ring->text};
        }
    }
    return {most.thread, most.text};
}

}  // namespace tessera
