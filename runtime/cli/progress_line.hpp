// SPDX-License-Identifier: Apache-2.0
// Shows the progress of a command on standard error: on a terminal one line that is redrawn and
// erased at the end, in a pipe one line a minute.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/cli/console.hpp"

namespace tessera::cli {

class ProgressLine {
public:
    /// Shows nothing if the console's progress is hidden.
    explicit ProgressLine(const Console& console);
    ~ProgressLine() { end(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// Erases the line early, so that other text can be printed.
    void end();

    /// Begins a stage of unknown length: "reading the trace".
    void begin(std::string stage) { begin(std::move(stage), 0, Shape::Text); }
    /// Begins a stage of equal units, which advance() and set_done() count: "replaying", shown as a
    /// share.
    void begin(std::string stage, std::uint64_t num_units) {
        begin(std::move(stage), num_units, Shape::Share);
    }
    /// Begins or continues a stage: "[#####.....] 5 of 10 recordings".
    void count(const std::string& what, std::uint64_t done, std::uint64_t num_units);
    /// Step `number` of `num_steps` begins: "[4/11] gate".
    void step(const std::string& name, std::uint64_t number, std::uint64_t num_steps);

    /// Counts units of the stage; may be called by any thread.
    void advance(std::uint64_t num_units);
    /// Returns advance() as a function, for code that reports replayed events.
    [[nodiscard]] std::function<void(std::uint64_t)> counter() {
        return [this](std::uint64_t num_units) { advance(num_units); };
    }

private:
    using Clock = std::chrono::steady_clock;
    enum class Shape : std::uint8_t { Text, Share, Bar, Steps };

    void begin(std::string stage, std::uint64_t num_units, Shape shape);
    void enter(std::string stage, std::uint64_t done, std::uint64_t num_units, Shape shape);
    void tick();
    void draw();
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string counted() const;
    [[nodiscard]] std::string time_left() const;

    const Console& console_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_ended_ = false;
    std::string stage_;
    Shape shape_ = Shape::Text;
    std::uint64_t done_ = 0;
    std::uint64_t num_units_ = 0;  ///< 0: unknown
    Clock::time_point counted_since_;
    Clock::time_point stage_since_;
    std::thread ticker_;
};

}  // namespace tessera::cli
