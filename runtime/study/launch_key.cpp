// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/launch_key.hpp"

#include <bit>
#include <string_view>

#include "emu/base/counted_random.hpp"
#include "emu/base/isolated_for.hpp"
#include "runtime/config/timing_constants.hpp"

namespace tessera::timed_run {
namespace {

using timing::KeyHash;

std::uint64_t pair_of(const CoreCoord& at) noexcept {
    return std::uint64_t{at.x} << 32U | at.y;
}

template <class Values>
void add_all(const Values& values, KeyHash& hash) {
    hash.add(values.size());
    for (const auto value : values) {
        hash.add(value);
    }
}

/// Adds the parts of a device model on which times depend: places on the NoC, and limits.
void add(const ArchSpec& arch, KeyHash& hash) {
    hash.add(text_hash(arch.name));
    hash.add(text_hash(arch.architecture));
    hash.add(std::bit_cast<std::uint64_t>(arch.clock.value));
    for (const GridSize& grid : {arch.workers.compute, arch.noc.grid}) {
        hash.add(std::uint64_t{grid.columns} << 32U | grid.rows);
    }
    add_all(arch.workers.noc_columns, hash);
    add_all(arch.workers.noc_rows, hash);
    hash.add(arch.noc.flit.value);
    hash.add(arch.noc.max_packet.value);
    hash.add(std::uint64_t{arch.dst.tiles_16bit} << 32U | arch.dst.tiles_32bit);
    hash.add(arch.dram.num_banks);
    for (const DramEndpoint& bank : arch.dram.endpoints) {
        hash.add(pair_of(bank.physical));
        hash.add(pair_of(bank.physical1));
        hash.add(bank.channel);
    }
}

std::vector<std::uint64_t> hashes_of(const std::vector<std::string>& names) {
    std::vector<std::uint64_t> hashes;
    hashes.reserve(names.size());
    for (const std::string& name : names) {
        hashes.push_back(text_hash(name));
    }
    return hashes;
}

/// Hashes the events of a core, with the texts of names in place of their numbers: traces of two
/// runs number them differently.
class CoreHash {
public:
    CoreHash(const CoreTrace& core, std::span<const std::uint64_t> names) : names_(names) {
        add(core);
    }
    [[nodiscard]] const timing::PartKey& key() const noexcept { return hash_.key(); }

private:
    void add(const CoreTrace& core) {
        hash_.add_pair(core.device, pair_of(core.core));
        hash_.add_pair(core.l1_bytes, core.cbs.size());
        for (const CbTrace& cb : core.cbs) {
            hash_.add_pair(std::uint64_t{cb.index} << 32U | static_cast<std::uint64_t>(cb.format),
                           std::uint64_t{cb.pages} << 32U | cb.page_bytes);
        }
        hash_.add(core.threads.size());
        for (const ThreadTrace& thread : core.threads) {
            add(thread);
        }
    }
    void add(const ThreadTrace& thread) {
        const ComputeModes& modes = thread.compute;
        hash_.add_pair(name(thread.kernel), static_cast<std::uint64_t>(thread.processor));
        hash_.add(static_cast<std::uint64_t>(modes.fidelity) << 8U |
                  std::uint64_t{modes.fp32_dest_acc} | std::uint64_t{modes.dst_full_sync} << 1U |
                  std::uint64_t{modes.approximate} << 2U);
        hash_.add_pair(thread.sites.size(), thread.events.size());
        for (const TraceSite& site : thread.sites) {
            hash_.add_pair(name(site.file), site.line);
        }
        for (const TraceEvent& event : thread.events) {
            const bool is_name = event.kind == EventKind::Sfpu ||
                                 event.kind == EventKind::ZoneBegin ||
                                 event.kind == EventKind::ZoneEnd;
            hash_.add_pair(static_cast<std::uint64_t>(event.kind) << 56U |
                               std::uint64_t{event.detail} << 48U |
                               std::uint64_t{event.site} << 32U | event.count,
                           is_name ? name(event.argument) : event.argument);
        }
    }
    [[nodiscard]] std::uint64_t name(std::uint64_t number) const {
        return number < names_.size() ? names_[number] : 0;
    }

    KeyHash hash_;
    std::span<const std::uint64_t> names_;
};

/// Adds the cores and initial words of a part.
void add(const Trace& trace, const timing::LaunchPart& part, std::span<const InitialWord> words,
         KeyHash& hash) {
    const std::vector<std::uint64_t> names = hashes_of(trace.names);
    std::vector<timing::PartKey> cores(part.cores.size());
    isolated_for(cores.size(),
                 [&](std::size_t i) { cores[i] = CoreHash(part.cores[i], names).key(); });
    hash.add(cores.size());
    for (const timing::PartKey& core : cores) {
        hash.add_pair(core.halves[0], core.halves[1]);
    }
    for (const InitialWord& word : words) {
        // Unsigned: a device before the part gives a large number and is skipped, too.
        if (word.device - part.devices.first >= part.devices.count) {
            continue;
        }
        hash.add_pair(std::uint64_t{word.device} << 32U | word.address,
                      pair_of(word.core) ^ word.value);
        hash.add(word.value);
    }
}

}  // namespace

LaunchKeys::LaunchKeys(const TimedMachine& machine, const std::string& made_by)
    : functions_(machine.timing.expected.sfpu) {
    // Another build may predict other times, so it must not find those of this one.
    machine_.add(text_hash(made_by));
    add(machine.arch, machine_);
    const MeshSpec& mesh = machine.mesh;
    num_devices_ = mesh.shape.num_devices();
    machine_.add_pair(std::uint64_t{mesh.shape.rows} << 32U | mesh.shape.columns,
                      static_cast<std::uint64_t>(mesh.topology));
    TimingBounds bounds = machine.timing;
    machine_.add(std::bit_cast<std::uint64_t>(bounds.expected.clock.value));
    const config::TimingWalk walk(bounds, [this](const config::TimingConstant& constant) {
        constexpr std::string_view kTiming = "timing.";
        // Ranges decide the draws, and with them the interval.
        std::string text = constant.key;
        for (const void* end : {constant.low, constant.expected, constant.high}) {
            text += ' ' + constant.field->number(end);
        }
        constants_.push_back({constant.key.substr(kTiming.size()), text_hash(text)});
    });
}

timing::PartKey LaunchKeys::key_of(const Trace& trace, const LaunchTrace& launch) const {
    return key_of(trace, launch, ReadConstants(functions_, trace, launch.cores));
}

timing::PartKey LaunchKeys::key_of(const Trace& trace, const LaunchTrace& launch,
                                   const ReadConstants& read) const {
    return key_of(trace, launch, {{0, num_devices_}, launch.cores}, read);
}

timing::PartKey LaunchKeys::key_of(const Trace& trace, const LaunchTrace& launch,
                                   const timing::LaunchPart& part) const {
    return key_of(trace, launch, part, ReadConstants(functions_, trace, part.cores));
}

timing::PartKey LaunchKeys::key_of(const Trace& trace, const LaunchTrace& launch,
                                   const timing::LaunchPart& part,
                                   const ReadConstants& read) const {
    KeyHash hash = machine_;
    for (const Constant& constant : constants_) {
        if (read.reads(constant.key)) {
            hash.add(constant.hash);
        }
    }
    add(trace, part, launch.initial_words, hash);
    return hash.key();
}

}  // namespace tessera::timed_run
