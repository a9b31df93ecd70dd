// SPDX-License-Identifier: Apache-2.0
#include "emu/base/trace_file/launch_codec.hpp"

#include <fmt/format.h>

#include <type_traits>

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
    void list(const std::vector<Element>& values, std::size_t /*least_bytes*/, Visit visit) {
        writer.number(static_cast<std::uint32_t>(values.size()));
        for (const Element& value : values) {
            visit(value);
        }
    }
    void events(const std::vector<TraceEvent>& values) {
        writer.number(std::uint64_t{values.size()});
        writer.elements(std::span(values));
    }
    ByteWriter writer;
};

/// Reads them.
class Decoder {
public:
    explicit Decoder(std::string_view bytes) : reader(bytes) {}
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
    void list(std::vector<Element>& values, std::size_t least_bytes, Visit visit) {
        values.resize(reader.count(least_bytes));
        for (Element& value : values) {
            visit(value);
        }
    }
    void events(std::vector<TraceEvent>& values) {
        reader.elements(reader.number<std::uint64_t>(), values);
    }
    ByteReader reader;
};

template <class Codec, class Thread>
void code_thread(Codec& codec, Thread& thread) {
    fields(codec, thread.processor, thread.default_noc, thread.kernel, thread.compute.fidelity,
           thread.compute.fp32_dest_acc, thread.compute.dst_full_sync, thread.compute.approximate);
    codec.list(thread.sites, 8, [&](auto& site) { fields(codec, site.file, site.line); });
    codec.events(thread.events);
}

template <class Codec, class Core>
void code_core(Codec& codec, Core& core) {
    fields(codec, core.device, core.core.x, core.core.y);
    codec.list(core.cbs, 10,
               [&](auto& cb) { fields(codec, cb.index, cb.format, cb.pages, cb.page_bytes); });
    fields(codec, core.l1_bytes);
    codec.list(core.threads, 22, [&](auto& thread) { code_thread(codec, thread); });
}

template <class Codec, class Dispatch>
void code_dispatch(Codec& codec, Dispatch& d) {
    fields(codec, d.device, d.kernels, d.cores, d.threads, d.cbs, d.semaphores, d.unique_args,
           d.common_args, d.binary_bytes, d.host_reads);
}

template <class Codec, class Launch>
void code_launch(Codec& codec, Launch& launch) {
    fields(codec, launch.name);
    codec.list(launch.dispatch, 38, [&](auto& dispatch) { code_dispatch(codec, dispatch); });
    codec.list(launch.cores, 22, [&](auto& core) { code_core(codec, core); });
    codec.list(launch.initial_words, 18, [&](auto& word) {
        fields(codec, word.device, word.core.x, word.core.y, word.address, word.value);
    });
}

void check(bool holds, const char* what, std::uint64_t number) {
    if (!holds) {
        throw CorruptBytes{fmt::format("it has {} {}", what, number)};
    }
}

bool has_name(EventKind kind) {
    return kind == EventKind::Sfpu || kind == EventKind::ZoneBegin || kind == EventKind::ZoneEnd;
}

void check_thread(const ThreadTrace& thread, std::size_t num_names) {
    check(static_cast<std::size_t>(thread.processor) < kNumProcessors, "processor",
          static_cast<std::uint64_t>(thread.processor));
    check(thread.kernel < num_names, "name", thread.kernel);
    for (const TraceSite& site : thread.sites) {
        check(site.file < num_names, "name", site.file);
    }
    for (const TraceEvent& event : thread.events) {
        check(event.kind <= EventKind::ZoneEnd, "kind of event",
              static_cast<std::uint64_t>(event.kind));
        check(event.site < thread.sites.size(), "site", event.site);
        check(!has_name(event.kind) || event.argument < num_names, "name", event.argument);
    }
}

}  // namespace

std::string encode_launch(const LaunchTrace& launch) {
    Encoder encoder;
    code_launch(encoder, launch);
    return encoder.writer.bytes();
}

LaunchTrace decode_launch(std::string_view bytes, std::size_t num_names) {
    Decoder decoder(bytes);
    LaunchTrace launch;
    code_launch(decoder, launch);
    if (!decoder.reader.is_empty()) {
        throw CorruptBytes{"it goes on behind its end"};
    }
    for (const CoreTrace& core : launch.cores) {
        for (const ThreadTrace& thread : core.threads) {
            check_thread(thread, num_names);
        }
    }
    return launch;
}

}  // namespace tessera::trace_file
