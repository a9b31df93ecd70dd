// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_profile/host_profile.hpp"

#include <algorithm>
#include <string_view>

namespace tessera::host_profile {
namespace {

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
