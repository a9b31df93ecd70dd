// SPDX-License-Identifier: Apache-2.0
// A headless Chromium, controlled over its debugging pipe: pages, keys, clicks, and its complaints.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tessera::test {

/// Returns the path of the browser: $TESSERA_BROWSER, or the first of chromium, chromium-browser,
/// google-chrome and chrome on the path; nothing if there is none.
[[nodiscard]] std::optional<std::string> find_browser();

class Browser {
public:
    /// Starts the browser with its own profile. Throws std::runtime_error if it does not answer.
    explicit Browser(const std::string& path);
    ~Browser();
    Browser(const Browser&) = delete;
    Browser& operator=(const Browser&) = delete;

    void resize(int width, int height);
    /// Sets the system's preferred colour scheme: "light" or "dark".
    void prefer(const std::string& scheme);
    /// Opens a file and waits until it is loaded.
    void open(const std::filesystem::path& file);
    /// Returns the value of a JavaScript expression.
    nlohmann::json evaluate(const std::string& expression);
    std::string text(const std::string& selector);
    /// Clicks the middle of an element.
    void click(const std::string& selector);
    /// Chooses an option of a select, as a user would.
    void choose(const std::string& selector, const std::string& value);
    void press(const std::string& key);
    /// Writes a PNG of a whole element.
    void screenshot(const std::string& selector, const std::filesystem::path& file);
    /// Returns the exceptions, console errors and failed requests so far.
    [[nodiscard]] const std::vector<std::string>& complaints() const noexcept {
        return complaints_;
    }

private:
    nlohmann::json call(const std::string& method, const nlohmann::json& parameters);
    nlohmann::json receive();
    void note(const nlohmann::json& event);

    std::filesystem::path profile_;
    pid_t process_ = -1;
    int to_ = -1;
    int from_ = -1;
    int last_id_ = 0;
    std::string session_;
    std::string buffer_;
    std::vector<std::string> complaints_;
};

}  // namespace tessera::test
