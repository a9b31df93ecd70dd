// SPDX-License-Identifier: Apache-2.0
#include "runtime/cli/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <system_error>

#include "emu/base/seconds_since.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kEraseLine = "\r\033[K";
constexpr std::chrono::seconds kTerminalPeriod{1};
constexpr std::chrono::minutes kPipePeriod{1};
/// Stages shorter than this show no seconds.
constexpr std::chrono::seconds kShownFrom{3};

std::string bar_text(std::uint64_t done, std::uint64_t all) {
    constexpr std::uint64_t kWidth = 30;
    const std::uint64_t filled = all == 0 ? kWidth : std::min(kWidth, done * kWidth / all);
    return fmt::format("[{}{}]", std::string(filled, '#'), std::string(kWidth - filled, '.'));
}

}  // namespace

ProgressLine::ProgressLine(const Console& console) : console_(console) {
    counted_since_ = stage_since_ = Clock::now();
    if (console_.progress == Progress::Hidden) {
        return;
    }
    try {
        ticker_ = std::thread([this] { tick(); });
    } catch (const std::system_error&) {
        // If the host has no thread left, stages are shown without seconds.
    }
}

void ProgressLine::end() {
    {
        const std::scoped_lock lock(mutex_);
        is_ended_ = true;
    }
    ended_.notify_all();
    if (ticker_.joinable()) {
        ticker_.join();
    }
    if (console_.progress == Progress::Redrawn) {
        console_.err << kEraseLine << std::flush;
    }
}

void ProgressLine::begin(std::string stage, std::uint64_t num_units, Shape shape) {
    {
        const std::scoped_lock lock(mutex_);
        counted_since_ = Clock::now();
    }
    enter(std::move(stage), 0, num_units, shape);
}

void ProgressLine::count(const std::string& what, std::uint64_t done, std::uint64_t num_units) {
    enter(what, done, num_units, Shape::Bar);
}

void ProgressLine::step(const std::string& name, std::uint64_t number, std::uint64_t num_steps) {
    enter(name, number - 1, num_steps, Shape::Steps);
}

void ProgressLine::enter(std::string stage, std::uint64_t done, std::uint64_t num_units,
                         Shape shape) {
    const std::scoped_lock lock(mutex_);
    stage_ = std::move(stage);
    shape_ = shape;
    done_ = done;
    num_units_ = num_units;
    stage_since_ = Clock::now();
    if (console_.progress == Progress::Redrawn) {
        draw();
    }
}

void ProgressLine::advance(std::uint64_t num_units) {
    const std::scoped_lock lock(mutex_);
    done_ += num_units;
}

// Runs in a separate thread, so that the line changes during a long step or replay.
void ProgressLine::tick() {
    const bool is_redrawn = console_.progress == Progress::Redrawn;
    const std::chrono::seconds period = is_redrawn ? kTerminalPeriod : kPipePeriod;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, period, [this] { return is_ended_; })) {
        if (!stage_.empty()) {
            draw();
        }
    }
}

void ProgressLine::draw() {
    if (console_.progress == Progress::Redrawn) {
        constexpr std::size_t kWidth = 78;  // a wrapped line could not be erased
        std::string line = text();
        line.resize(std::min(line.size(), kWidth));
        console_.err << kEraseLine << line << std::flush;
    } else {
        console_.err << "tessera: " << text() << '\n' << std::flush;
    }
}

std::string ProgressLine::text() const {
    const double seconds = seconds_since(stage_since_);
    const std::string clock = seconds >= std::chrono::duration<double>(kShownFrom).count()
                                  ? fmt::format(", {:.0f} s", std::floor(seconds))
                                  : "";
    return counted() + clock + time_left();
}

std::string ProgressLine::counted() const {
    switch (shape_) {
        case Shape::Text:
            return stage_;
        case Shape::Share:
            return fmt::format(
                "{}: {:.0f} %", stage_,
                std::floor(100 * std::min(1.0, static_cast<double>(done_) /
                                                   static_cast<double>(num_units_))));
        case Shape::Bar:
            return fmt::format("{} {} of {} {}", bar_text(done_, num_units_), done_, num_units_,
                               stage_);
        case Shape::Steps:
            return fmt::format("[{}/{}] {}", done_ + 1, num_units_, stage_);
    }
    return "";
}

// Estimates with the mean of the finished units; wrong if units differ much.
std::string ProgressLine::time_left() const {
    if (done_ == 0 || done_ >= num_units_) {
        return "";
    }
    const double seconds = seconds_since(counted_since_);
    const double left =
        seconds / static_cast<double>(done_) * static_cast<double>(num_units_ - done_);
    return seconds < 1 ? "" : fmt::format(", about {:.0f} s left", std::ceil(left));
}

}  // namespace tessera::cli
