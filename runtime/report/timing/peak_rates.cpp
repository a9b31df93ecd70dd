// SPDX-License-Identifier: Apache-2.0
// Peak rates of a mesh: the first half of reduce.hpp.
#include <numeric>
#include <set>
#include <utility>

#include "runtime/report/timing/reduce.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::report {
namespace {

constexpr double kFlopsPerProduct = 2.0 * 32 * 32 * 32;
constexpr double kVectorLanes = 32;  // of an SFPU: elements of an instruction of one cycle

double num_channels(const DramSpec& dram) {
    std::set<std::uint32_t> channels;
    for (const DramEndpoint& endpoint : dram.endpoints) {
        channels.insert(endpoint.channel);
    }
    return static_cast<double>(channels.size());
}

// Returns the directions from which neighbours of a device send to it.
double num_senders(const MeshSpec& mesh, std::uint32_t device) {
    double count = 0;
    for (const LinkDirection direction : kLinkDirections) {
        const auto next = neighbour(mesh.shape, mesh.topology, device, {direction, 1});
        count += next && *next != device ? 1 : 0;
    }
    return count;
}

double over(double numerator, double denominator) {
    return denominator > 0 ? numerator / denominator : 0;
}

}  // namespace

PeakRates peak_rates(const ArchSpec& arch, const TimingSpec& timing, const MeshSpec& mesh) {
    const double devices = mesh.shape.num_devices();
    const double workers = double{1} * arch.workers.compute.columns * arch.workers.compute.rows;
    const double link_rate = over(timing.link.rate.value, timing.clock.value);
    std::vector<double> received;
    for (std::uint32_t device = 0; device < mesh.shape.num_devices(); ++device) {
        received.push_back(link_rate * timing.link.links_per_direction * num_senders(mesh, device));
    }
    const double links = std::accumulate(received.begin(), received.end(), 0.0);
    return {
        .flops_per_cycle =
            devices * workers * over(kFlopsPerProduct, timing.compute.matmul_phase.value),
        .dram_bytes_per_cycle = devices * num_channels(arch.dram) * timing.dram.channel_rate.value,
        .noc_bytes_per_cycle = devices * workers * 2 * timing.noc.injection_rate.value,
        .link_bytes_per_cycle = links,
        .noc_link_rate = timing.noc.link_rate.value,
        .mesh_link_rate = link_rate,
        .dram_channel_rate = timing.dram.channel_rate.value,
        .vector_ops_per_cycle = devices * workers * kVectorLanes,
        .device_link_rates = std::move(received),
    };
}

TimingReport make_report(std::string run, const ArchSpec& arch, const TimingSpec& timing,
                         const MeshSpec& mesh) {
    TimingReport report;
    report.run = std::move(run);
    report.arch = arch;
    report.mesh = mesh;
    report.clock = timing.clock;
    report.peak = peak_rates(arch, timing, mesh);
    return report;
}

}  // namespace tessera::report
