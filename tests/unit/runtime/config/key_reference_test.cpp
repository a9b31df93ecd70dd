// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/key_reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "ops/registry.hpp"

namespace tessera::config {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kDocs = fs::path(TESSERA_SOURCE_DIR) / "docs";

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

Page page_of(std::string_view op) {
    return op_page(*ops::find_op(op));
}

// A rule of the op that is a list or a multiple is one with the limits of the key.
TEST(KeyReference, RangesAreThoseOfTheOpsRules) {
    using ::testing::HasSubstr;

    for (const char* op : {"moe_permutation", "fp8_grouped_matmul", "fp8_swiglu"}) {
        EXPECT_THAT(page_of(op).text, HasSubstr("| `tile` | 8, 16, 32, 64 or 128 |")) << op;
    }
    EXPECT_THAT(page_of("rope").text, HasSubstr("| `first` | 0 to 112, a multiple of 16 |"));
    EXPECT_THAT(page_of("rotary_table").text, HasSubstr("| `dim` | 2 to 256, a multiple of 2 |"));
}

TEST(KeyReference, PagesAreThoseOfTheDocs) {
    for (const Page& page : key_pages()) {
        EXPECT_EQ(text_of(kDocs / page.path), page.text)
            << page.path << "; write it with: tessera list keys --markdown docs";
    }
}

TEST(KeyReference, DeviceKeysAreThoseOfTheDocs) {
    const Page page = device_key_page();

    EXPECT_EQ(text_of(kDocs / page.path), page.text)
        << "write it with: tessera list device-keys --markdown docs";
}

// A renamed or removed op must not leave its page.
TEST(KeyReference, FoldersOfTheDocsHoldNoOtherPage) {
    std::set<std::string> written;
    for (const Page& page : key_pages()) {
        written.insert(page.path);
    }
    for (const char* folder : {"keys", "ops"}) {
        for (const auto& entry : fs::directory_iterator(kDocs / folder)) {
            const std::string path = fs::relative(entry.path(), kDocs).string();
            EXPECT_TRUE(written.contains(path)) << "remove docs/" << path;
        }
    }
}

TEST(KeyReference, IndexNamesEveryOp) {
    const std::string index = key_pages().front().text;

    for (const ops::Op* op : ops::all_ops()) {
        EXPECT_THAT(index, HasSubstr("](ops/" + std::string(op->spec.name) + ".md)"));
    }
}

TEST(KeyReference, OpsHaveTheirParameters) {
    const Page page = page_of("moe_bmm");

    EXPECT_EQ(page.path, "ops/moe_bmm.md");
    EXPECT_THAT(page.text, HasSubstr("\n| `k_block` | 1 to 1024 | `4` |"));
}

// A bar would end the cell of a table.
TEST(KeyReference, OperandsHaveFormatsInWords) {
    const std::string text = page_of("top_k").text;

    EXPECT_THAT(page_of("softmax").text, HasSubstr(" | bfloat16 or float32 | ROW_MAJOR | "));
    EXPECT_THAT(page_of("to_block_format").text, HasSubstr(" | bfp8_b or bfp4_b | TILE | "));
    EXPECT_THAT(page_of("matmul").text,
                HasSubstr(" | bfloat16, bfp8_b, bfp4_b or float32 | TILE | "));
    EXPECT_THAT(page_of("put_rows").text, HasSubstr("| `(R, C)` | as `input` | "));
    EXPECT_THAT(page_of("to_layout").text, HasSubstr(" | as `input` | not that of `input` | "));
    EXPECT_THAT(text, HasSubstr("| in `positions` | `any` | int32 | ROW_MAJOR | optional |"));
}

TEST(KeyReference, StepsLeaveOutOptionalInputsAndNameRequiredParameters) {
    EXPECT_THAT(page_of("top_k").text,
                HasSubstr("\n- {name: step, op: top_k, in: {scores: scores}, out: [indices], set: "
                          "{k: …}}\n"));
    EXPECT_THAT(page_of("residual_add").text,
                HasSubstr("\n- {name: step, op: residual_add, in: [a, b], out: [output]}\n"));
}

TEST(KeyReference, TolerancesAreStated) {
    EXPECT_THAT(page_of("copy").text, HasSubstr("\nEvery element equals the reference.\n"));
    EXPECT_THAT(page_of("matmul").text,
                HasSubstr("\nSums run over `K`; a 16-bit DST adds to the allowed error.\n"));
}

}  // namespace
}  // namespace tessera::config
