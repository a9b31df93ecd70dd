// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/read.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "runtime/config/tree_builder.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

Origin origin_at(const Origin& place, const YAML::Mark& mark) {
    if (place.kind != OriginKind::File || mark.is_null()) {
        return place;
    }
    Origin origin = place;
    origin.line = static_cast<std::uint32_t>(mark.line + 1);
    origin.column = static_cast<std::uint32_t>(mark.column + 1);
    return origin;
}

/// Hands yaml-cpp's events to the builder. The event interface is used, and not YAML::Node,
/// since the latter drops the places of keys.
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

Node read(std::istream& stream, const Origin& place) {
    TreeBuilder builder;
    Events events(builder, place);
    try {
        YAML::Parser parser(stream);
        parser.HandleNextDocument(events);
        TreeBuilder rest;
        Events surplus(rest, place);
        if (parser.HandleNextDocument(surplus)) {
            TreeBuilder::refuse(rest.finish(place).origin, "a second document is not allowed");
        }
    } catch (const YAML::Exception& error) {
        TreeBuilder::refuse(origin_at(place, error.mark), "YAML syntax: " + error.msg);
    }
    return builder.finish(place);
}

}  // namespace

Node read_file(const std::filesystem::path& path) {
    std::ifstream stream(path);
    require(stream.good() && !std::filesystem::is_directory(path),
            "{}: cannot read this configuration file", path.string());
    return read(stream, {OriginKind::File, path.string(), 1, 1});
}

Node read_text(const std::string& text, const std::string& name) {
    std::istringstream stream(text);
    return read(stream, {OriginKind::File, name, 1, 1});
}

Node read_text_at(const std::string& text, const Origin& origin) {
    std::istringstream stream(text);
    return read(stream, origin);
}

}  // namespace tessera::config
