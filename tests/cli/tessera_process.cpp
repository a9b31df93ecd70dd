// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/tessera_process.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

// Runs in the child; returns if the binary does not exist.
void become_tessera(const std::vector<std::string>& arguments) {
    std::vector<char*> argv{const_cast<char*>(TESSERA_BINARY)};
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    execv(TESSERA_BINARY, argv.data());
}

[[noreturn]] void become_tessera(const std::vector<std::string>& arguments, const fs::path& folder,
                                 const std::string& out, const std::string& err,
                                 const std::function<void()>& prepare) {
    const bool is_ready = std::freopen(out.c_str(), "w", stdout) != nullptr &&
                          std::freopen(err.c_str(), "w", stderr) != nullptr &&
                          (folder.empty() || chdir(folder.c_str()) == 0);
    if (is_ready) {
        prepare();
        become_tessera(arguments);
    }
    _exit(126);
}

// `prepare` runs in the child before exec.
Ending ending_of(const std::vector<std::string>& arguments, const fs::path& folder,
                 const std::string& out_path, const std::function<void()>& prepare) {
    const ScratchFolder streams;
    const std::string out = out_path.empty() ? streams.file("out") : out_path;
    const std::string err = streams.file("err");
    const pid_t child = fork();
    if (child == 0) {
        become_tessera(arguments, folder, out, err, prepare);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out_path.empty() ? bytes_of(out) : "",
            bytes_of(err)};
}

}  // namespace

Ending run_tessera(const std::vector<std::string>& arguments, const fs::path& folder,
                   const std::string& out_path) {
    return ending_of(arguments, folder, out_path, [] {});
}

Ending run_limited(const std::vector<std::string>& arguments, int resource, std::uint64_t limit,
                   const fs::path& folder) {
    return ending_of(arguments, folder, "", [=] {
        const rlimit limits{limit, limit};
        constexpr uid_t kNobody = 65534;
        if (setrlimit(static_cast<__rlimit_resource>(resource), &limits) != 0 ||
            (geteuid() == 0 && setuid(kNobody) != 0)) {
            _exit(126);
        }
    });
}

std::string run_in_terminal(const std::vector<std::string>& arguments, unsigned short columns) {
    const winsize size{.ws_row = 50, .ws_col = columns};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
        setenv("TERM", "xterm-256color", 1);
        unsetenv("NO_COLOR");
        become_tessera(arguments);
        _exit(126);
    }
    std::string shown;
    std::array<char, 4096> part{};
    // A terminal whose other end is closed returns an error in place of end of file.
    ssize_t count = 0;
    while ((count = read(terminal, part.data(), part.size())) > 0) {
        shown.append(part.data(), static_cast<std::size_t>(count));
    }
    close(terminal);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    std::erase(shown, '\r');
    return shown;
}

namespace {

int interrupt_tessera(const std::vector<std::string>& arguments,
                      const std::function<void(const std::string& err)>& wait) {
    const ScratchFolder streams;
    const std::string out = streams.file("out");
    const std::string err = streams.file("err");
    const pid_t child = fork();
    if (child == 0) {
        // A shell makes background jobs ignore SIGINT, and their children inherit this.
        become_tessera(arguments, {}, out, err, [] { std::signal(SIGINT, SIG_DFL); });
    }
    wait(err);
    kill(child, SIGINT);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

int interrupt_tessera(const std::vector<std::string>& arguments, std::chrono::milliseconds delay) {
    return interrupt_tessera(arguments,
                             [=](const std::string&) { std::this_thread::sleep_for(delay); });
}

int interrupt_tessera_at(const std::vector<std::string>& arguments, const std::string& text) {
    return interrupt_tessera(arguments, [&](const std::string& err) {
        // Long enough for a loaded machine. A run that never prints the text fails the test.
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
        while (!fs::exists(err) || bytes_of(err).find(text) == std::string::npos) {
            if (std::chrono::steady_clock::now() > end) {
                ADD_FAILURE() << "standard error never held: " << text;
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    });
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string golden_path(const std::string& stem) {
    return std::string(TESSERA_SOURCE_DIR) + "/tests/golden/" + stem + ".safetensors";
}

std::string num_shipped(const std::vector<std::string>& folders) {
    std::ptrdiff_t count = 0;
    for (const std::string& folder : folders) {
        const std::filesystem::directory_iterator files(std::string(TESSERA_SOURCE_DIR) +
                                                        "/configs/" + folder);
        count += std::distance(begin(files), end(files));
    }
    return std::to_string(count);
}

}  // namespace tessera::test
