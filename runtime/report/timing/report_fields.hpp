// SPDX-License-Identifier: Apache-2.0
// Descriptions of the structs of a timed run: the keys of report.json, in its order.
#pragma once

#include "runtime/report/describe.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/run_path.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::report {

/// Names a line as "kernels/reader.cpp:41", and no line as "".
struct LineCode {
    static Json write(const std::vector<SourceLine>& lines);
    static void read(const Json& json, std::vector<SourceLine>& lines);
};
/// Lists busy, waiting, busy, waiting, … by line.
struct LineTimeCode {
    static Json write(const std::vector<LineTime>& times);
    static void read(const Json& json, std::vector<LineTime>& times);
};
/// Lists five numbers for each stretch: its end, activity (+ 32 if merged), line, object, cause + 1
/// (0: none). There are up to 500 000 stretches, so they have no keys.
struct PointCode {
    static Json write(const std::vector<TimelinePoint>& points);
    static void read(const Json& json, std::vector<TimelinePoint>& points);
};
/// Lists [thread, line, time] of each cause; an unknown thread is -1.
struct CauseCode {
    static Json write(const std::vector<PointCause>& causes);
    static void read(const Json& json, std::vector<PointCause>& causes);
};
/// Lists time, pages, time, pages, …
struct LevelCode {
    using Levels = std::vector<std::pair<Millicycles, std::uint32_t>>;
    static Json write(const Levels& levels);
    static void read(const Json& json, Levels& levels);
};
/// Maps the keys of resources to times, without those of time 0.
struct TransitCode {
    using Times = std::array<Millicycles, kNumResourceKinds>;
    static Json write(const Times& times);
    static void read(const Json& json, Times& times);
};
/// Writes the name of a format: "bfloat16".
struct FormatCode {
    static Json write(DataFormat format);
    static void read(const Json& json, DataFormat& format);
};

/// Maps the names of regimes to {share, error}, without those of share 0.
struct RegimeCode {
    using Regimes = std::array<RegimeError, timing::kNumRegimes>;
    static Json write(const Regimes& regimes);
    static void read(const Json& json, Regimes& regimes);
};

template <class Fields, Either<Ensemble> Value>
void describe(Fields& fields, Value& ensemble) {
    fields("draws", ensemble.draws);
    fields.template coded<RegimeCode>("regimes", ensemble.regimes);
    fields("shared_error", ensemble.shared);
}

template <class Fields, Either<PredictedTime> Time>
void describe(Fields& fields, Time& time) {
    fields("low", time.low);
    fields("expected", time.expected);
    fields("high", time.high);
}

template <class Fields, Either<BoundShare> Bound>
void describe(Fields& fields, Bound& bound) {
    fields("name", bound.name);
    fields("time", bound.time);
}

template <class Fields, Either<AssumedShare> Part>
void describe(Fields& fields, Part& part) {
    fields("name", part.name);
    fields("time", part.time);
    fields("constants", part.constants);
}

template <class Fields, Either<ConstantEffect> Effect>
void describe(Fields& fields, Effect& effect) {
    fields("key", effect.key);
    fields("low_value", effect.low_value);
    fields("high_value", effect.high_value);
    fields("at_low", effect.at_low);
    fields("at_high", effect.at_high);
}

template <class Fields, Either<Achieved> Rate>
void describe(Fields& fields, Rate& rate) {
    fields("per_cycle", rate.per_cycle);
    fields("share", rate.share);
}

template <class Fields, Either<AchievedRates> Rates>
void describe(Fields& fields, Rates& rates) {
    fields("compute", rates.compute);
    fields("fpu_share", rates.fpu_share);
    fields("dram", rates.dram);
    fields("noc", rates.noc);
    fields("busiest_link", rates.busiest_link);
    fields("mesh", rates.mesh);
}

template <class Fields, Either<PeakRates> Peak>
void describe(Fields& fields, Peak& peak) {
    fields("flops_per_cycle", peak.flops_per_cycle);
    fields("dram_bytes_per_cycle", peak.dram_bytes_per_cycle);
    fields("noc_bytes_per_cycle", peak.noc_bytes_per_cycle);
    fields("link_bytes_per_cycle", peak.link_bytes_per_cycle);
    fields("noc_link_rate", peak.noc_link_rate);
    fields("mesh_link_rate", peak.mesh_link_rate);
    fields("dram_channel_rate", peak.dram_channel_rate);
    fields("vector_ops_per_cycle", peak.vector_ops_per_cycle);
    fields("device_link_rates", peak.device_link_rates);
}

template <class Fields, Either<WorkReport> Work>
void describe(Fields& fields, Work& work) {
    fields("cores_given", work.cores_given);
    fields("cores_of_mesh", work.cores_of_mesh);
    fields("tile_products", work.tile_products);
    fields("ideal_math", work.ideal_math);
    fields("busy_math", work.busy_math);
    fields("given_time", work.given_time);
    fields("dram_bytes", work.dram_bytes);
    fields("noc_bytes", work.noc_bytes);
    fields("link_bytes", work.link_bytes);
}

/// Names the place of a core in the mesh.
template <class Fields, class Device, Either<CoreCoord> Core>
void describe_place(Fields& fields, Device& device, Core& core) {
    fields("device", device);
    fields("x", core.x);
    fields("y", core.y);
}

template <class Fields, Either<Imbalance> Value>
void describe(Fields& fields, Value& imbalance) {
    fields("factor", imbalance.factor);
    fields.section("straggler", [&](auto& place) {
        describe_place(place, imbalance.device, imbalance.straggler);
    });
}

template <class Fields, Either<CbTrace> Cb>
void describe(Fields& fields, Cb& cb) {
    fields("index", cb.index);
    fields.template coded<FormatCode>("format", cb.format);
    fields("pages", cb.pages);
    fields("page_bytes", cb.page_bytes);
}

template <class Fields, Either<CoreReport> Core>
void describe(Fields& fields, Core& core) {
    describe_place(fields, core.device, core.core);
    fields("l1_bytes", core.l1_bytes);
    fields("cbs", core.cbs);
    fields("tile_products", core.tile_products);
    fields("tiles_packed", core.tiles_packed);
    fields("bytes_read", core.bytes_read);
    fields("bytes_written", core.bytes_written);
    fields("ideal_math", core.ideal_math);
    fields("busy_math", core.busy_math);
    fields("begin", core.begin);
    fields("finish", core.finish);
    fields("totals", core.totals);
}

template <class Fields, Either<StallReport> Stall>
void describe(Fields& fields, Stall& stall) {
    fields("activity", stall.activity);
    fields("object", stall.object);
    fields.section("waiter", [&](auto& waiter) {
        waiter("thread", stall.waiter);
        waiter("line", stall.waiter_line);
    });
    fields.optional_section("ender", stall.ender, [&](auto& ender, auto& thread) {
        ender("thread", thread);
        ender("line", stall.ender_line);
    });
    fields("total", stall.total);
    fields("direct", stall.direct);
    fields("count", stall.count);
    fields.template coded<TransitCode>("transit", stall.transit);
    fields.section("longest", [&](auto& longest) {
        longest("begin", stall.worst_begin);
        longest("end", stall.worst_end);
        longest("object", stall.worst_object);
        longest.section("waiter", [&](auto& place) {
            describe_place(place, stall.worst_device, stall.worst_core);
        });
        longest.section("ender", [&](auto& place) {
            describe_place(place, stall.ender_device, stall.ender_core);
        });
    });
}

template <class Fields, Either<ResourceUse> Use>
void describe(Fields& fields, Use& use) {
    fields("kind", use.kind);
    fields("device", use.device);
    fields("noc", use.noc);
    fields("x", use.node.x);
    fields("y", use.node.y);
    fields("direction", use.direction);
    fields("busy", use.busy);
    fields("bytes", use.bytes);
}

template <class Fields, Either<CbSeries> Series>
void describe(Fields& fields, Series& series) {
    fields("core", series.core);
    fields("cb", series.cb);
    fields("capacity", series.capacity);
    fields("mean", series.mean);
    fields("most", series.most);
    fields("merged_below", series.merged_below);
    fields.template coded<LevelCode>("points", series.points);
}

template <class Fields, Either<BankTraffic::Device> Device>
void describe(Fields& fields, Device& device) {
    fields("device", device.device);
    fields("bytes", device.bytes);
}

template <class Fields, Either<BankTraffic> Traffic>
void describe(Fields& fields, Traffic& traffic) {
    fields("from", traffic.from);
    fields("to", traffic.to);
    fields.device_rows("devices", traffic.devices,
                       [](auto& row, auto& device, std::size_t) { describe(row, device); });
}

/// `time_of_run` is the time of the part on the run's path.
template <class Fields, Either<PathPart> Part, class Time>
void describe(Fields& fields, Part& part, Time& time_of_run) {
    fields("thread", part.thread);
    fields("line", part.line);
    fields("activity", part.activity);
    fields("resource", part.resource);
    fields.derived("name", [&] { return bound_name(part); });
    fields("time", part.time);
    fields("time_of_run", time_of_run);
    fields("count", part.count);
}

/// `time_of_run` is the time of the run's path at the thread.
template <class Fields, Either<ThreadReport> Thread, class Time>
void describe(Fields& fields, Thread& thread, Time& time_of_run) {
    describe_place(fields, thread.device, thread.core);
    fields("thread", thread.thread);
    fields("kernel", thread.kernel);
    fields("totals", thread.totals);
    fields("finish", thread.finish);
    fields("on_path", thread.on_path);
    fields("on_path_of_run", time_of_run);
    fields("intervals", thread.num_intervals);
    fields("merged_below", thread.merged_below);
    fields.template coded<PointCode>("points", thread.points);
}

template <class Fields, Either<LaunchReport> Launch, Either<RunShare> Share>
void describe(Fields& fields, Launch& launch, Share& share, const PeakRates& peak) {
    fields("name", launch.name);
    fields("start", launch.start);
    fields("makespan", launch.makespan);
    fields("device_time", launch.device_time);
    fields("bound", launch.bound);
    fields("ensemble", launch.ensemble);
    fields("time_of_run", share.time);
    fields("events", launch.num_events);
    fields("work", launch.work);
    fields.derived("achieved", [&] { return achieved(launch, peak); });
    fields.derived("given_utilisation", [&] { return given_utilisation(launch); });
    fields.derived("imbalance", [&] { return imbalance_of(launch); });
    fields.derived("bound_by", [&] { return bounds_of(launch.path); });
    fields("device_end", launch.device_end);
    fields("drawn_in_part", launch.is_drawn_in_part);
    fields.template coded<LineCode>("lines", launch.lines);
    fields.template coded<LineTimeCode>("line_times", launch.line_times);
    fields.list("path", launch.path, [&](auto& row, auto& part, std::size_t i) {
        describe(row, part, row_at(share.path, i));
    });
    fields("stalls", launch.stalls);
    const auto describe_row = [](auto& row, auto& value, std::size_t) { describe(row, value); };
    fields.device_rows("cores", launch.cores, describe_row);
    fields.device_rows("resources", launch.resources, describe_row);
    fields("cbs", launch.cbs);
    fields("banks", launch.banks);
    fields.template coded<CauseCode>("causes", launch.causes);
    fields.device_rows("threads", launch.threads, [&](auto& row, auto& thread, std::size_t i) {
        describe(row, thread, row_at(share.threads, i));
    });
}

template <class Fields, Either<DramEndpoint> Bank>
void describe(Fields& fields, Bank& bank) {
    fields("channel", bank.channel);
    fields("x", bank.physical.x);
    fields("y", bank.physical.y);
}

template <class Fields, Either<GridSize> Grid>
void describe(Fields& fields, Grid& grid) {
    fields("columns", grid.columns);
    fields("rows", grid.rows);
}

template <class Fields, Either<TimingReport> Report>
void describe_machine(Fields& fields, Report& report) {
    fields("name", report.arch.name);
    fields("clock_hz", report.clock.value);
    fields("grid", report.arch.workers.compute);
    fields("noc_grid", report.arch.noc.grid);
    fields("noc_columns", report.arch.workers.noc_columns);
    fields("noc_rows", report.arch.workers.noc_rows);
    fields("dram_banks", report.arch.dram.endpoints);
    fields("l1_bytes", report.arch.l1.size.value);
    fields("l1_reserved_bytes", report.arch.l1.reserved.value);
    fields.section("mesh", [&](auto& mesh) {
        mesh("rows", report.mesh.shape.rows);
        mesh("columns", report.mesh.shape.columns);
        mesh.derived("topology", [&] { return name_of(report.mesh.topology); });
    });
}

}  // namespace tessera::report
