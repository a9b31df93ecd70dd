// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/kernels/content_hash.hpp"
#include "tessera/errors.hpp"

namespace tessera {
namespace {

pid_t start(const std::vector<std::string>& command, const std::filesystem::path& output) {
    std::vector<char*> argv;
    argv.reserve(command.size() + 1);
    for (const std::string& word : command) {
        argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    const int error = posix_spawn(&child, argv[0], &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    require(error == 0, "cannot run {}: {}", command[0], std::strerror(error));
    return child;
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) == -1) {
        ensure(errno == EINTR, "waiting for process {} failed: {}", child, std::strerror(errno));
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProcessOutcome run_process(const std::vector<std::string>& command,
                           const std::filesystem::path& output) {
    ProcessOutcome outcome;
    outcome.exit_code = wait_for(start(command, output));
    outcome.output = read_file(output).value_or("");
    std::filesystem::remove(output);
    return outcome;
}

}  // namespace tessera
