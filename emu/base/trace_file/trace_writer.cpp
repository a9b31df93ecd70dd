// SPDX-License-Identifier: Apache-2.0
#include "emu/base/trace_file/trace_writer.hpp"

#include <utility>

#include "emu/base/trace_file/byte_writer.hpp"
#include "emu/base/trace_file/launch_codec.hpp"
#include "emu/base/trace_file/section.hpp"

namespace tessera {

using trace_file::ByteWriter;
using trace_file::section_bytes;
using trace_file::SectionKind;

TraceWriter::TraceWriter(std::filesystem::path path) : file_(std::move(path)) {
    write(trace_file::start_bytes());
}

void TraceWriter::write(std::string_view bytes) {
    file_.write_at(size_, std::as_bytes(std::span(bytes)));
    size_ += bytes.size();
}

void TraceWriter::write_head(const Trace& so_far) {
    if (std::exchange(has_head_, true)) {
        return;
    }
    ByteWriter head;
    head.text(so_far.arch);
    head.number(so_far.mesh.shape.rows);
    head.number(so_far.mesh.shape.columns);
    head.number(static_cast<std::uint8_t>(so_far.mesh.topology));
    head.text(so_far.mesh.device);
    write(section_bytes(SectionKind::Head, head.bytes()));
}

void TraceWriter::append(const Trace& so_far, const LaunchTrace& launch) {
    write_head(so_far);
    if (num_names_ < so_far.names.size()) {
        ByteWriter names;
        names.number(static_cast<std::uint32_t>(so_far.names.size() - num_names_));
        for (; num_names_ < so_far.names.size(); ++num_names_) {
            names.text(so_far.names[num_names_]);
        }
        write(section_bytes(SectionKind::Names, names.bytes()));
    }
    write(section_bytes(SectionKind::Launch, trace_file::encode_launch(launch)));
    ++num_launches_;
}

void TraceWriter::finish(const Trace& so_far) {
    write_head(so_far);
    ByteWriter end;
    end.number(num_launches_);
    write(section_bytes(SectionKind::End, end.bytes()));
    file_.finish();
}

void write_trace(const std::filesystem::path& path, const Trace& trace) {
    TraceWriter writer(path);
    for (const LaunchTrace& launch : trace.launches) {
        writer.append(trace, launch);
    }
    writer.finish(trace);
}

}  // namespace tessera
