// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/exchange/plan.hpp"

#include <algorithm>
#include <map>

#include "emu/base/round_up.hpp"
#include "ops/shared/program_builder.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_route.hpp"

namespace tessera::ops::exchange {
namespace {

// A step is one word of flags, because arguments are limited to 341 words.
std::uint32_t flags_of(const Step& step) {
    const auto place = [](const std::optional<Place>& at) {
        return at ? static_cast<std::uint32_t>(*at) : 0U;
    };
    return (step.reads ? kReads : 0U) | (step.receives ? kReceives : 0U) |
           (step.stores ? kStores : 0U) | (step.sends ? kSends : 0U) |
           place(step.reads) << kSourceShift | place(step.stores) << kDestinationShift;
}

// Routes name a connection by its index, so a kernel opens each link once, however many phases use
// it.
std::uint32_t route_word(const std::optional<Neighbour>& neighbour,
                         std::span<const LinkDirection> connections) {
    if (!neighbour) {
        return kNoRoute;
    }
    const auto [direction, hops] = neighbour->route;
    const auto found = std::ranges::find(connections, direction);
    ensure(found != connections.end(), "exchange: no connection to the {}", name_of(direction));
    return static_cast<std::uint32_t>(found - connections.begin()) | hops << 8U;
}

std::uint32_t credit_of(const std::optional<Neighbour>& neighbour) {
    return neighbour ? neighbour->credit : 0;
}
std::uint32_t device_of(const std::optional<Neighbour>& neighbour) {
    return neighbour ? neighbour->device : 0;
}

/// Returns the distance from one slice to the next, modulo 2^32.
RunDistance distance(const Step& from, const Step& to) {
    return {to.slice.read_begin - from.slice.read_begin,
            to.slice.store_begin - from.slice.store_begin};
}
bool is_same(const RunDistance& a, const RunDistance& b) {
    return a.read_begin == b.read_begin && a.store_begin == b.store_begin;
}

template <class Words>
void append(std::vector<std::uint32_t>& words, const Words& more) {
    const std::vector<std::uint32_t> values = ops::words_of(more);
    words.insert(words.end(), values.begin(), values.end());
}

/// Returns how many steps differ only in where their slices begin, at one distance.
std::size_t run_of(std::span<const Step> steps) {
    std::size_t count = 1;
    while (count < steps.size() && flags_of(steps[count]) == flags_of(steps[0]) &&
           steps[count].slice.bytes == steps[0].slice.bytes &&
           is_same(distance(steps[count - 1], steps[count]), distance(steps[0], steps[1]))) {
        ++count;
    }
    return count;
}

// From 40 devices on, a ring's plan of single steps would not fit in a kernel's arguments: an
// all-reduce around 256 devices takes 2 060 words, and 317 are free.
std::vector<std::uint32_t> words_of_runs(std::span<const Step> steps) {
    std::vector<std::uint32_t> words;
    while (!steps.empty()) {
        const std::size_t count = run_of(steps);
        const Slice& slice = steps[0].slice;
        append(words, RunWords{.head = flags_of(steps[0]) | static_cast<std::uint32_t>(count) << 8U,
                               .read_begin = slice.read_begin,
                               .store_begin = slice.store_begin,
                               .bytes = slice.bytes});
        if (count > 1) {
            append(words, distance(steps[0], steps[1]));
        }
        steps = steps.subspan(count);
    }
    return words;
}

// Returns routes to the next and the previous stop; none at the ends of an open walk.
Phase neighbours_of(const Stop& stop, bool sums) {
    const Walk& walk = stop.walk;
    const std::uint32_t index = stop.index;
    const std::uint32_t size = walk.size();
    Phase phase{.sums = sums, .next = {}, .previous = {}, .steps = {}};
    const auto at = [&](std::uint32_t to) {
        return Neighbour{walk.devices[to],
                         reach_of(stop.mesh, walk.devices[index], walk.devices[to])};
    };
    // Ends of an open walk have one neighbour only.
    if (size > 1 && (walk.is_closed || index + 1 < size)) {
        phase.next = at((index + 1) % size);
    }
    if (size > 1 && (walk.is_closed || index > 0)) {
        phase.previous = at((index + size - 1) % size);
    }
    return phase;
}

void append(Phase& phase, Step step, const Slice& slice) {
    // Empty slices get no step: they would cost a credit and a packet without data.
    if (slice.bytes != 0) {
        step.slice = slice;
        phase.steps.push_back(step);
    }
}

// Takes the slices of all stops in turns. If a device had to send all of its own first, more would
// be on the way than the slots of the receivers hold.
// more would be on the way than the slots of the receivers hold.
template <typename Add>
void for_each_turn(SlicesByStop slices, Add add) {
    std::size_t turns = 0;
    for (const auto& own : slices) {
        turns = std::max(turns, own.size());
    }
    for (std::size_t turn = 0; turn < turns; ++turn) {
        add([&slices, turn](std::uint32_t stop) {
            return turn < slices[stop].size() ? slices[stop][turn] : Slice{};
        });
    }
}

std::optional<Place> stored_if(bool stores) {
    return stores ? std::optional(Place::Output) : std::nullopt;
}

}  // namespace

Slice share_of(const Slice& slice, std::uint32_t index, std::uint32_t count) {
    // In units of a tile, so that no tile is split between two lanes.
    const std::uint64_t units = div_up(slice.bytes, kUnitBytes);
    const auto at = [&](std::uint32_t i) {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(units * i / count * kUnitBytes, slice.bytes));
    };
    return {slice.read_begin + at(index), slice.store_begin + at(index), at(index + 1) - at(index)};
}

LinkRoute reach_of(const MeshSpec& mesh, std::uint32_t from, std::uint32_t to) {
    constexpr std::uint32_t kLongestRoute = 32;  // hops that the header of a straight route holds
    // A straight route holds 32 hops in its header. Longer or bent routes are left to the mesh's
    // routing tables.
    const auto straight = straight_route(mesh.shape, mesh.topology, from, to);
    if (straight && straight->hops <= kLongestRoute) {
        return *straight;
    }
    return {mesh_route(mesh.shape, mesh.topology, from, to).first(), 0};
}

Walk reversed(const Walk& walk) {
    return {{walk.devices.rbegin(), walk.devices.rend()}, walk.is_closed};
}

Phase gather(const Stop& stop, SlicesByStop slices, Place own, bool stores_own) {
    const std::uint32_t size = stop.walk.size();
    Phase phase = neighbours_of(stop, false);
    // On a closed walk each other stop's slices pass here; on a line only those from behind.
    const std::uint32_t before = stop.walk.is_closed ? size - 1 : stop.index;
    const auto is_passed_on = [&](std::uint32_t step) {
        return phase.next && (!stop.walk.is_closed || step + 1 < size);
    };
    for_each_turn(slices, [&](const auto& slice_of) {
        append(phase,
               {.receives = false,
                .sends = is_passed_on(0),
                .reads = own,
                .stores = stored_if(stores_own),
                .slice = {}},
               slice_of(stop.index));
        for (std::uint32_t step = 1; step <= before; ++step) {
            append(phase,
                   {.receives = true,
                    .sends = is_passed_on(step),
                    .reads = {},
                    .stores = Place::Output,
                    .slice = {}},
                   slice_of((stop.index + size - step) % size));
        }
    });
    return phase;
}

Phase reduce_scatter(const Stop& stop, SlicesByStop slices, Place own, Place sum) {
    const std::uint32_t size = stop.walk.size();
    // On an open walk the last device would have no device to send to.
    ensure(stop.walk.is_closed && size > 1, "reduce_scatter of a walk of {} devices", size);
    Phase phase = neighbours_of(stop, true);
    for_each_turn(slices, [&](const auto& slice_of) {
        // Starts with the previous device's slice, so that after all steps the own slice is
        // complete here.
        for (std::uint32_t step = 0; step < size; ++step) {
            const bool is_full = step + 1 == size;
            append(phase,
                   {.receives = step > 0,
                    .sends = !is_full,
                    .reads = own,
                    .stores = is_full ? std::optional(sum) : std::nullopt,
                    .slice = {}},
                   slice_of((stop.index + size - 1 - step) % size));
        }
    });
    return phase;
}

Phase reduce_chain(const Stop& stop, std::span<const Slice> slices, Place own, Place sum) {
    Phase phase = neighbours_of(stop, true);
    // Sums go in one direction to the last stop, which stores them.
    const bool is_last = stop.index + 1 == stop.walk.size();
    for (const Slice& slice : slices) {
        append(phase,
               {.receives = stop.index > 0,
                .sends = !is_last,
                .reads = own,
                .stores = is_last ? std::optional(sum) : std::nullopt,
                .slice = {}},
               slice);
    }
    return phase;
}

Phase broadcast_chain(const Stop& stop, std::span<const Slice> slices, Place own, bool stores_own) {
    Phase phase = neighbours_of(stop, false);
    // The reverse of a chain of sums: each stop stores a slice and sends it on.
    const bool is_first = stop.index == 0;
    for (const Slice& slice : slices) {
        append(phase,
               {.receives = !is_first,
                .sends = stop.index + 1 < stop.walk.size(),
                .reads = is_first ? std::optional(own) : std::nullopt,
                .stores = stored_if(!is_first || stores_own),
                .slice = {}},
               slice);
    }
    return phase;
}

namespace {

/// Numbers the devices that each core of each device sends to.
class TargetNumbers {
public:
    /// Numbers both ends of a phase of a core.
    void number_phase(Phase& phase, std::uint32_t device, std::size_t core) {
        // Numbers both ends of each phase in the same way, because a credit is a semaphore of the
        // sender that the receiver increments.
        if (phase.next) {
            phase.next->credit = number(device, core, phase.next->device);
        }
        if (phase.previous) {
            phase.previous->credit = number(phase.previous->device, core, device);
        }
    }
    /// Returns the most devices that a core sends to.
    [[nodiscard]] std::uint32_t most() const noexcept { return static_cast<std::uint32_t>(most_); }

private:
    std::uint32_t number(std::uint32_t from, std::size_t core, std::uint32_t to) {
        auto& known = targets_[{from, core}];
        auto found = std::ranges::find(known, to);
        if (found == known.end()) {
            found = known.insert(found, to);
        }
        most_ = std::max(most_, known.size());
        return static_cast<std::uint32_t>(found - known.begin());
    }

    /// By device and core, in the order of the first send to them.
    std::map<std::pair<std::uint32_t, std::size_t>, std::vector<std::uint32_t>> targets_;
    std::size_t most_ = 0;
};

}  // namespace

std::uint32_t number_credits(GroupPlans& plans, std::span<const std::uint32_t> devices) {
    TargetNumbers numbers;
    for (std::size_t position = 0; position < plans.size(); ++position) {
        for (std::size_t core = 0; core < plans[position].size(); ++core) {
            for (Phase& phase : plans[position][core]) {
                numbers.number_phase(phase, devices[position], core);
            }
        }
    }
    return numbers.most();
}

std::vector<std::uint32_t> words_of(const CorePlan& plan,
                                    std::span<const LinkDirection> connections) {
    std::vector<std::uint32_t> words;
    for (const Phase& phase : plan) {
        const std::vector<std::uint32_t> runs = words_of_runs(phase.steps);
        append(words,
               PhaseHead{.sizes = (phase.sums ? 1U : 0U) |
                                  static_cast<std::uint32_t>(runs.size()) << 1U |
                                  credit_of(phase.next) << 16U | credit_of(phase.previous) << 24U,
                         .routes = route_word(phase.next, connections) |
                                   route_word(phase.previous, connections) << 16U,
                         .devices = device_of(phase.next) | device_of(phase.previous) << 16U});
        words.insert(words.end(), runs.begin(), runs.end());
    }
    return words;
}

std::vector<LinkDirection> connections_of(const CorePlan& plan) {
    std::vector<LinkDirection> found;
    // One connection for each direction, although several phases use it: opening one costs a round
    // trip to the router.
    for (const Phase& phase : plan) {
        for (const auto& neighbour : {phase.next, phase.previous}) {
            if (neighbour && std::ranges::find(found, neighbour->route.direction) == found.end()) {
                found.push_back(neighbour->route.direction);
            }
        }
    }
    return found;
}

}  // namespace tessera::ops::exchange
