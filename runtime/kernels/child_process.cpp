// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

// Closed on exec: a compiler started by another thread meanwhile must not hold it open.
Pipe open_pipe(const std::string& program) {
    std::array<int, 2> ends{};
    const int reason = pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno;
    require(reason == 0, "cannot run {}: {}", program, std::strerror(reason));
    return {ends[0], ends[1]};
}

int spawn(const std::vector<std::string>& command, const Pipe& pipe, pid_t& child) {
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command) {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipe.write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, pipe.write_end, STDERR_FILENO);
    const int error = posix_spawn(&child, argv[0], &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

// Number of bytes of a compiler's output that are kept; the rest is read and dropped.
constexpr std::size_t kMostOutput = std::size_t{1} << 20U;

// posix_spawn sets no limits. The child may run for some microseconds without them.
void limit(pid_t child, const ProcessLimits& limits) {
    const rlimit seconds{limits.processor_seconds, limits.processor_seconds + 1};
    const rlimit bytes{limits.gibibytes << 30U, limits.gibibytes << 30U};
    prlimit(child, RLIMIT_CPU, &seconds, nullptr);
    prlimit(child, RLIMIT_AS, &bytes, nullptr);
}

/// Returns false if the deadline passes before the file ends.
bool read_to_end(int file, std::chrono::steady_clock::time_point deadline, std::string& text) {
    std::array<char, 4096> part{};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        pollfd wanted{file, POLLIN, 0};
        if (left.count() <= 0 || poll(&wanted, 1, static_cast<int>(left.count())) == 0) {
            return false;
        }
        const ssize_t count = read(file, part.data(), part.size());
        if (count > 0) {
            text.append(part.data(),
                        std::min(static_cast<std::size_t>(count), kMostOutput - text.size()));
        } else if (count == 0 || errno != EINTR) {
            return true;
        }
    }
}

struct ProcessEnd {
    int exit_code;
    double processor_seconds;
};

ProcessEnd wait_for(pid_t child) {
    int status = 0;
    rusage used{};
    while (wait4(child, &status, 0, &used) == -1) {
        ensure(errno == EINTR, "waiting for process {} failed: {}", child, std::strerror(errno));
    }
    const auto micros = static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    const auto seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            seconds + 1e-6 * micros};
}

[[noreturn]] void refuse(const std::string& subject, const ProcessLimits& limits) {
    throw ProcessLimitError(fmt::format(
        "{}: the compiler was stopped; allowed: {} s of processor time, {} s in all, {} GiB of "
        "memory",
        subject, limits.processor_seconds, limits.seconds, limits.gibibytes));
}

// Compilers and their allocators report exhausted memory in different words.
bool lacks_memory(const ProcessOutcome& outcome) {
    return outcome.exit_code != 0 &&
           (outcome.output.find("out of memory") != std::string::npos ||
            outcome.output.find("bad_alloc") != std::string::npos ||
            outcome.output.find("Cannot allocate memory") != std::string::npos);
}

ProcessOutcome run_to_end(pid_t child, int pipe, const std::string& subject,
                          const ProcessLimits& limits) {
    limit(child, limits);
    ProcessOutcome outcome;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
    const bool is_in_time = read_to_end(pipe, deadline, outcome.output);
    if (!is_in_time) {
        kill(child, SIGKILL);
    }
    const ProcessEnd end = wait_for(child);
    outcome.exit_code = end.exit_code;
    // Linux checks the limit at coarser ticks than those in which it reports the time, so 90 % of
    // the limit counts as reached.
    constexpr double kNearLimit = 0.9;
    const bool is_busy =
        end.exit_code != 0 &&
        end.processor_seconds >= kNearLimit * static_cast<double>(limits.processor_seconds);
    if (!is_in_time || is_busy || lacks_memory(outcome)) {
        refuse(subject, limits);
    }
    return outcome;
}

}  // namespace

ProcessOutcome run_process(const std::vector<std::string>& command, const std::string& subject,
                           const ProcessLimits& limits) {
    const Pipe pipe = open_pipe(command[0]);
    pid_t child = 0;
    const int error = spawn(command, pipe, child);
    close(pipe.write_end);
    if (error != 0) {
        close(pipe.read_end);
        require(false, "cannot run {}: {}", command[0], std::strerror(error));
    }
    struct Closed {
        int file;
        ~Closed() { close(file); }
    } const closed{pipe.read_end};
    return run_to_end(child, pipe.read_end, subject, limits);
}

}  // namespace tessera
