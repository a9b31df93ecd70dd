// SPDX-License-Identifier: Apache-2.0
// Names of activities, threads and resources, as reports print them.
#include <array>

#include "tessera/timeline.hpp"

namespace tessera {
namespace {

constexpr std::array<std::string_view, kNumActivities> kActivities{
    "not started",     "start",          "read issue",    "write issue",    "multicast issue",
    "semaphore issue", "barrier poll",   "CB call",       "fabric issue",   "RISC instructions",
    "unpack",          "matmul",         "eltwise",       "sfpu",           "pack",
    "unit init",       "DST call",       "zone mark",     "wait CB data",   "wait CB space",
    "wait NoC read",   "wait NoC write", "wait NoC slot", "wait semaphore", "wait DST",
    "wait source",     "wait fabric",    "finished"};

constexpr std::array<std::string_view, kNumResourceKinds> kResources{
    "none",        "NoC injection", "NoC link",  "NoC ejection",
    "NoC latency", "DRAM",          "mesh link", "mesh latency"};

}  // namespace

std::string_view name_of(Activity activity) noexcept {
    return kActivities[static_cast<std::size_t>(activity)];
}

std::string_view name_of(TimelineThread thread) noexcept {
    constexpr std::array<std::string_view, 5> kThreads{"reader", "writer", "unpack", "math",
                                                       "pack"};
    return kThreads[static_cast<std::size_t>(thread)];
}

std::string_view name_of(ResourceKind kind) noexcept {
    return kResources[static_cast<std::size_t>(kind)];
}

}  // namespace tessera
