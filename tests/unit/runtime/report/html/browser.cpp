// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/runtime/report/html/browser.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kAnswerTimeout = 60'000;  // milliseconds; a loaded host starts a browser slowly

std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe to the browser");
    }
    return ends;
}

// Runs in the child: the protocol's pipe is 3 (to the browser) and 4 (from it).
[[noreturn]] void become_browser(const std::string& path, const std::string& profile, int in,
                                 int out) {
    const int quiet = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int high_in = ::fcntl(in, F_DUPFD, 10);
    const int high_out = ::fcntl(out, F_DUPFD, 10);
    ::dup2(high_in, 3);
    ::dup2(high_out, 4);
    ::dup2(quiet, STDOUT_FILENO);
    ::dup2(quiet, STDERR_FILENO);
    ::setpgid(0, 0);
    const std::string folder = "--user-data-dir=" + profile;
    ::execl(path.c_str(), path.c_str(), "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
            "--disable-background-networking", "--hide-scrollbars", "--remote-debugging-pipe",
            folder.c_str(), "about:blank", nullptr);
    ::_exit(127);
}

std::string decoded(const std::string& base64) {
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int held = 0;
    for (const char letter : base64) {
        const std::size_t value = letters.find(letter);
        if (value == std::string::npos) {
            break;
        }
        bits = (bits << 6U | static_cast<unsigned>(value)) & 0xFFFFFFU;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes += static_cast<char>((bits >> static_cast<unsigned>(held)) & 0xFFU);
        }
    }
    return bytes;
}

}  // namespace

std::optional<std::string> find_browser() {
    if (const char* chosen = std::getenv("TESSERA_BROWSER")) {
        return chosen;
    }
    const char* path = std::getenv("PATH");
    for (const char* name : {"chromium", "chromium-browser", "google-chrome", "chrome"}) {
        std::istringstream folders(path == nullptr ? "" : path);
        for (std::string folder; std::getline(folders, folder, ':');) {
            const fs::path candidate = fs::path(folder) / name;
            if (::access(candidate.c_str(), X_OK) == 0) {
                return candidate.string();
            }
        }
    }
    return std::nullopt;
}

Browser::Browser(const std::string& path) {
    std::string name = (fs::temp_directory_path() / "tessera-browser-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no folder for the browser's profile");
    }
    profile_ = name;
    const auto commands = make_pipe();
    const auto answers = make_pipe();
    process_ = ::fork();
    if (process_ == 0) {
        become_browser(path, name, commands[0], answers[1]);
    }
    ::close(commands[0]);
    ::close(answers[1]);
    to_ = commands[1];
    from_ = answers[0];
    ::signal(SIGPIPE, SIG_IGN);
    const json target = call("Target.createTarget", {{"url", "about:blank"}});
    session_ = call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})
                   .at("sessionId");
    for (const char* domain : {"Page.enable", "Runtime.enable", "Log.enable"}) {
        call(domain, json::object());
    }
}

Browser::~Browser() {
    ::close(to_);
    ::close(from_);
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    std::error_code error;  // helper processes may still run: the system cleans up
    fs::remove_all(profile_, error);
}

json Browser::receive() {
    std::size_t end = buffer_.find('\0');
    while (end == std::string::npos) {
        pollfd ready{from_, POLLIN, 0};
        std::array<char, 65536> part;
        const ssize_t size =
            ::poll(&ready, 1, kAnswerTimeout) == 1 ? ::read(from_, part.data(), part.size()) : 0;
        if (size <= 0) {
            throw std::runtime_error("the browser does not answer");
        }
        buffer_.append(part.data(), static_cast<std::size_t>(size));
        end = buffer_.find('\0');
    }
    const json message = json::parse(buffer_.substr(0, end));
    buffer_.erase(0, end + 1);
    return message;
}

void Browser::note(const json& event) {
    const std::string method = event.value("method", "");
    const json& facts = event["params"];
    const bool is_error = method == "Runtime.exceptionThrown" ||
                          (method == "Runtime.consoleAPICalled" && facts["type"] == "error") ||
                          (method == "Log.entryAdded" && facts["entry"]["level"] == "error");
    if (is_error) {
        complaints_.push_back(facts.dump());
    }
}

json Browser::call(const std::string& method, const json& parameters) {
    json command{{"id", ++last_id_}, {"method", method}, {"params", parameters}};
    if (!session_.empty()) {
        command["sessionId"] = session_;
    }
    const std::string text = command.dump();
    if (::write(to_, text.c_str(), text.size() + 1) != static_cast<ssize_t>(text.size() + 1)) {
        throw std::runtime_error("the browser has ended");
    }
    while (true) {
        const json message = receive();
        if (message.value("id", 0) != last_id_) {
            note(message);
        } else if (message.contains("error")) {
            throw std::runtime_error(method + ": " + message["error"].dump());
        } else {
            return message.at("result");
        }
    }
}

void Browser::resize(int width, int height) {
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::prefer(const std::string& scheme) {
    call("Emulation.setEmulatedMedia",
         {{"features", json::array({{{"name", "prefers-color-scheme"}, {"value", scheme}}})}});
}

void Browser::open(const fs::path& file) {
    call("Page.navigate", {{"url", "file://" + file.string()}});
    while (evaluate("document.readyState") != "complete" ||
           evaluate("location.protocol") != "file:" ||
           evaluate("document.getElementById('report-data') !== null && "
                    "document.documentElement.dataset.drawn !== 'true'") == true) {
        ::usleep(20'000);
    }
}

json Browser::evaluate(const std::string& expression) {
    const json answer =
        call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
    if (answer.contains("exceptionDetails")) {
        throw std::runtime_error(expression + ": " + answer["exceptionDetails"].dump());
    }
    return answer["result"].value("value", json(nullptr));
}

std::string Browser::text(const std::string& selector) {
    return evaluate("document.querySelector('" + selector + "').textContent").get<std::string>();
}

void Browser::click(const std::string& selector) {
    const json place =
        evaluate("(() => { const e = document.querySelector('" + selector +
                 "'); e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                 " return [b.left + b.width / 2, b.top + b.height / 2]; })()");
    for (const char* type : {"mousePressed", "mouseReleased"}) {
        call("Input.dispatchMouseEvent", {{"type", type},
                                          {"x", place[0]},
                                          {"y", place[1]},
                                          {"button", "left"},
                                          {"clickCount", 1}});
    }
}

void Browser::choose(const std::string& selector, const std::string& value) {
    evaluate("(() => { const s = document.querySelector('" + selector + "'); s.value = '" + value +
             "'; s.dispatchEvent(new Event('change', {bubbles: true})); })()");
}

void Browser::press(const std::string& key) {
    json event{{"key", key}};
    if (key.size() == 1) {
        event["text"] = key;
    } else {
        event["code"] = key;
        event["windowsVirtualKeyCode"] = key == "Enter" ? 13 : key == "Tab" ? 9 : 0;
    }
    event["type"] = key.size() == 1 ? "keyDown" : "rawKeyDown";
    call("Input.dispatchKeyEvent", event);
    event["type"] = "keyUp";
    event.erase("text");
    call("Input.dispatchKeyEvent", event);
}

void Browser::screenshot(const std::string& selector, const fs::path& file) {
    json clip = evaluate("(() => { const b = document.querySelector('" + selector +
                         "').getBoundingClientRect(); return {x: b.left + scrollX, "
                         "y: b.top + scrollY, width: b.width, height: b.height, scale: 1}; })()");
    const json image =
        call("Page.captureScreenshot",
             {{"format", "png"}, {"captureBeyondViewport", true}, {"clip", std::move(clip)}});
    std::ofstream(file, std::ios::binary) << decoded(image["data"].get<std::string>());
}

}  // namespace tessera::test
