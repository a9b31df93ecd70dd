// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/spelling.hpp"
#include "tessera/errors.hpp"

namespace tessera::score {
namespace {

const Family& family_of(const std::string& group) {
    const auto families = all_families();
    const auto family = std::ranges::find(families, group, &Family::group);
    expressible(family != families.end(), "no program stands for the group {}", group);
    return *family;
}

Prediction predict(const Row& row, Models& models) {
    const Family& family = family_of(row.group);
    const Parameters parameters(respelled(row.parameters));
    const Model& model = models.of(row.arch, parameters.text_or("board", ""));
    const Prediction prediction = family.predict(row, parameters, model);
    ensure(std::isfinite(prediction.expected) && prediction.expected > 0,
           "row {} is predicted to take {}", row.id, prediction.expected);
    return prediction;
}

RowScore score(const Row& row, Models& models) {
    const auto begin = std::chrono::steady_clock::now();
    RowScore result;
    try {
        result.prediction = predict(row, models);
    } catch (const NotExpressible& refusal) {
        result.reason = refusal.what();
    } catch (const ConfigError&) {
        throw;  // of the arch file, not of the row
    } catch (const Error& error) {
        result.reason = fmt::format("failed: {}", error.what());
    }
    result.host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

/// Rows that threads take one by one.
class Queue {
public:
    Queue(std::span<const Row> rows, Models& models, const ScoreOptions& options)
        : rows_(rows), models_(models), options_(options), scores_(rows.size()) {}

    void work() {
        for (std::size_t i = next_++; i < rows_.size(); i = next_++) {
            try {
                scores_[i] = score(rows_[i], models_);
            } catch (...) {
                fail();
                return;
            }
            report();
        }
    }
    std::vector<RowScore> take() {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        return std::move(scores_);
    }

private:
    void fail() {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        next_ = rows_.size();
    }
    void report() {
        const std::lock_guard lock(mutex_);
        ++num_done_;
        if (options_.on_done) {
            options_.on_done(num_done_);
        }
    }

    std::span<const Row> rows_;
    Models& models_;
    const ScoreOptions& options_;
    std::vector<RowScore> scores_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;
    std::size_t num_done_ = 0;
    std::exception_ptr failure_;
};

}  // namespace

std::vector<RowScore> score_rows(std::span<const Row> rows, Models& models,
                                 const ScoreOptions& options) {
    Queue queue(rows, models, options);
    std::vector<std::jthread> threads;
    try {
        for (std::uint32_t i = 1; i < options.threads; ++i) {
            threads.emplace_back([&] { queue.work(); });
        }
    } catch (const std::system_error&) {
        // A host that gives no more threads (ulimit -u) has given enough: this one does the rest.
    }
    queue.work();
    threads.clear();  // joins
    return queue.take();
}

}  // namespace tessera::score
