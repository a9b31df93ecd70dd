// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/read_constants.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "emu/base/isolated_for.hpp"
#include "emu/timing/cost/sfpu_cost.hpp"
#include "runtime/config/timing_constants.hpp"

namespace tessera::timed_run {
namespace {

constexpr std::uint32_t bit_of(Activity activity) noexcept {
    return 1U << static_cast<unsigned>(activity);
}

template <class... Kinds>
constexpr std::uint64_t bits_of(Kinds... kinds) noexcept {
    return (std::uint64_t{0} | ... | (std::uint64_t{1} << static_cast<unsigned>(kinds)));
}

/// Properties of calls that their kinds do not state. Their bits follow those of kinds.
enum class Trait : std::uint8_t {
    Multiplies = static_cast<std::uint8_t>(EventKind::ZoneEnd) + 1,  ///< element by element
    Adds,
    OperandInDst,
    UnpacksPair,
    UnpacksOne,
    CopiesBlock,
    ReducesRows,
    ReducesToScalar,
    Accumulates,
    PacksDst32,
    Loads,
    Stores,
    Products,
    Divides,
};
static_assert(static_cast<unsigned>(Trait::Divides) < 64, "a trait needs a bit");

/// Constants that price some calls only, by the start of their names. All other constants belong to
/// the activities that they price.
struct CallConstants {
    std::string_view prefix;
    std::uint64_t calls = 0;  ///< bits of EventKind and Trait
};

using enum EventKind;

constexpr std::uint64_t kProducts = bits_of(MatmulTiles, MatmulBlock);

// The first row whose prefix fits decides, so a longer prefix comes before a shorter one.
constexpr std::array kCallConstants{
    CallConstants{"compute.unpack_pair_share", bits_of(Trait::UnpacksPair) | kProducts},
    CallConstants{"compute.unpack_pair_call", bits_of(Trait::UnpacksPair)},
    CallConstants{"compute.unpack_call", bits_of(Trait::UnpacksOne)},
    CallConstants{"compute.unpack_block_call", bits_of(Trait::CopiesBlock)},
    CallConstants{"compute.unpack_next_srca", kProducts},
    CallConstants{"compute.unpack_run", bits_of(MatmulBlock)},
    CallConstants{"compute.matmul_tiles_start", bits_of(MatmulTiles)},
    CallConstants{"compute.matmul_block_start", bits_of(MatmulBlock)},
    CallConstants{"compute.matmul_", kProducts},
    CallConstants{"compute.eltwise_add", bits_of(Trait::Adds)},
    // A reduction of columns has the price of an element-wise product.
    CallConstants{"compute.eltwise_", bits_of(Trait::Multiplies)},
    CallConstants{"compute.copy_tile", bits_of(Copy, Tilize, Untilize, Trait::OperandInDst)},
    CallConstants{"compute.reduce_row", bits_of(Trait::ReducesRows)},
    CallConstants{"compute.reduce_scalar", bits_of(Trait::ReducesToScalar)},
    CallConstants{"compute.transpose", bits_of(Transpose)},
    CallConstants{"compute.tilize_", bits_of(Tilize)},
    CallConstants{"compute.untilize_", bits_of(Untilize)},
    CallConstants{"compute.pack_untilize_", bits_of(PackUntilize)},
    CallConstants{"compute.pack_accumulate", bits_of(Trait::Accumulates)},
    CallConstants{"compute.pack_dst_32bit", bits_of(Trait::PacksDst32)},
    CallConstants{"compute.pack_start", bits_of(Pack)},
    CallConstants{"risc.read_issue", bits_of(NocRead)},
    CallConstants{"risc.write_issue", bits_of(NocWrite)},
    CallConstants{"risc.set_state", bits_of(NocSetState)},
    CallConstants{"risc.multicast_issue", bits_of(NocMulticast)},
    CallConstants{"risc.semaphore_issue",
                  bits_of(SemaphoreAdd, WordWrite, MulticastWord, MulticastAdd)},
    CallConstants{"risc.barrier_poll",
                  bits_of(ReadBarrier, WriteBarrier, WriteFlush, AtomicBarrier)},
    CallConstants{"risc.semaphore_poll", bits_of(SemaphoreWait)},
    CallConstants{"risc.local_word", bits_of(LocalWord)},
    CallConstants{"risc.cb_reserve", bits_of(CbReserve)},
    CallConstants{"risc.cb_push", bits_of(CbPush)},
    CallConstants{"risc.cb_wait", bits_of(CbWait)},
    CallConstants{"risc.cb_pop", bits_of(CbPop)},
    CallConstants{"risc.zone_mark", bits_of(ZoneBegin, ZoneEnd)},
    CallConstants{"risc.loop_control", bits_of(Instructions)},
    CallConstants{"risc.instruction", bits_of(Instructions)},
    CallConstants{"risc.load", bits_of(Trait::Loads)},
    CallConstants{"risc.store", bits_of(Trait::Stores)},
    CallConstants{"risc.product", bits_of(Trait::Products)},
    CallConstants{"risc.dividend_bit", bits_of(Trait::Divides)},
    CallConstants{"sfpu.instruction", bits_of(VectorFunction)},
};

std::uint64_t traits_of_binary(std::uint8_t detail) {
    const bool is_in_dst = (detail & (EltwiseDetail::kDestReuse | EltwiseDetail::kFromDst)) != 0;
    const bool multiplies = (detail & EltwiseDetail::kMultiply) != 0;
    return (is_in_dst ? bits_of(Trait::OperandInDst, Trait::UnpacksOne)
                      : bits_of(Trait::UnpacksPair)) |
           bits_of(multiplies ? Trait::Multiplies : Trait::Adds);
}

std::uint64_t traits_of_reduce(std::uint8_t detail) {
    const std::uint8_t dim = detail & ReduceDetail::kDim;
    return bits_of(Trait::UnpacksPair, dim == ReduceDetail::kRow      ? Trait::ReducesRows
                                       : dim == ReduceDetail::kColumn ? Trait::Multiplies
                                                                      : Trait::ReducesToScalar);
}

std::uint64_t traits_of_pack(std::uint8_t detail) {
    return ((detail & PackDetail::kAccumulates) != 0 ? bits_of(Trait::Accumulates) : 0) |
           ((detail & PackDetail::kDst32) != 0 ? bits_of(Trait::PacksDst32) : 0);
}

std::uint64_t traits_of_instructions(std::uint64_t word) {
    const auto argument = InstructionArgument::unpack(word);
    return (argument.load_waits != 0 ? bits_of(Trait::Loads) : 0) |
           (argument.store_waits != 0 ? bits_of(Trait::Stores) : 0) |
           (argument.products != 0 ? bits_of(Trait::Products) : 0) |
           (argument.dividend_bits != 0 ? bits_of(Trait::Divides) : 0);
}

std::uint64_t traits_of(const TraceEvent& event) {
    switch (event.kind) {
        case EltwiseBinary:
            return traits_of_binary(event.detail);
        case Reduce:
            return traits_of_reduce(event.detail);
        case Copy:
            return bits_of((event.detail & CopyDetail::kInBlock) != 0 ? Trait::CopiesBlock
                                                                      : Trait::UnpacksOne);
        case Transpose:
            return bits_of(Trait::UnpacksOne);
        case Pack:
        case PackUntilize:
            return traits_of_pack(event.detail);
        case Instructions:
            return traits_of_instructions(event.argument);
        default:
            return 0;
    }
}

/// Returns the activities of a compute kernel's event, as bits.
std::uint32_t activities_of(EventKind kind) {
    switch (kind) {
        case MatmulTiles:
        case MatmulBlock:
            return bit_of(Activity::Matmul) | bit_of(Activity::Unpack);
        case EltwiseBinary:
        case Copy:
        case Reduce:
        case Transpose:
        case Tilize:
        case Untilize:
            return bit_of(Activity::Eltwise) | bit_of(Activity::Unpack);
        case Sfpu:
        case VectorFunction:
            return bit_of(Activity::Sfpu);
        case Pack:
        case PackUntilize:
            return bit_of(Activity::Pack);
        case UnitInit:
            return bit_of(Activity::UnitInit);
        case CbReserve:
        case CbPush:
        case CbWait:
        case CbPop:
            return bit_of(Activity::CbCall);
        default:
            return bit_of(Activity::DstCall);
    }
}

void note_data_movement(const TraceEvent& event, LaunchContents& contents) {
    switch (event.kind) {
        case NocRead:
        case NocWrite:
            contents.uses_dram |= TransferArgument::unpack(event.argument).place.is_dram();
            break;
        case WordWrite:
            contents.uses_dram |= WordArgument::unpack(event.argument).place.is_dram();
            break;
        default:
            break;
    }
    const bool is_of_core = event.kind <= CbPop || event.kind == Instructions ||
                            event.kind == ZoneBegin || event.kind == ZoneEnd;
    contents.has_transfers |= !is_of_core;
    contents.uses_fabric |= event.kind >= FabricOpen && event.kind <= FabricWord;
}

/// Collects the contents of a core.
class Collector {
public:
    Collector(const SfpuTiming& functions, const Trace& trace)
        : functions_(functions), trace_(trace) {}

    void add(const ThreadTrace& thread) {
        const bool is_compute = thread.processor == Processor::Compute;
        for (const TraceEvent& event : thread.events) {
            // CB calls of a compute kernel have a price of their own.
            const bool is_risc_price = !is_compute || event.kind > CbPop;
            contents_.calls |= is_risc_price ? bits_of(event.kind) | traits_of(event) : 0;
            if (!is_compute) {
                note_data_movement(event, contents_);
                continue;
            }
            contents_.compute |= activities_of(event.kind);
            if (event.kind == Sfpu) {
                add_function(event);
            }
        }
    }
    [[nodiscard]] LaunchContents take() { return std::move(contents_); }

private:
    // Looks up the row of a function once: a trace has few functions and thousands of calls.
    void add_function(const TraceEvent& event) {
        if (!seen_.emplace(event.argument, event.detail).second ||
            event.argument >= trace_.names.size()) {
            return;
        }
        const auto row =
            timing::row_of_call(functions_, trace_.names[event.argument], event.detail);
        if (row.empty()) {
            contents_.has_other_function = true;
        } else {
            contents_.functions.emplace(row);
        }
    }

    const SfpuTiming& functions_;
    const Trace& trace_;
    std::set<std::pair<std::uint64_t, std::uint8_t>> seen_;
    LaunchContents contents_;
};

void join(const LaunchContents& more, LaunchContents& contents) {
    contents.has_transfers |= more.has_transfers;
    contents.uses_dram |= more.uses_dram;
    contents.uses_fabric |= more.uses_fabric;
    contents.compute |= more.compute;
    contents.calls |= more.calls;
    contents.functions.insert(more.functions.begin(), more.functions.end());
    contents.has_other_function |= more.has_other_function;
}

bool is_among(std::string_view key, std::span<const config::PricedConstant> constants) {
    return std::ranges::find(constants, key, &config::PricedConstant::key) != constants.end();
}

bool prices(std::string_view key, std::uint32_t activities) {
    for (std::size_t i = 0; i < kNumActivities; ++i) {
        const auto activity = static_cast<Activity>(i);
        if ((activities & bit_of(activity)) != 0 && is_among(key, config::constants_of(activity))) {
            return true;
        }
    }
    return false;
}

bool prices_a_call(std::string_view key, std::uint64_t calls) {
    const auto* const row = std::ranges::find_if(
        kCallConstants, [&](const CallConstants& of) { return key.starts_with(of.prefix); });
    return row == kCallConstants.end() || (row->calls & calls) != 0;
}

/// Returns whether a run reads a constant of the time before one of its launches.
bool reads_before(std::string_view key, const LaunchTrace& launch) {
    if (key == "dispatch.host_read") {
        return std::ranges::any_of(launch.dispatch,
                                   [](const auto& of) { return of.host_reads > 0; });
    }
    return is_among(key, config::constants_of_gaps());
}

}  // namespace

ReadConstants::ReadConstants(const SfpuTiming& functions, const Trace& trace,
                             std::span<const CoreTrace> cores) {
    // In parallel: on one thread, reading and hashing the events of a launch took 4 % of a run of
    // deepseek_v32_decode.
    std::vector<LaunchContents> of_core(cores.size());
    isolated_for(cores.size(), [&](std::size_t i) {
        Collector collector(functions, trace);
        for (const ThreadTrace& thread : cores[i].threads) {
            collector.add(thread);
        }
        of_core[i] = collector.take();
    });
    for (const LaunchContents& core : of_core) {
        join(core, contents_);
    }
    // Packets of the fabric end in DRAM as well as in L1.
    contents_.uses_dram |= contents_.uses_fabric;
}

bool ReadConstants::reads(std::string_view key) const {
    constexpr std::string_view kFunctions = "sfpu.functions.";
    const std::string_view section = key.substr(0, key.find('.'));
    if (key.starts_with(kFunctions)) {
        return contents_.functions.contains(key.substr(kFunctions.size()));
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
        return prices(key, contents_.compute) && prices_a_call(key, contents_.calls);
    }
    if (key == "sfpu.other") {
        return contents_.has_other_function;
    }
    if (section == "sfpu") {
        return prices(key, contents_.compute) && prices_a_call(key, contents_.calls);
    }
    if (section == "dispatch") {
        return prices(key, bit_of(Activity::NotStarted) | bit_of(Activity::Start) |
                               bit_of(Activity::Finished));
    }
    // Errors of the model widen the interval after the replay.
    return section != "model_error" && prices_a_call(key, contents_.calls);
}

ConstantKeys constants_read(const TimingBounds& timing, const ReadConstants& read,
                            const LaunchTrace& launch) {
    constexpr std::string_view kTiming = "timing.";
    TimingBounds bounds = timing;
    ConstantKeys keys;
    const config::TimingWalk walk(bounds, [&](const config::TimingConstant& constant) {
        const std::string key = constant.key.substr(kTiming.size());
        if (read.reads(key) || reads_before(key, launch)) {
            keys.insert(key);
        }
    });
    return keys;
}

}  // namespace tessera::timed_run
