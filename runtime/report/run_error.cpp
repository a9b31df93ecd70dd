// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/run_error.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <regex>
#include <string_view>
#include <system_error>

#include "runtime/report/describe.hpp"

namespace tessera::report {
namespace {

constexpr int kWrongInput = 2;
constexpr int kInternal = 70;

RunError of_tessera(const char* type, const Error& error, const std::string& prefix) {
    return {.type = type,
            .message = error.what(),
            .told = prefix + error.what(),
            .exit_code = error.exit_code()};
}

// Its message begins with file:line:column.
RunError of_config(const ConfigError& error) {
    static const std::regex kPlace("^([^\n]+?):([0-9]+):([0-9]+): ");
    RunError told = of_tessera("ConfigError", error, "");
    std::smatch place;
    if (std::regex_search(told.message, place, kPlace)) {
        told.file = place[1];
        told.line = static_cast<std::uint32_t>(std::stoul(place[2]));
        told.column = static_cast<std::uint32_t>(std::stoul(place[3]));
    }
    return told;
}

RunError of_kernel(const KernelError& error) {
    RunError told = of_tessera("KernelError", error, "tessera: ");
    told.category = error.category();
    told.where = error.where();
    return told;
}

// A refusal by the host is not an internal error, wherever it is detected.
RunError of_host(const std::string& what) {
    return {
        .type = "HostError", .message = what, .told = "tessera: " + what, .exit_code = kWrongInput};
}

RunError of_internal(const std::string& what) {
    return {.type = "InternalError",
            .message = what,
            .told = "tessera: internal error: " + what + " (please report this)",
            .exit_code = kInternal};
}

// oneTBB throws a runtime_error of its own if the host provides no thread.
bool is_of_host(std::string_view what) {
    return what.find(std::strerror(EAGAIN)) != std::string_view::npos ||
           what.find(std::strerror(ENOMEM)) != std::string_view::npos;
}

RunError of_other(const std::exception& error) {
    const std::string what = error.what();
    if (is_of_host(what)) {
        return of_host("the host refuses: " + what);
    }
    if (what.find("type_error.316") != std::string::npos) {
        return of_host("a name in the JSON is not valid UTF-8");
    }
    return of_internal(what);
}

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace

RunError run_error_of(const std::exception_ptr& exception) {
    if (!exception) {
        return of_internal("ended without an exception");
    }
    try {
        std::rethrow_exception(exception);
    } catch (const ConfigError& error) {
        return of_config(error);
    } catch (const KernelError& error) {
        return of_kernel(error);
    } catch (const InternalError& error) {
        return of_tessera("InternalError", error, "tessera: internal error: ");
    } catch (const Error& error) {
        return of_tessera("UsageError", error, "tessera: ");
    } catch (const std::bad_alloc&) {
        return of_host("the host gives no more memory (is it limited, ulimit -v or -d?)");
    } catch (const std::filesystem::filesystem_error& error) {
        return of_host(error.path1().string() + ": " + error.code().message());
    } catch (const std::system_error& error) {
        return of_host(std::string("the host refuses: ") + error.what());
    } catch (const std::exception& error) {
        return of_other(error);
    } catch (...) {
        return of_internal("an exception of no known type");
    }
}

nlohmann::ordered_json to_json(const RunError& error) {
    const auto& where = error.where;
    return {{"schema", "tessera.error"},
            {"version", 1},
            {"type", error.type},
            {"category", error.category ? Json(name_of(*error.category)) : Json(nullptr)},
            {"device", where ? Json(where->device) : Json(nullptr)},
            {"core", where ? Json{{"x", where->core.x}, {"y", where->core.y}} : Json(nullptr)},
            {"thread", where ? Json(role_of(where->processor)) : Json(nullptr)},
            {"kernel", where ? or_null(where->kernel) : Json(nullptr)},
            {"file", or_null(where ? where->file : error.file)},
            {"line", where ? Json(where->line) : or_null(error.line)},
            {"column", or_null(error.column)},
            {"message", error.message},
            {"exit_code", error.exit_code}};
}

}  // namespace tessera::report
