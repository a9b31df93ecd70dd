// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/activity_words.hpp"

#include <fmt/format.h>

#include <array>

namespace tessera::report {
namespace {

struct Words {
    std::string_view key;
    std::string_view label;
};

constexpr std::array<Words, kNumActivities> kActivities{{
    {"not_started", "not started"},
    {"start", "start of kernel"},
    {"read_issue", "read issue"},
    {"write_issue", "write issue"},
    {"multicast_issue", "multicast issue"},
    {"semaphore_issue", "semaphore issue"},
    {"barrier_poll", "barrier poll"},
    {"cb_call", "CB calls"},
    {"fabric_issue", "fabric issue"},
    {"instructions", "RISC instructions"},
    {"unpack", "unpack"},
    {"matmul", "matmul"},
    {"eltwise", "element-wise"},
    {"sfpu", "SFPU"},
    {"pack", "pack"},
    {"unit_init", "unit init"},
    {"dst_call", "DST calls"},
    {"zone", "zone marks"},
    {"wait_cb_data", "wait for CB data"},
    {"wait_cb_space", "wait for CB space"},
    {"wait_noc_read", "wait for NoC read"},
    {"wait_noc_write", "wait for NoC write"},
    {"wait_noc_slot", "wait for NoC slot"},
    {"wait_semaphore", "wait for semaphore"},
    {"wait_dst", "wait for DST"},
    {"wait_source", "wait for source registers"},
    {"wait_fabric", "wait for link slot"},
    {"finished", "finished"},
}};

constexpr std::array<Words, kNumResourceKinds> kResources{{
    {"none", ""},
    {"noc_injection", "NoC injection"},
    {"noc_link", "NoC links"},
    {"noc_ejection", "NoC ejection"},
    {"noc_latency", "NoC latency"},
    {"dram", "DRAM"},
    {"mesh_link", "mesh links"},
    {"mesh_latency", "mesh latency"},
}};

constexpr std::array<std::string_view, kNumTimelineThreads> kThreads{"reader", "writer", "unpack",
                                                                     "math", "pack"};

bool is_place(Activity activity) {
    return activity == Activity::WaitNocRead || activity == Activity::WaitNocWrite;
}

}  // namespace

std::string_view key_of(Activity activity) noexcept {
    return kActivities[static_cast<std::size_t>(activity)].key;
}

std::string_view label_of(Activity activity) noexcept {
    return kActivities[static_cast<std::size_t>(activity)].label;
}

std::string_view key_of(ResourceKind kind) noexcept {
    return kResources[static_cast<std::size_t>(kind)].key;
}

std::string_view label_of(ResourceKind kind) noexcept {
    return kResources[static_cast<std::size_t>(kind)].label;
}

std::string_view label_of(TimelineThread thread) noexcept {
    return kThreads[static_cast<std::size_t>(thread)];
}

std::string object_class(Activity activity, std::uint32_t object) {
    if (is_place(activity)) {
        return NocPlace{static_cast<std::uint16_t>(object)}.is_dram() ? "DRAM" : "L1 of a core";
    }
    return object_name(activity, object);
}

std::string object_name(Activity activity, std::uint32_t object) {
    if (is_place(activity)) {
        const NocPlace place{static_cast<std::uint16_t>(object)};
        return place.is_dram() ? fmt::format("DRAM bank {}", place.bank())
                               : "L1 of " + to_string(place.core());
    }
    switch (activity) {
        case Activity::WaitCbData:
        case Activity::WaitCbSpace:
            return fmt::format("CB {}", object);
        case Activity::WaitSemaphore:
            return fmt::format("L1 address {:#x}", object);
        case Activity::WaitNocSlot:
            return "NoC interface";
        case Activity::WaitDst:
            return "DST";
        case Activity::WaitSource:
            return "source registers";
        case Activity::WaitFabric:
            return fmt::format("link channel {}", object);
        default:
            return "";
    }
}

}  // namespace tessera::report
