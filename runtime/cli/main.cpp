// SPDX-License-Identifier: Apache-2.0
// The binary `tessera`: maps errors to exit codes. Nothing else prints or ends the process.
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <ext/stdio_filebuf.h>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/accuracy/score_command.hpp"
#include "emu/base/tensor_file/partial_file.hpp"
#include "runtime/cli/command_line.hpp"
#include "runtime/cli/exit_code.hpp"
#include "runtime/ranks/rank_link.hpp"
#include "runtime/report/run_error.hpp"
#include "tessera/errors.hpp"

namespace {

constexpr std::array<tessera::cli::AddCommand, 1> kCommandsAbove{tessera::score::add_score};

/// Form of error messages: text for people, JSON for programs.
enum class ErrorForm { Text, Json };

// Keeps freed memory for the next tensor. The host clears every page that it gives to a process,
// which took a third of a run's processor time.
void keep_freed_memory() {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void on_end_signal(int signal) {
    tessera::remove_partial_files();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// Removes unfinished files when a signal ends the process. A signal that the parent process set to
// be ignored stays ignored; shells do so for background jobs.
void remove_unfinished_files_at(int signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
        action.sa_handler = on_end_signal;
        sigaction(signal, &action, nullptr);
    }
}

void choose_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
        remove_unfinished_files_at(signal);
    }
    // A write beyond `ulimit -f` then fails with a message that names the file, and does not end
    // the process.
    std::signal(SIGXFSZ, SIG_IGN);
}

/// Opens standard output for Tessera alone and sends what kernels print with `printf` to standard
/// error: it would be in the middle of a report, or make JSON unreadable.
std::ostream& open_output(int& own) {
    own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        (void)std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    }
    static __gnu_cxx::stdio_filebuf<char> buffer(own, std::ios::out);
    static std::ostream stream(&buffer);
    if (isatty(own) != 0) {
        stream << std::unitbuf;
    }
    return stream;
}

int output_descriptor = STDOUT_FILENO;

std::ostream& output() {
    static std::ostream& stream = open_output(output_descriptor);
    return stream;
}

/// Returns a text with its control characters as \xNN, but for line ends and tabs. A message quotes
/// names and bytes of files, which could move the cursor or colour what follows.
std::string visible(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    for (const char letter : text) {
        const auto code = static_cast<unsigned char>(letter);
        const bool is_control = (code < ' ' && letter != '\n' && letter != '\t') || code == 0x7f;
        shown += is_control ? fmt::format("\\x{:02x}", code) : std::string(1, letter);
    }
    return shown;
}

/// Prints the error that ended the process, with --json also on standard output. Returns the exit
/// code.
int tell(const std::exception_ptr& exception, ErrorForm form) {
    const tessera::report::RunError error = tessera::report::run_error_of(exception);
    std::cerr << visible(error.told) << '\n';
    if (form == ErrorForm::Json) {
        // A message may quote bytes of a file that are not UTF-8.
        output() << to_json(error).dump(2, ' ', false,
                                        nlohmann::ordered_json::error_handler_t::replace)
                 << std::endl;
    }
    return error.exit_code;
}

ErrorForm form_of(int argc, char** argv) {
    const bool is_json =
        std::find(argv + 1, argv + argc, std::string_view("--json")) != argv + argc;
    return is_json ? ErrorForm::Json : ErrorForm::Text;
}

int run_alone(int argc, char** argv, tessera::ranks::RankLink* link) {
    using tessera::cli::ExitCode;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    // Before output() redirects it. mpirun gives a rank a terminal of its own, and passes on what
    // it prints, perhaps to a file.
    const auto style =
        link == nullptr ? tessera::cli::style_of(STDOUT_FILENO) : tessera::report::TextStyle{};
    std::ostream& out = output();
    tessera::cli::Console console{
        out, std::cerr, style, tessera::cli::progress_on(STDERR_FILENO), link, output_descriptor};
    try {
        const ExitCode code = tessera::cli::run_command_line(arguments, console, kCommandsAbove);
        tessera::require(static_cast<bool>(output().flush()),
                         "standard output cannot be written: is its disk full?");
        return static_cast<int>(code);
    } catch (...) {
        return tell(std::current_exception(), form_of(argc, argv));
    }
}

/// Runs the command as a rank that neither prints nor writes files. Its error goes to rank 0.
int run_as_other_rank(int argc, char** argv, tessera::ranks::RankLink& link) {
    using tessera::ranks::Ending;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    std::ostream nowhere(nullptr);
    tessera::cli::Console console{nowhere, nowhere, {}, tessera::cli::Progress::Hidden, &link};
    Ending ending = Ending::Own;
    std::string error;
    int code = 0;
    try {
        code = static_cast<int>(tessera::cli::run_command_line(arguments, console, kCommandsAbove));
    } catch (const tessera::ranks::RunOver&) {
        ending = Ending::ByFirst;
    } catch (...) {
        const auto told = tessera::report::run_error_of(std::current_exception());
        error = told.told;
        code = told.exit_code;
    }
    (void)leave(link, ending, error);
    return code;
}

int run(int argc, char** argv) {
    std::unique_ptr<tessera::ranks::RankLink> link;
    try {
        link = tessera::ranks::open_link();
    } catch (...) {
        return tell(std::current_exception(), form_of(argc, argv));
    }
    if (!tessera::ranks::is_first(link.get())) {
        return run_as_other_rank(argc, argv, *link);
    }
    const int code = run_alone(argc, argv, link.get());
    if (link) {
        const std::string error = leave(*link, tessera::ranks::Ending::Own, "");
        // An error of another rank is shown only if this rank has none: both may have the same
        // cause.
        if (code == 0 && !error.empty()) {
            std::cerr << visible(error) << '\n';
            return static_cast<int>(tessera::cli::ExitCode::WrongInput);
        }
    }
    return code;
}

// With a smaller `ulimit -s` the stack of the first thread is too small for a run, and other
// threads get stacks of the same size.
constexpr rlim_t kSmallStack = rlim_t{1} << 20U;
constexpr std::size_t kEnoughStack = std::size_t{8} << 20U;

bool has_small_stack() {
    rlimit stack{};
    return getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kSmallStack;
}

int run_on_large_stack(int argc, char** argv) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kEnoughStack);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    int code = 0;
    std::thread([&] { code = run(argc, argv); }).join();
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    keep_freed_memory();
    choose_signals();
    static const ErrorForm form = form_of(argc, argv);
    std::set_terminate([] { std::_Exit(tell(std::current_exception(), form)); });
    return has_small_stack() ? run_on_large_stack(argc, argv) : run(argc, argv);
}
