// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/launch_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runtime/report/timing/activity_words.hpp"

namespace tessera::report {
namespace {

using Json = nlohmann::ordered_json;

Json lines_json(const LaunchReport& launch) {
    Json lines = Json::array();
    for (const SourceLine& line : launch.lines) {
        lines.push_back(line.file.empty() ? "" : fmt::format("{}:{}", line.file, line.line));
    }
    return lines;
}

// Flat, since there are many: end, activity (+ 32 if merged), line, object, cause + 1 (0: none).
Json points_json(const ThreadReport& thread) {
    constexpr std::uint32_t kMerged = 32;
    static_assert(kNumActivities <= kMerged);
    Json points = Json::array();
    for (const TimelinePoint& point : thread.points) {
        points.push_back(point.end);
        points.push_back(static_cast<std::uint32_t>(point.activity) +
                         (point.is_merged ? kMerged : 0));
        points.push_back(point.line);
        points.push_back(point.object);
        points.push_back(point.cause + 1);
    }
    return points;
}

Json thread_json(const ThreadReport& thread, Millicycles in_run) {
    return {{"device", thread.device},
            {"x", thread.core.x},
            {"y", thread.core.y},
            {"thread", label_of(thread.thread)},
            {"kernel", thread.kernel},
            {"totals", thread.totals},
            {"finish", thread.finish},
            {"on_path", thread.on_path},
            {"on_path_of_run", in_run},
            {"intervals", thread.num_intervals},
            {"merged_below", thread.merged_below},
            {"points", points_json(thread)}};
}

Json core_json(const CoreReport& core) {
    Json cbs = Json::array();
    for (const CbTrace& cb : core.cbs) {
        cbs.push_back({{"index", cb.index},
                       {"format", name_of(cb.format)},
                       {"pages", cb.pages},
                       {"page_bytes", cb.page_bytes}});
    }
    return {{"device", core.device},
            {"x", core.core.x},
            {"y", core.core.y},
            {"l1_bytes", core.l1_bytes},
            {"cbs", cbs},
            {"tile_products", core.tile_products},
            {"tiles_packed", core.tiles_packed},
            {"bytes_read", core.bytes_read},
            {"bytes_written", core.bytes_written},
            {"ideal_math", core.ideal_math},
            {"busy_math", core.busy_math},
            {"begin", core.begin},
            {"finish", core.finish},
            {"totals", core.totals}};
}

Json causes_json(const LaunchReport& launch) {
    Json causes = Json::array();
    for (const PointCause& cause : launch.causes) {
        causes.push_back(
            {cause.thread == kNoThread ? -1 : std::int64_t{cause.thread}, cause.line, cause.time});
    }
    return causes;
}

Json place_json(std::uint16_t device, CoreCoord core) {
    return {{"device", device}, {"x", core.x}, {"y", core.y}};
}

Json stall_json(const StallReport& stall) {
    Json transit = Json::object();
    for (std::size_t kind = 0; kind < kNumResourceKinds; ++kind) {
        if (stall.transit[kind] != 0) {
            transit[std::string(key_of(static_cast<ResourceKind>(kind)))] = stall.transit[kind];
        }
    }
    return {
        {"activity", key_of(stall.activity)},
        {"object", stall.object},
        {"waiter", {{"thread", label_of(stall.waiter)}, {"line", stall.waiter_line}}},
        {"ender", stall.ender ? Json{{"thread", label_of(*stall.ender)}, {"line", stall.ender_line}}
                              : Json(nullptr)},
        {"total", stall.total},
        {"direct", stall.direct},
        {"count", stall.count},
        {"transit", transit},
        {"longest",
         {{"begin", stall.worst_begin},
          {"end", stall.worst_end},
          {"object", stall.worst_object},
          {"waiter", place_json(stall.worst_device, stall.worst_core)},
          {"ender", place_json(stall.ender_device, stall.ender_core)}}}};
}

Json path_json(const PathPart& part, Millicycles in_run) {
    return {{"thread", part.thread ? Json(label_of(*part.thread)) : Json(nullptr)},
            {"line", part.line},
            {"activity", key_of(part.activity)},
            {"resource", key_of(part.resource)},
            {"name", bound_name(part)},
            {"time", part.time},
            {"time_of_run", in_run},
            {"count", part.count}};
}

Json resource_json(const ResourceUse& use) {
    return {{"kind", key_of(use.kind)}, {"device", use.device}, {"noc", use.noc},
            {"x", use.node.x},          {"y", use.node.y},      {"direction", use.direction},
            {"busy", use.busy},         {"bytes", use.bytes}};
}

Json cb_json(const CbSeries& series) {
    Json points = Json::array();
    for (const auto& [time, pages] : series.points) {
        points.push_back(time);
        points.push_back(pages);
    }
    return {{"core", series.core}, {"cb", series.cb},     {"capacity", series.capacity},
            {"mean", series.mean}, {"most", series.most}, {"merged_below", series.merged_below},
            {"points", points}};
}

Json work_json(const WorkReport& work) {
    return {{"cores_given", work.cores_given},     {"cores_of_mesh", work.cores_of_mesh},
            {"tile_products", work.tile_products}, {"ideal_math", work.ideal_math},
            {"busy_math", work.busy_math},         {"given_time", work.given_time},
            {"dram_bytes", work.dram_bytes},       {"noc_bytes", work.noc_bytes},
            {"link_bytes", work.link_bytes}};
}

Json imbalance_json(const Imbalance& imbalance) {
    return {{"factor", imbalance.factor},
            {"straggler", place_json(imbalance.device, imbalance.straggler)}};
}

template <class Rows, class Show>
Json array_of(const Rows& rows, Show show) {
    Json array = Json::array();
    for (const auto& row : rows) {
        array.push_back(show(row));
    }
    return array;
}

Json paths_json(const LaunchReport& launch, const LaunchWindow& window) {
    const std::vector<PathPart> in_run = path_in(launch, window);
    Json path = Json::array();
    for (std::size_t i = 0; i < launch.path.size(); ++i) {
        path.push_back(path_json(launch.path[i], in_run[i].time));
    }
    return path;
}

Json threads_json(const LaunchReport& launch, const LaunchWindow& window) {
    const std::vector<Millicycles> in_run = threads_on_path(launch, window);
    Json threads = Json::array();
    for (std::size_t i = 0; i < launch.threads.size(); ++i) {
        threads.push_back(thread_json(launch.threads[i], in_run[i]));
    }
    return threads;
}

Json rate_json(const Achieved& rate) {
    return {{"per_cycle", rate.per_cycle}, {"share", rate.share}};
}

}  // namespace

Json predicted_json(const PredictedTime& time) {
    return {{"low", time.low}, {"expected", time.expected}, {"high", time.high}};
}

Json achieved_json(const AchievedRates& rates) {
    return {{"compute", rate_json(rates.compute)}, {"fpu_share", rates.fpu_share},
            {"dram", rate_json(rates.dram)},       {"noc", rate_json(rates.noc)},
            {"busiest_link", rates.busiest_link},  {"mesh", rate_json(rates.mesh)}};
}

Json bounds_json(const std::vector<BoundShare>& bounds) {
    return array_of(bounds, [](const BoundShare& bound) {
        return Json{{"name", bound.name}, {"time", bound.time}};
    });
}

Json launch_json(const LaunchReport& launch, const PeakRates& peak, const LaunchWindow& window) {
    return {{"name", launch.name},
            {"start", launch.start},
            {"makespan", predicted_json(launch.makespan)},
            {"device_time", predicted_json(launch.device_time)},
            {"time_of_run", window.until - window.from},
            {"events", launch.num_events},
            {"work", work_json(launch.work)},
            {"achieved", achieved_json(achieved(launch, peak))},
            {"given_utilisation", given_utilisation(launch)},
            {"imbalance", imbalance_json(imbalance_of(launch))},
            {"bound_by", bounds_json(bounds_of(launch.path))},
            {"device_end", launch.device_end},
            {"drawn_in_part", launch.is_drawn_in_part},
            {"lines", lines_json(launch)},
            {"path", paths_json(launch, window)},
            {"stalls", array_of(launch.stalls, stall_json)},
            {"cores", array_of(launch.cores, core_json)},
            {"resources", array_of(launch.resources, resource_json)},
            {"cbs", array_of(launch.cbs, cb_json)},
            {"causes", causes_json(launch)},
            {"threads", threads_json(launch, window)}};
}

}  // namespace tessera::report
