// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/launch_key.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string_view>

#include "emu/base/counted_random.hpp"
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

constexpr std::uint32_t bit_of(Activity activity) noexcept {
    return 1U << static_cast<unsigned>(activity);
}

/// Constants of `compute:` that price calls of some kinds only, by the start of their names. All
/// other constants belong to the activities that they price.
struct CallConstants {
    std::string_view prefix;
    std::uint64_t kinds = 0;  ///< bits of EventKind
};

constexpr std::uint64_t bit_of(EventKind kind) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(kind);
}

constexpr std::array kCallConstants{
    CallConstants{"compute.matmul_",
                  bit_of(EventKind::MatmulTiles) | bit_of(EventKind::MatmulBlock)},
    // A reduction of columns has the price of an element-wise product.
    CallConstants{"compute.eltwise_", bit_of(EventKind::EltwiseBinary) | bit_of(EventKind::Reduce)},
    CallConstants{"compute.reduce_", bit_of(EventKind::Reduce)},
    CallConstants{"compute.transpose", bit_of(EventKind::Transpose)},
    CallConstants{"compute.tilize_", bit_of(EventKind::Tilize)},
    CallConstants{"compute.untilize_", bit_of(EventKind::Untilize)},
    CallConstants{"compute.pack_untilize_", bit_of(EventKind::PackUntilize)},
};

/// Part of a launch's events that decides which constants its replay reads.
struct LaunchContents {
    bool has_transfers = false;
    bool uses_dram = false;
    bool uses_fabric = false;
    std::uint32_t compute = 0;          ///< bits of activities of compute kernels
    std::uint64_t calls = 0;            ///< bits of kinds of their events
    std::set<std::uint64_t> functions;  ///< of the vector unit, by number of their name
};

void note_compute(const TraceEvent& event, LaunchContents& contents) {
    contents.calls |= bit_of(event.kind);
    switch (event.kind) {
        case EventKind::MatmulTiles:
        case EventKind::MatmulBlock:
            contents.compute |= bit_of(Activity::Matmul) | bit_of(Activity::Unpack);
            break;
        case EventKind::EltwiseBinary:
        case EventKind::Copy:
        case EventKind::Reduce:
        case EventKind::Transpose:
        case EventKind::Tilize:
        case EventKind::Untilize:
            contents.compute |= bit_of(Activity::Eltwise) | bit_of(Activity::Unpack);
            break;
        case EventKind::Sfpu:
            contents.compute |= bit_of(Activity::Sfpu);
            contents.functions.insert(event.argument);
            break;
        case EventKind::VectorFunction:
            contents.compute |= bit_of(Activity::Sfpu);
            break;
        case EventKind::Pack:
        case EventKind::PackUntilize:
            contents.compute |= bit_of(Activity::Pack);
            break;
        case EventKind::UnitInit:
            contents.compute |= bit_of(Activity::UnitInit);
            break;
        default:
            contents.compute |= bit_of(Activity::CbCall) | bit_of(Activity::DstCall);
            break;
    }
}

void note_data_movement(const TraceEvent& event, LaunchContents& contents) {
    switch (event.kind) {
        case EventKind::NocRead:
        case EventKind::NocWrite:
            contents.uses_dram |= TransferArgument::unpack(event.argument).place.is_dram();
            break;
        case EventKind::WordWrite:
            contents.uses_dram |= WordArgument::unpack(event.argument).place.is_dram();
            break;
        default:
            break;
    }
    const bool is_of_core = event.kind <= EventKind::CbPop ||
                            event.kind == EventKind::Instructions ||
                            event.kind == EventKind::ZoneBegin || event.kind == EventKind::ZoneEnd;
    contents.has_transfers |= !is_of_core;
    contents.uses_fabric |=
        event.kind >= EventKind::FabricOpen && event.kind <= EventKind::FabricWord;
}

LaunchContents contents_of(std::span<const CoreTrace> cores) {
    LaunchContents contents;
    for (const CoreTrace& core : cores) {
        for (const ThreadTrace& thread : core.threads) {
            const bool is_compute = thread.processor == Processor::Compute;
            for (const TraceEvent& event : thread.events) {
                is_compute ? note_compute(event, contents) : note_data_movement(event, contents);
            }
        }
    }
    // Packets of the fabric end in DRAM as well as in L1.
    contents.uses_dram |= contents.uses_fabric;
    return contents;
}

bool is_among(std::string_view key, std::span<const config::PricedConstant> constants) {
    return std::ranges::find(constants, key, &config::PricedConstant::key) != constants.end();
}

/// Returns whether a call of `name` may have the price of the function `row`. A row is the name
/// without "_tile", with a suffix for a mode.
bool is_price_of(std::string_view row, std::string_view name) {
    const std::string_view function = name.substr(0, name.find("_tile"));
    return row.starts_with(function);
}

/// Decides for each constant whether a launch reads it.
class ReadConstants {
public:
    ReadConstants(const Trace& trace, std::span<const CoreTrace> cores)
        : trace_(trace), contents_(contents_of(cores)) {}

    [[nodiscard]] bool reads(std::string_view key) const {
        constexpr std::string_view kFunctions = "sfpu.functions.";
        const std::string_view section = key.substr(0, key.find('.'));
        if (key.starts_with(kFunctions)) {
            return calls(key.substr(kFunctions.size()));
        }
        if (section == "noc") {
            return contents_.has_transfers;
        }
        if (section == "dram") {
            return contents_.uses_dram;
        }
        if (section == "link") {
            return contents_.uses_fabric;
        }
        if (section == "compute") {
            return prices(key, contents_.compute) && prices_a_call(key);
        }
        if (section == "sfpu") {
            return (contents_.compute & bit_of(Activity::Sfpu)) != 0;
        }
        if (section == "dispatch") {
            return prices(key, bit_of(Activity::NotStarted) | bit_of(Activity::Start) |
                                   bit_of(Activity::Finished));
        }
        // Errors of the model widen the interval after the replay.
        return section != "model_error";
    }

private:
    [[nodiscard]] bool calls(std::string_view row) const {
        return std::ranges::any_of(contents_.functions, [&](std::uint64_t name) {
            return name < trace_.names.size() && is_price_of(row, trace_.names[name]);
        });
    }
    [[nodiscard]] bool prices_a_call(std::string_view key) const {
        const auto* const row = std::ranges::find_if(
            kCallConstants, [&](const CallConstants& of) { return key.starts_with(of.prefix); });
        return row == kCallConstants.end() || (row->kinds & contents_.calls) != 0;
    }
    [[nodiscard]] static bool prices(std::string_view key, std::uint32_t activities) {
        for (std::size_t i = 0; i < kNumActivities; ++i) {
            const auto activity = static_cast<Activity>(i);
            if ((activities & bit_of(activity)) != 0 &&
                is_among(key, config::constants_of(activity))) {
                return true;
            }
        }
        return false;
    }

    const Trace& trace_;
    LaunchContents contents_;
};

/// Hashes the events of a launch, with the texts of names in place of their numbers: traces of two
/// runs number them differently.
class LaunchHash {
public:
    LaunchHash(KeyHash& hash, const Trace& trace) : hash_(hash) {
        for (const std::string& name : trace.names) {
            names_.push_back(text_hash(name));
        }
    }

    void add(const timing::LaunchPart& part, std::span<const InitialWord> words) {
        hash_.add(part.cores.size());
        for (const CoreTrace& core : part.cores) {
            add(core);
        }
        for (const InitialWord& word : words) {
            if (word.device - part.devices.first >= part.devices.count) {
                continue;
            }
            hash_.add_pair(std::uint64_t{word.device} << 32U | word.address,
                           pair_of(word.core) ^ word.value);
            hash_.add(word.value);
        }
    }

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

    KeyHash& hash_;
    std::vector<std::uint64_t> names_;
};

}  // namespace

LaunchKeys::LaunchKeys(const TimedMachine& machine, const std::string& made_by) {
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
    return key_of(trace, launch, {{0, num_devices_}, launch.cores});
}

timing::PartKey LaunchKeys::key_of(const Trace& trace, const LaunchTrace& launch,
                                   const timing::LaunchPart& part) const {
    KeyHash hash = machine_;
    const ReadConstants read(trace, part.cores);
    for (const Constant& constant : constants_) {
        if (read.reads(constant.key)) {
            hash.add(constant.hash);
        }
    }
    LaunchHash(hash, trace).add(part, launch.initial_words);
    return hash.key();
}

std::vector<std::string> LaunchKeys::constants_read(const Trace& trace,
                                                    const LaunchTrace& launch) const {
    const ReadConstants read(trace, launch.cores);
    std::vector<std::string> keys;
    for (const Constant& constant : constants_) {
        if (read.reads(constant.key)) {
            keys.push_back(constant.key);
        }
    }
    return keys;
}

}  // namespace tessera::timed_run
