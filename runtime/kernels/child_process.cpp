// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
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
    require(pipe2(ends.data(), O_CLOEXEC) == 0, "cannot run {}: {}", program, std::strerror(errno));
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

std::string read_to_end(int file) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const ssize_t count = read(file, part.data(), part.size());
        if (count > 0) {
            text.append(part.data(), static_cast<std::size_t>(count));
        } else if (count == 0 || errno != EINTR) {
            return text;
        }
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) == -1) {
        ensure(errno == EINTR, "waiting for process {} failed: {}", child, std::strerror(errno));
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProcessOutcome run_process(const std::vector<std::string>& command) {
    const Pipe pipe = open_pipe(command[0]);
    pid_t child = 0;
    const int error = spawn(command, pipe, child);
    close(pipe.write_end);
    ProcessOutcome outcome;
    if (error == 0) {
        outcome.output = read_to_end(pipe.read_end);
        outcome.exit_code = wait_for(child);
    }
    close(pipe.read_end);
    require(error == 0, "cannot run {}: {}", command[0], std::strerror(error));
    return outcome;
}

}  // namespace tessera
