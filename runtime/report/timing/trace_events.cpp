// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/trace_events.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace tessera::report {

std::string json_quoted(std::string_view text) {
    return nlohmann::json(text).dump();
}

void TraceEvents::begin_event() {
    events_ += events_.empty() ? "\n" : ",\n";
}

double TraceEvents::microseconds(Millicycles time) const noexcept {
    return static_cast<double>(time) / kMillicyclesPerCycle / clock_.value * 1e6;
}

void TraceEvents::name_process(const Track& track, std::string_view name) {
    begin_event();
    fmt::format_to(std::back_inserter(events_),
                   R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})",
                   track.process, json_quoted(name));
}

void TraceEvents::name_thread(const Track& track, std::string_view name) {
    begin_event();
    fmt::format_to(std::back_inserter(events_),
                   R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                   track.process, track.thread, json_quoted(name));
}

void TraceEvents::slice(const Track& track, std::string_view name, std::string_view category,
                        Millicycles begin, Millicycles end, std::string_view args) {
    begin_event();
    fmt::format_to(
        std::back_inserter(events_),
        R"({{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}{}{}}})",
        json_quoted(name), category, track.process, track.thread, microseconds(begin),
        microseconds(end - begin), args.empty() ? "" : ",\"args\":", args);
}

void TraceEvents::counter(const Track& track, std::string_view name, Millicycles time,
                          double value) {
    begin_event();
    fmt::format_to(std::back_inserter(events_),
                   R"({{"ph":"C","name":{},"pid":{},"ts":{:.3f},"args":{{"value":{}}}}})",
                   json_quoted(name), track.process, microseconds(time), value);
}

void TraceEvents::flow(const Track& from, Millicycles begin, const Track& to, Millicycles end) {
    constexpr std::string_view kEvent =
        R"({{"ph":"{}","id":{},"name":"ended by","cat":"wait","pid":{},"tid":{},"ts":{:.3f}{}}})";
    ++num_flows_;
    begin_event();
    fmt::format_to(std::back_inserter(events_), kEvent, "s", num_flows_, from.process, from.thread,
                   microseconds(begin), "");
    begin_event();
    fmt::format_to(std::back_inserter(events_), kEvent, "f", num_flows_, to.process, to.thread,
                   microseconds(end), R"(,"bp":"e")");
}

std::string TraceEvents::text() const {
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" + events_ + "\n]}\n";
}

}  // namespace tessera::report
