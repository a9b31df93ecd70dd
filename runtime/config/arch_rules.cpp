// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/arch_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string_view>

#include "tessera/window_layout.hpp"

namespace tessera::config {
namespace {

using Coordinates = std::vector<std::uint32_t>;

/// Returns the first number of `list` that is in `taken` or occurs earlier in `list`.
std::optional<std::uint32_t> first_taken(const Coordinates& list, Coordinates taken) {
    for (const std::uint32_t number : list) {
        if (std::ranges::find(taken, number) != taken.end()) {
            return number;
        }
        taken.push_back(number);
    }
    return std::nullopt;
}

/// Records the first number of a list that is used twice or not available.
void require_free(const Coordinates& list, const Coordinates& taken, const std::string& path,
                  Judge& judge) {
    const auto number = first_taken(list, taken);
    judge.require(
        !number, path,
        fmt::format("{} is listed twice, harvested or reserved for dispatch", number.value_or(0)));
}

/// Records a coordinate outside of the NoC's grid; only the largest one.
void require_below(const Coordinates& list, std::uint32_t limit, const std::string& path,
                   Judge& judge) {
    const std::uint32_t largest = list.empty() ? 0 : *std::ranges::max_element(list);
    judge.require(largest < limit, path,
                  fmt::format("{} is outside the NoC grid, allowed: 0 to {}", largest, limit - 1));
}

/// Returns whether a virtual coordinate is in the rectangle of workers. Harvested rows leave no gap
/// in virtual coordinates.
bool is_worker(const WorkerGridSpec& workers, CoreCoord coord) {
    const CoreCoord origin = workers.virtual_origin;
    return coord.x >= origin.x && coord.x < origin.x + workers.compute.columns &&
           coord.y >= origin.y && coord.y < origin.y + workers.compute.rows;
}

/// Records a value that is not a power of two.
void require_power_of_two(Bytes value, const std::string& path, Judge& judge) {
    judge.require(std::has_single_bit(value.value), path,
                  fmt::format("{} is not a power of two", Value<Bytes>::show(value)));
}

/// Range of L1 that the emulator or firmware owns.
struct Area {
    std::string path;  ///< key that sets its address
    std::string name;
    std::uint64_t begin;
    std::uint64_t end;
};

/// Arguments of five RISCs, each with its own slots of 32-bit words.
constexpr std::uint64_t kArgumentAreas = 5;

/// Returns the areas that the emulator places below l1.reserved. The packet headers of the fabric
/// have no key: they are allocated down from the semaphores.
std::array<Area, 4> reserved_areas(const L1Spec& l1) {
    const std::uint64_t args = l1.runtime_args.value;
    const std::uint64_t semaphores = l1.semaphores.value;
    const std::uint64_t zeros = l1.zeros.value;
    // Saturates: an address below the pool is reported as its own mistake, not as a huge area.
    const std::uint64_t headers =
        semaphores - std::min<std::uint64_t>(semaphores, kPacketHeaderPoolSize);
    return {{{"l1.runtime_args", "l1.runtime_args", args,
              args + kArgumentAreas * l1.max_runtime_args * 4},
             {"l1.semaphores", "l1.semaphores", semaphores,
              semaphores + l1.num_semaphores * l1.semaphore_stride.value},
             {"l1.semaphores", "packet headers below l1.semaphores", headers, semaphores},
             {"l1.zeros", "l1.zeros", zeros, zeros + l1.zeros_size.value}}};
}

}  // namespace

void worker_grid_has_noc_coordinates(const ArchSpec& arch, Judge& judge) {
    const WorkerGridSpec& workers = arch.workers;
    // Each virtual column and row of cores needs the NoC coordinate of its routers.
    judge.require(workers.noc_columns.size() == workers.compute.columns, "workers.noc_columns",
                  fmt::format("{} columns, but workers.compute has {}", workers.noc_columns.size(),
                              workers.compute.columns));
    judge.require(workers.noc_rows.size() == workers.compute.rows, "workers.noc_rows",
                  fmt::format("{} rows, but workers.compute has {}", workers.noc_rows.size(),
                              workers.compute.rows));
    Coordinates rows = workers.harvested_rows;
    rows.insert(rows.end(), workers.dispatch_rows.begin(), workers.dispatch_rows.end());
    // A coordinate that is listed twice would put two cores at one router.
    require_free(workers.noc_columns, workers.dispatch_columns, "workers.noc_columns", judge);
    require_free(workers.noc_rows, rows, "workers.noc_rows", judge);
}

void coordinates_are_on_noc_grid(const ArchSpec& arch, Judge& judge) {
    const GridSize grid = arch.noc.grid;
    require_below(arch.workers.noc_columns, grid.columns, "workers.noc_columns", judge);
    require_below(arch.workers.dispatch_columns, grid.columns, "workers.dispatch_columns", judge);
    require_below(arch.workers.noc_rows, grid.rows, "workers.noc_rows", judge);
    require_below(arch.workers.harvested_rows, grid.rows, "workers.harvested_rows", judge);
    require_below(arch.workers.dispatch_rows, grid.rows, "workers.dispatch_rows", judge);
    for (const DramEndpoint& endpoint : arch.dram.endpoints) {
        require_below({endpoint.physical.x, endpoint.physical1.x}, grid.columns, "dram.endpoints",
                      judge);
        require_below({endpoint.physical.y, endpoint.physical1.y}, grid.rows, "dram.endpoints",
                      judge);
    }
}

void virtual_coordinates_fit_noc_addresses(const ArchSpec& arch, Judge& judge) {
    // Refused here: a coordinate of 7 bits would be cut off in the kernel's address and name
    // another core.
    constexpr std::uint32_t kMost = 63;  // 6 bits of a NoC address
    const auto& [origin, compute] = std::pair(arch.workers.virtual_origin, arch.workers.compute);
    const CoreCoord last{origin.x + compute.columns - 1, origin.y + compute.rows - 1};
    judge.require(last.x <= kMost && last.y <= kMost, "workers.virtual_origin",
                  fmt::format("the last of {}x{} cores is at {}, allowed: coordinates up to {}",
                              compute.columns, compute.rows, to_string(last), kMost));
}

void virtual_coordinates_are_distinct(const ArchSpec& arch, Judge& judge) {
    // Kernels address workers and banks in one space of virtual coordinates.
    for (const DramEndpoint& endpoint : arch.dram.endpoints) {
        for (const CoreCoord coord : {endpoint.noc, endpoint.noc1}) {
            judge.require(
                !is_worker(arch.workers, coord), "dram.endpoints",
                fmt::format("[{}, {}] is the virtual coordinate of a worker", coord.x, coord.y));
        }
    }
}

void l1_areas_end_below_reserved(const ArchSpec& arch, Judge& judge) {
    const auto areas = reserved_areas(arch.l1);
    const std::uint64_t reserved = arch.l1.reserved.value;
    for (std::size_t i = 0; i < areas.size(); ++i) {
        // The allocator of buffers starts at l1.reserved; what reaches above would be overwritten.
        judge.require(areas[i].end <= reserved, areas[i].path,
                      fmt::format("ends at {}, above l1.reserved {}", areas[i].end, reserved));
        // Packet headers have no key of their own; their address follows from l1.semaphores.
        judge.require(
            areas[i].begin % 4 == 0 || areas[i].name != areas[i].path, areas[i].path,
            fmt::format("{} is not a multiple of 4 B, the size of a word", areas[i].begin));
        for (std::size_t j = 0; j < i; ++j) {
            judge.require(areas[i].end <= areas[j].begin || areas[j].end <= areas[i].begin,
                          areas[i].path,
                          fmt::format("[{}, {}) overlaps {} [{}, {})", areas[i].begin, areas[i].end,
                                      areas[j].name, areas[j].begin, areas[j].end));
        }
    }
    judge.require(arch.l1.semaphores.value >= kPacketHeaderPoolSize, "l1.semaphores",
                  fmt::format("{} leaves no room for {} B of packet headers below",
                              arch.l1.semaphores.value, kPacketHeaderPoolSize));
    judge.require(reserved < arch.l1.size.value, "l1.reserved",
                  fmt::format("{} leaves nothing of l1.size {}", reserved, arch.l1.size.value));
}

void l1_ends_below_kernel_memory(const ArchSpec& arch, Judge& judge) {
    // L1 and the kernel's globals share one window, so that an L1 address is an offset of it. A
    // larger L1 gave wrong results before this rule.
    judge.require(arch.l1.size.value <= kKernelGlobalsOffset, "l1.size",
                  fmt::format("{} B, allowed: {} or fewer, where the emulated kernels' globals and "
                              "stacks begin",
                              arch.l1.size.value, kKernelGlobalsOffset));
}

void alignments_are_powers_of_two(const ArchSpec& arch, Judge& judge) {
    require_power_of_two(arch.l1.alignment, "l1.alignment", judge);
    require_power_of_two(arch.l1.semaphore_stride, "l1.semaphore_stride", judge);
    require_power_of_two(arch.dram.read_alignment, "dram.read_alignment", judge);
    require_power_of_two(arch.dram.write_alignment, "dram.write_alignment", judge);
    require_power_of_two(arch.dram.alignment, "dram.alignment", judge);
    require_power_of_two(arch.noc.flit, "noc.flit", judge);
    require_power_of_two(arch.noc.max_packet, "noc.max_packet", judge);
}

void channel_buffer_holds_a_flit(const ArchSpec& arch, const TimingBounds& timing, Judge& judge) {
    // `high` has the values that make runs long, which is the smallest buffer; it may be drawn.
    const Bytes least = timing.high.noc.channel_buffer;
    judge.require(least >= arch.noc.flit, "timing.noc.channel_buffer",
                  fmt::format("{} B are less than noc.flit {}", least.value, arch.noc.flit.value));
}

void router_buffer_holds_a_channel(const ArchSpec& arch, const TimingBounds& timing, Judge& judge) {
    const std::uint64_t least =
        (kNocVirtualChannels - 1) * arch.noc.flit.value + timing.low.noc.channel_buffer.value;
    // The smallest router buffer against the largest channel buffer of their ranges, since a draw
    // may combine them.
    const std::uint64_t fewest = timing.high.noc.router_buffer.value;
    judge.require(fewest >= least, "timing.noc.router_buffer",
                  fmt::format("{} B are less than {}, channel_buffer and a flit for each of "
                              "the other {} channels",
                              fewest, least, kNocVirtualChannels - 1));
}

void dram_banks_have_endpoints(const ArchSpec& arch, Judge& judge) {
    // Each bank needs the NoC nodes at which cores reach it.
    judge.require(arch.dram.endpoints.size() == arch.dram.num_banks, "dram.num_banks",
                  fmt::format("{} banks, but dram.endpoints has {}", arch.dram.num_banks,
                              arch.dram.endpoints.size()));
    // Firmware and dispatch own the reserved part of each bank; buffers need the rest.
    judge.require(arch.dram.reserved < arch.dram.bank_size, "dram.reserved",
                  fmt::format("{} leaves nothing of dram.bank_size {}", arch.dram.reserved.value,
                              arch.dram.bank_size.value));
}

void architecture_is_known(const ArchSpec& arch, Judge& judge) {
    judge.require(
        arch.architecture == "wormhole" || arch.architecture == "blackhole", "architecture",
        fmt::format("'{}' is unknown, allowed: wormhole or blackhole", arch.architecture));
}

/// All rules run, so that one `check` shows every mistake of a device file. Rules must not rely on
/// each other for that reason.
void validate(const ArchSpec& arch, const TimingBounds& timing, Judge& judge) {
    architecture_is_known(arch, judge);
    alignments_are_powers_of_two(arch, judge);
    worker_grid_has_noc_coordinates(arch, judge);
    coordinates_are_on_noc_grid(arch, judge);
    l1_areas_end_below_reserved(arch, judge);
    l1_ends_below_kernel_memory(arch, judge);
    channel_buffer_holds_a_flit(arch, timing, judge);
    router_buffer_holds_a_channel(arch, timing, judge);
    dram_banks_have_endpoints(arch, judge);
    virtual_coordinates_fit_noc_addresses(arch, judge);
    virtual_coordinates_are_distinct(arch, judge);
}

}  // namespace tessera::config
