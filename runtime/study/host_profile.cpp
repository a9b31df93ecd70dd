// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/host_profile.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/time.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>

#include "emu/core/kernel_thread.hpp"
#include "tessera/errors.hpp"

namespace tessera::host_profile {
namespace {

/// Hosts round it up to their tick, so this is a quarter of an hour or more.
constexpr std::size_t kMostSamples = 1'000'000;
constexpr suseconds_t kMicrosecondsApart = 1000;

// A signal handler must neither allocate nor lock.
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

// The interrupted program counter is all that the handler takes; names are looked up after the run.
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

constexpr const char* kProgram = "/proc/self/exe";

std::vector<char> read_program() {
    std::ifstream file(kProgram, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class T>
T at(const std::vector<char>& file, std::uint64_t offset) {
    T value{};
    if (offset + sizeof(T) <= file.size()) {
        std::memcpy(&value, file.data() + offset, sizeof(T));
    }
    return value;
}

ElfW(Shdr) section(const std::vector<char>& file, const ElfW(Ehdr) & header, std::uint64_t index) {
    return at<ElfW(Shdr)>(file, header.e_shoff + index * header.e_shentsize);
}

// The loader reports the program first. Its symbols are relative to its base address.
std::uint64_t base_of_program() {
    std::uint64_t base = 0;
    const auto take_first = [](dl_phdr_info* object, std::size_t, void* result) {
        *static_cast<std::uint64_t*>(result) = object->dlpi_addr;
        return 1;
    };
    dl_iterate_phdr(take_first, &base);
    return base;
}

struct Mark {
    std::string_view part;  ///< of a mangled name or of a library's path
    Work work;
};

// The first that fits counts. Names of functions: namespaces and functions as the compiler mangles
// them.
constexpr std::array kFunctionMarks{
    Mark{"N7tessera4tile", Work::TileMaths},
    Mark{"tessera4tile", Work::TileMaths},
    Mark{"cb_wait_front", Work::Switches},
    Mark{"cb_pop_front", Work::Switches},
    Mark{"cb_reserve_back", Work::Switches},
    Mark{"cb_push_back", Work::Switches},
    Mark{"noc_semaphore", Work::Switches},
    Mark{"SemaphoreWaiters", Work::Switches},
    Mark{"FiberAlgorithm", Work::Switches},
    Mark{"wake_neighbour", Work::Switches},
    Mark{"N7tessera12_GLOBAL__N_14park", Work::Switches},
};
constexpr std::array kLibraryMarks{
    Mark{"libc.so", Work::Copies},
    Mark{"libboost_context", Work::Switches},
    Mark{"libboost_fiber", Work::Switches},
    Mark{"libm.so", Work::TileMaths},
};

Work first_fit(std::string_view text, const auto& marks) {
    const auto fits = [&](const Mark& mark) { return text.find(mark.part) != text.npos; };
    const auto it = std::ranges::find_if(marks, fits);
    return it == marks.end() ? Work::Other : it->work;
}

}  // namespace

Sampler::Sampler() {
    require(!g_exists.exchange(true), "the host is being profiled already");
    g_num_samples = 0;
    struct sigaction action {};
    action.sa_sigaction = take_sample;
    // SA_ONSTACK: a fiber's stack may have no room for the handler. SA_RESTART: interrupted system
    // calls continue.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    start_ = processor_seconds();
    set_timer(kMicrosecondsApart);
}

Sampler::~Sampler() {
    (void)stop();
    g_exists = false;
}

// The handler stays installed, because a signal may still be pending; by default it would end the
// process.
Samples Sampler::stop() {
    if (!is_running_) {
        return {};
    }
    is_running_ = false;
    set_timer(0);
    const double seconds = processor_seconds() - start_;
    const std::size_t count = std::min(g_num_samples.load(), kMostSamples);
    const auto end = g_samples.begin() + static_cast<std::ptrdiff_t>(count);
    // A full buffer loses samples, not time: the seconds are divided among the kept ones.
    return {{g_samples.begin(), end}, count == 0 ? 0 : seconds / static_cast<double>(count)};
}

Symbols::Symbols() : base_(base_of_program()) {
    const std::vector<char> file = read_program();
    const auto header = at<ElfW(Ehdr)>(file, 0);
    for (std::uint64_t s = 0; s < header.e_shnum; ++s) {
        // Stripped programs have no SHT_SYMTAB. Their functions then count as Other.
        const auto table = section(file, header, s);
        if (table.sh_type != SHT_SYMTAB) {
            continue;
        }
        const auto names = section(file, header, table.sh_link);
        for (std::uint64_t i = 0; i < table.sh_size / sizeof(ElfW(Sym)); ++i) {
            const auto symbol = at<ElfW(Sym)>(file, table.sh_offset + i * sizeof(ElfW(Sym)));
            if ((symbol.st_info & 0xFU) == STT_FUNC && symbol.st_size != 0) {
                functions_.push_back({symbol.st_value, symbol.st_value + symbol.st_size,
                                      file.data() + names.sh_offset + symbol.st_name});
            }
        }
    }
    std::ranges::sort(functions_, {}, &Function::begin);
}

CodePlace Symbols::place_of(std::uint64_t address) const {
    const std::uint64_t offset = address - base_;
    // The function that begins last before the address has it, unless it ends before.
    auto it = std::ranges::upper_bound(functions_, offset, {}, &Function::begin);
    if (it != functions_.begin() && offset < (--it)->end) {
        return {it->name, ""};
    }
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(address), &found) == 0 ||
        reinterpret_cast<std::uint64_t>(found.dli_fbase) == base_) {
        return {};
    }
    return {"", found.dli_fname};
}

const char* name_of(Work work) noexcept {
    switch (work) {
        case Work::TileMaths:
            return "tile maths";
        case Work::Copies:
            return "copies";
        case Work::Switches:
            return "switches";
        case Work::Other:
            return "other";
    }
    return "?";
}

// Decides by names of functions and namespaces, since the profile sees addresses only.
Work work_of(const CodePlace& place) noexcept {
    return place.library.empty() ? first_fit(place.function, kFunctionMarks)
                                 : first_fit(place.library, kLibraryMarks);
}

HostProfile profile_of(const Samples& samples, const Symbols& symbols) {
    HostProfile profile;
    for (const Sample& sample : samples.samples) {
        if (sample.in_kernel) {
            const Work work = work_of(symbols.place_of(sample.address));
            profile.seconds[static_cast<std::size_t>(work)] += samples.seconds_each;
        }
    }
    return profile;
}

}  // namespace tessera::host_profile
