// SPDX-License-Identifier: Apache-2.0
// Lines of a Chrome trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/timeline.hpp"
#include "tessera/units.hpp"

namespace tessera::report {

/// Where an event belongs: processes and threads of a Chrome trace.
struct Track {
    std::uint64_t process = 0;
    std::uint32_t thread = 0;
};

class TraceEvents {
public:
    explicit TraceEvents(Hertz clock) : clock_(clock) {}

    void name_process(const Track& track, std::string_view name);
    void name_thread(const Track& track, std::string_view name);
    /// `args` is a JSON object, or empty.
    void slice(const Track& track, std::string_view name, std::string_view category,
               Millicycles begin, Millicycles end, std::string_view args);
    void counter(const Track& track, std::string_view name, Millicycles time, double value);
    /// An arrow from one slice to another; both times lie inside their slices.
    void flow(const Track& from, Millicycles begin, const Track& to, Millicycles end);
    /// The whole file.
    [[nodiscard]] std::string text() const;

private:
    void begin_event();
    [[nodiscard]] double microseconds(Millicycles time) const noexcept;

    Hertz clock_;
    std::string events_;
    std::uint64_t num_flows_ = 0;
};

/// `text` as a JSON string, with its quotes.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace tessera::report
