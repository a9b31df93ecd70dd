// SPDX-License-Identifier: Apache-2.0
// The binary `tessera`: maps errors to exit codes. Nothing else prints or ends the process.
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "emu/base/tensor_file/partial_file.hpp"
#include "runtime/cli/command_line.hpp"
#include "tessera/errors.hpp"

namespace {

// Tensors come and go by the dozen: memory that was touched once is kept for the next, since the
// host clears every page it gives (a third of a run's processor time went there).
void keep_freed_memory() {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void on_end_signal(int signal) {
    tessera::remove_partial_files();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// What is unfinished goes with the process. A signal that whoever started us wants ignored (a shell
// of its background jobs) stays ignored.
void remove_unfinished_files_at(int signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
        action.sa_handler = on_end_signal;
        sigaction(signal, &action, nullptr);
    }
}

void choose_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        remove_unfinished_files_at(signal);
    }
    // Past `ulimit -f` a write then fails, and the file is named, in place of the process ending.
    std::signal(SIGXFSZ, SIG_IGN);
}

// What a host refuses is no fault of ours, wherever it is noticed.
int tell_host(const std::string& what) {
    std::cerr << "tessera: " << what << '\n';
    return static_cast<int>(tessera::cli::ExitCode::WrongInput);
}

// oneTBB says with a runtime_error of its own that the host gives no thread.
bool is_of_host(const std::exception& error) {
    const std::string_view what = error.what();
    return what.find(std::strerror(EAGAIN)) != std::string_view::npos ||
           what.find(std::strerror(ENOMEM)) != std::string_view::npos;
}

int tell_internal(const std::string& what) {
    std::cerr << "tessera: internal error: " << what << " (please report this)\n";
    return static_cast<int>(tessera::cli::ExitCode::Internal);
}

/// Prints what ended the process; returns what it ends with.
int tell(const std::exception_ptr& exception) {
    if (!exception) {
        return tell_internal("ended without an exception");
    }
    try {
        std::rethrow_exception(exception);
    } catch (const tessera::ConfigError& error) {
        std::cerr << error.what() << '\n';  // begins with file:line:column
        return error.exit_code();
    } catch (const tessera::InternalError& error) {
        std::cerr << "tessera: internal error: " << error.what() << '\n';
        return error.exit_code();
    } catch (const tessera::Error& error) {
        std::cerr << "tessera: " << error.what() << '\n';
        return error.exit_code();
    } catch (const std::bad_alloc&) {
        return tell_host("the host gives no more memory (is it limited, ulimit -v or -d?)");
    } catch (const std::filesystem::filesystem_error& error) {
        return tell_host(error.path1().string() + ": " + error.code().message());
    } catch (const std::system_error& error) {
        return tell_host(std::string("the host refuses: ") + error.what());
    } catch (const std::exception& error) {
        if (is_of_host(error)) {
            return tell_host(std::string("the host refuses: ") + error.what());
        }
        if (std::string_view(error.what()).find("type_error.316") != std::string_view::npos) {
            return tell_host("a name that goes into the JSON is no UTF-8");
        }
        return tell_internal(error.what());
    } catch (...) {
        return tell_internal("an exception of no known type");
    }
}

int run(int argc, char** argv) {
    using tessera::cli::ExitCode;
    tessera::cli::Console console{std::cout, std::cerr, tessera::cli::style_of(STDOUT_FILENO),
                                  tessera::cli::progress_on(STDERR_FILENO)};
    try {
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        const ExitCode code = tessera::cli::run_command_line(arguments, console);
        tessera::require(static_cast<bool>(std::cout.flush()),
                         "standard output takes no more: is its disk full?");
        return static_cast<int>(code);
    } catch (...) {
        return tell(std::current_exception());
    }
}

// Below this `ulimit -s` the stack of the process's first thread holds no run, and other threads
// would get as little.
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
    std::set_terminate([] { std::_Exit(tell(std::current_exception())); });
    return has_small_stack() ? run_on_large_stack(argc, argv) : run(argc, argv);
}
