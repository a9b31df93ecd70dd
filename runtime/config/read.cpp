// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/read.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <utility>
#include <vector>

#include "emu/base/input_file.hpp"
#include "runtime/config/tree_builder.hpp"
#include "runtime/log/log.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

// Limit of a configuration file. The largest shipped file has 20 KB; without a limit a device file
// or a tensor given by mistake is read into memory as a whole.
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20U;

/// Returns the position of a mark. Overrides and defaults have one origin for all their nodes.
Origin origin_at(const Origin& place, const YAML::Mark& mark) {
    if (place.kind != OriginKind::File || mark.is_null()) {
        return place;
    }
    Origin origin = place;
    origin.line = static_cast<std::uint32_t>(mark.line + 1);
    origin.column = static_cast<std::uint32_t>(mark.column + 1);
    return origin;
}

/// Passes yaml-cpp's events to the builder. YAML::Node is not used, because it drops the positions
/// of keys, which messages about unknown keys need.
class Events final : public YAML::EventHandler {
public:
    Events(TreeBuilder& builder, Origin place) : builder_(builder), place_(std::move(place)) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        check(mark, "?", anchor);
        builder_.add({.kind = NodeKind::Null, .origin = origin_at(place_, mark)});
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        TreeBuilder::refuse(origin_at(place_, mark), "aliases are not allowed: write the value");
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        check(mark, tag, anchor);
        // yaml-cpp marks quoted scalars by the tag "!". Quotes tell text from an expression.
        const auto style = tag == "!" ? ScalarStyle::Quoted : ScalarStyle::Plain;
        builder_.add({.kind = NodeKind::Scalar,
                      .origin = origin_at(place_, mark),
                      .text = value,
                      .style = style});
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        check(mark, tag, anchor);
        builder_.open({.kind = NodeKind::Sequence, .origin = origin_at(place_, mark)});
    }
    void OnSequenceEnd() override { builder_.close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        check(mark, tag, anchor);
        builder_.open({.kind = NodeKind::Map, .origin = origin_at(place_, mark)});
    }
    void OnMapEnd() override { builder_.close(); }

private:
    // Anchors and aliases would give one value two positions, and tags a type of their own.
    void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
        if (anchor != 0) {
            TreeBuilder::refuse(origin_at(place_, mark),
                                "anchors are not allowed: write the value");
        }
        if (!tag.empty() && tag != "?" && tag != "!") {
            TreeBuilder::refuse(origin_at(place_, mark), "tag " + tag + " is not allowed");
        }
    }

    TreeBuilder& builder_;
    Origin place_;
};

/// Parses the whole text first, so that a syntax error is reported before its consequences: an open
/// '[' looks like a list as a key. Reading twice costs microseconds.
class SyntaxOnly final : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark& mark) override { starts_.push_back(mark); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

    [[nodiscard]] const std::vector<YAML::Mark>& starts() const { return starts_; }

private:
    std::vector<YAML::Mark> starts_;  ///< start of each document
};

/// Refuses control characters except the three that YAML allows (YAML 1.2.2, section 5.1). yaml-cpp
/// 0.7 never returns after a zero byte in a plain scalar; a fuzz target found it.
void check_characters(const std::string& text, const Origin& place) {
    YAML::Mark mark;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x20 && letter != '\t' && letter != '\n' && letter != '\r') {
            TreeBuilder::refuse(
                origin_at(place, mark),
                fmt::format("control character 0x{:02X}; allowed: text, tabs and ends of lines",
                            byte));
        }
        if (letter == '\n') {
            ++mark.line;
            mark.column = 0;
        } else if ((byte & 0xC0U) != 0x80) {  // the first byte of a character
            ++mark.column;
        }
    }
}

/// Returns the cure if a tab indents the line: the parser names a consequence, such as the end of a
/// map that is missing.
std::string cure_of_tab(const std::string& text, int number) {
    std::istringstream lines(text);
    std::string line;
    for (int at = 0; at <= number && std::getline(lines, line); ++at) {
    }
    const std::string indent = line.substr(0, line.find_first_not_of(" \t"));
    return indent.find('\t') == indent.npos ? "" : "; a tab indents the line, allowed: spaces";
}

void check_syntax(const std::string& text, const Origin& place) {
    std::istringstream stream(text);
    SyntaxOnly events;
    try {
        YAML::Parser parser(stream);
        // Stops at the second document: after "[1],2" yaml-cpp returns empty documents for ever.
        while (events.starts().size() < 2 && parser.HandleNextDocument(events)) {
        }
    } catch (const YAML::Exception& error) {
        TreeBuilder::refuse(origin_at(place, error.mark),
                            "YAML syntax: " + error.msg + cure_of_tab(text, error.mark.line));
    }
    if (events.starts().size() > 1) {
        TreeBuilder::refuse(origin_at(place, events.starts()[1]),
                            "a second document is not allowed");
    }
}

Node read(const std::string& text, const Origin& place) {
    // In this order: each check relies on the previous one to keep yaml-cpp from an endless loop.
    check_characters(text, place);
    check_syntax(text, place);
    std::istringstream stream(text);
    TreeBuilder builder;
    Events events(builder, place);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(events);
    return builder.finish(place);
}

}  // namespace

Node read_file(const std::filesystem::path& path) {
    const std::string text = read_input(path, kMostBytes);
    // `--log-level config=info` shows which of several files of one name was read.
    log::info(log::Area::Config, "reading {}", path.string());
    return read(text, {OriginKind::File, path.string(), 1, 1});
}

Node read_text(const std::string& text, const std::string& name) {
    return read(text, {OriginKind::File, name, 1, 1});
}

Node read_text_at(const std::string& text, const Origin& origin) {
    return read(text, origin);
}

}  // namespace tessera::config
