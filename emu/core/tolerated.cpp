// SPDX-License-Identifier: Apache-2.0
#include "emu/core/tolerated.hpp"

#include <algorithm>
#include <array>

#include "emu/core/kernel_thread.hpp"

namespace tessera {
namespace {

struct ToleratedRow {
    const char* name;
    const char* words;
    bool may_stall_a_replay = false;
};

constexpr std::array<ToleratedRow, 16> kRows{{
    {"tile_not_awaited", "of a tile that was not waited for"},
    {"tile_past_end", "past the end of the circular buffer"},
    {"pack_not_reserved", "into a page that was not reserved"},
    {"integer_in_narrow_dst", "of 32-bit integers into a 16-bit DST"},
    {"noc_alignment", "between addresses that differ modulo the DRAM alignment"},
    {"in_flight_at_end", "still in flight when the kernel ends"},
    {"dst_order", "out of the order of acquire, commit, wait and release", true},
    {"pages_not_reserved", "of pages that were not reserved", true},
    {"pages_not_awaited", "of pages that were not waited for", true},
    {"dram_outside_tensors", "of DRAM bytes outside of every tensor"},
    {"argument_past_end", "past the end of the arguments"},
    {"pushed_before_arrival", "of pages that a flushed write of the kernel has not reached"},
    {"semaphore_outside", "on a word that the firmware owns"},
    {"firmware_written", "into L1 that the firmware owns"},
    {"other_page_size", "of a page with another size than the tensor's pages"},
    {"dst_not_written", "of a DST tile to which nothing was written"},
}};

}  // namespace

const char* name_of(Tolerated kind) noexcept {
    return kRows[static_cast<std::size_t>(kind)].name;
}

bool may_stall_a_replay(Tolerated kind) noexcept {
    return kRows[static_cast<std::size_t>(kind)].may_stall_a_replay;
}

bool may_stall_a_replay(std::string_view name) noexcept {
    const auto* row = std::ranges::find(kRows, name, &ToleratedRow::name);
    return row != kRows.end() && row->may_stall_a_replay;
}

const char* words_of(Tolerated kind) noexcept {
    return kRows[static_cast<std::size_t>(kind)].words;
}

bool is_strict(const KernelThread& thread) noexcept {
    return thread.chip_rules == ChipRules::Strict;
}

bool is_noted(KernelThread& thread, Tolerated kind, const CallSite& site) {
    const auto same = [&](const ThreadFinding& finding) {
        return finding.kind == kind && finding.site.line == site.line &&
               finding.site.file == site.file;
    };
    const auto found = std::ranges::find_if(thread.findings, same);
    if (found == thread.findings.end()) {
        return false;
    }
    ++found->num_calls;
    return true;
}

void note_finding(KernelThread& thread, ThreadFinding finding) {
    thread.findings.push_back(std::move(finding));
}

}  // namespace tessera
