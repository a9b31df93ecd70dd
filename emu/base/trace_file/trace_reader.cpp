// SPDX-License-Identifier: Apache-2.0
#include "emu/base/trace_file/trace_reader.hpp"

#include <utility>

#include "emu/base/trace_file/byte_reader.hpp"
#include "emu/base/trace_file/launch_codec.hpp"
#include "tessera/errors.hpp"

namespace tessera {

using trace_file::ByteReader;
using trace_file::CorruptBytes;
using trace_file::Section;
using trace_file::SectionKind;

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

template <class Read>
auto TraceReader::decoded(Read read) {
    try {
        return read();
    } catch (const CorruptBytes& corrupt) {
        throw UsageError(fmt::format("{}: is corrupt: {}", sections_.place(), corrupt.what));
    }
}

TraceReader::TraceReader(const std::filesystem::path& path)
    : file_(path), sections_(path, text_of(file_.bytes())) {
    const Section head = sections_.next();
    require(head.kind == SectionKind::Head, "{}: is corrupt: a trace begins with its head",
            sections_.place());
    decoded([&] { read_head(head); });
}

void TraceReader::read_head(const Section& section) {
    ByteReader reader(section.bytes.view());
    trace_.arch = reader.text();
    trace_.mesh.shape.rows = reader.number<std::uint32_t>();
    trace_.mesh.shape.columns = reader.number<std::uint32_t>();
    const auto [rows, columns] = trace_.mesh.shape;
    const std::uint64_t devices = std::uint64_t{rows} * columns;
    if (devices == 0 || devices > trace_file::kMostDevices) {
        throw CorruptBytes{fmt::format("it has a mesh of {} × {} devices", rows, columns)};
    }
    const auto topology = reader.number<std::uint8_t>();
    if (topology > static_cast<std::uint8_t>(Topology::Torus)) {
        throw CorruptBytes{fmt::format("it has topology {}", topology)};
    }
    trace_.mesh.topology = static_cast<Topology>(topology);
    trace_.mesh.device = reader.text();
    reader.finish();
}

void TraceReader::read_names(const Section& section) {
    ByteReader reader(section.bytes.view());
    for (std::uint32_t n = reader.count(4); n > 0; --n) {
        trace_.names.push_back(reader.text());
    }
    reader.finish();
}

void TraceReader::read_end(const Section& section) {
    ByteReader reader(section.bytes.view());
    const auto count = reader.number<std::uint32_t>();
    reader.finish();
    if (count != num_launches_) {
        throw CorruptBytes{
            fmt::format("its end counts {} launches; the file has {}", count, num_launches_)};
    }
    if (!sections_.is_at_end()) {
        throw CorruptBytes{"bytes follow its end"};
    }
    is_at_end_ = true;
}

std::optional<LaunchTrace> TraceReader::next() {
    while (!is_at_end_) {
        const Section section = sections_.next();
        switch (section.kind) {
            case SectionKind::Head:
                throw UsageError(
                    fmt::format("{}: is corrupt: a trace has one head", sections_.place()));
            case SectionKind::Names:
                decoded([&] { read_names(section); });
                break;
            case SectionKind::Launch:
                ++num_launches_;
                return decoded([&] {
                    return trace_file::decode_launch(section.bytes.view(), trace_.names.size());
                });
            case SectionKind::End:
                decoded([&] { read_end(section); });
                break;
        }
    }
    return std::nullopt;
}

Trace read_trace(const std::filesystem::path& path) {
    TraceReader reader(path);
    std::vector<LaunchTrace> launches;
    while (auto launch = reader.next()) {
        launches.push_back(std::move(*launch));
    }
    Trace trace = reader.so_far();
    trace.launches = std::move(launches);
    return trace;
}

}  // namespace tessera
