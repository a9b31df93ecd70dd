// SPDX-License-Identifier: Apache-2.0
#include "emu/base/trace_file/launch_codec.hpp"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "emu/base/event_kinds.hpp"
#include "emu/base/trace_file/byte_reader.hpp"
#include "emu/base/trace_file/byte_writer.hpp"

namespace tessera::trace_file {
namespace {

// One list of fields for both directions, so that they cannot differ.
template <class Codec, class First, class... Rest>
void fields(Codec& codec, First& first, Rest&... rest) {
    codec.field(first);
    (codec.field(rest), ...);
}

/// Name of a list's elements, the minimum bytes per element, and the maximum number in a launch.
struct ListLimits {
    const char* what;
    std::size_t least_bytes;
    std::uint32_t most;
};

constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
constexpr ListLimits kDispatches{"dispatches", 38, kMostDevices};
// 4096 cores per device: the largest grids have 140.
constexpr ListLimits kCores{"cores", 22, 4096 * kMostDevices};
constexpr ListLimits kInitialWords{"initial words", 18, kAny};
constexpr ListLimits kCbs{"CBs of a core", 10, 64};
constexpr ListLimits kThreads{"threads of a core", 22, kNumProcessors};
constexpr ListLimits kSites{"sites of a thread", 8, 65536};

void check(bool holds, const char* what, std::uint64_t number) {
    if (!holds) {
        throw CorruptBytes{fmt::format("it has {} {}", what, number)};
    }
}

void check_at_most(const char* what, std::uint64_t number, std::uint64_t most) {
    if (number > most) {
        throw CorruptBytes{fmt::format("it has {} {}; allowed: at most {}", number, what, most)};
    }
}

void check_event(const TraceEvent& event, const ThreadTrace& thread, std::size_t num_names) {
    check(event.kind <= EventKind::ZoneEnd, "kind of event",
          static_cast<std::uint64_t>(event.kind));
    check(event.site < thread.sites.size(), "site", event.site);
    check(!has_name(event.kind) || event.argument < num_names, "name", event.argument);
    if (is_run(event.kind)) {
        if (event.count == 0) {
            throw CorruptBytes{"it has a run of no events"};
        }
        check_at_most("events in a run", event.count, kMostOfARun);
    }
}

void check_thread(const ThreadTrace& thread, std::size_t num_names) {
    check(static_cast<std::size_t>(thread.processor) < kNumProcessors, "processor",
          static_cast<std::uint64_t>(thread.processor));
    check(thread.kernel < num_names, "name", thread.kernel);
    for (const TraceSite& site : thread.sites) {
        check(site.file < num_names, "name", site.file);
    }
}

/// Writes each field of a structure.
class Encoder {
public:
    template <class Field>
    void field(const Field& value) {
        if constexpr (std::is_same_v<Field, std::string>) {
            writer.text(value);
        } else if constexpr (std::is_same_v<Field, bool>) {
            writer.number(static_cast<std::uint8_t>(value));
        } else if constexpr (std::is_enum_v<Field>) {
            writer.number(static_cast<std::underlying_type_t<Field>>(value));
        } else {
            writer.number(value);
        }
    }
    template <class Element, class Visit>
    void list(const std::vector<Element>& values, const ListLimits& /*limits*/, Visit visit) {
        writer.number(static_cast<std::uint32_t>(values.size()));
        for (const Element& value : values) {
            visit(value);
        }
    }
    void events(const ThreadTrace& thread) {
        writer.number(std::uint64_t{thread.events.size()});
        writer.elements(std::span(thread.events));
    }
    ByteWriter writer;
};

/// Reads and checks fields. Lists grow as their elements are read, so a false count costs no
/// memory.
class Decoder {
public:
    Decoder(std::string_view bytes, std::size_t num_names) : reader(bytes), num_names_(num_names) {}
    template <class Field>
    void field(Field& value) {
        if constexpr (std::is_same_v<Field, std::string>) {
            value = reader.text();
        } else if constexpr (std::is_same_v<Field, bool>) {
            value = reader.number<std::uint8_t>() != 0;
        } else if constexpr (std::is_enum_v<Field>) {
            value = static_cast<Field>(reader.number<std::underlying_type_t<Field>>());
        } else {
            value = reader.number<Field>();
        }
    }
    template <class Element, class Visit>
    void list(std::vector<Element>& values, const ListLimits& limits, Visit visit) {
        const std::uint32_t count = reader.count(limits.least_bytes);
        check_at_most(limits.what, count, limits.most);
        for (std::uint32_t i = 0; i < count; ++i) {
            visit(values.emplace_back());
        }
    }
    /// Checks each event before the next, so that invalid events are found before all are in
    /// memory.
    void events(ThreadTrace& thread) {
        check_thread(thread, num_names_);
        const auto count = reader.count<std::uint64_t>(sizeof(TraceEvent));
        thread.events.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto event = reader.element<TraceEvent>();
            check_event(event, thread, num_names_);
            thread.events.push_back(event);
        }
    }
    ByteReader reader;

private:
    std::size_t num_names_;
};

template <class Codec, class Thread>
void code_thread(Codec& codec, Thread& thread) {
    fields(codec, thread.processor, thread.default_noc, thread.kernel, thread.compute.fidelity,
           thread.compute.fp32_dest_acc, thread.compute.dst_full_sync, thread.compute.approximate);
    codec.list(thread.sites, kSites, [&](auto& site) { fields(codec, site.file, site.line); });
    codec.events(thread);
}

template <class Codec, class Core>
void code_core(Codec& codec, Core& core) {
    fields(codec, core.device, core.core.x, core.core.y);
    codec.list(core.cbs, kCbs,
               [&](auto& cb) { fields(codec, cb.index, cb.format, cb.pages, cb.page_bytes); });
    fields(codec, core.l1_bytes);
    codec.list(core.threads, kThreads, [&](auto& thread) { code_thread(codec, thread); });
}

template <class Codec, class Dispatch>
void code_dispatch(Codec& codec, Dispatch& d) {
    fields(codec, d.device, d.kernels, d.cores, d.threads, d.cbs, d.semaphores, d.unique_args,
           d.common_args, d.binary_bytes, d.host_reads);
}

template <class Codec, class Launch>
void code_launch(Codec& codec, Launch& launch) {
    fields(codec, launch.name);
    codec.list(launch.dispatch, kDispatches,
               [&](auto& dispatch) { code_dispatch(codec, dispatch); });
    codec.list(launch.cores, kCores, [&](auto& core) { code_core(codec, core); });
    codec.list(launch.initial_words, kInitialWords, [&](auto& word) {
        fields(codec, word.device, word.core.x, word.core.y, word.address, word.value);
    });
}

}  // namespace

std::string encode_launch(const LaunchTrace& launch) {
    Encoder encoder;
    code_launch(encoder, launch);
    return encoder.writer.bytes();
}

LaunchTrace decode_launch(std::string_view bytes, std::size_t num_names) {
    Decoder decoder(bytes, num_names);
    LaunchTrace launch;
    code_launch(decoder, launch);
    decoder.reader.finish();
    return launch;
}

}  // namespace tessera::trace_file
