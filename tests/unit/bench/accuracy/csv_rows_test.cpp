// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/csv_rows.hpp"

#include <gtest/gtest.h>

#include "tests/errors/host/usage_error_message.hpp"

namespace tessera::score {
namespace {

const std::string kHeader = "id,arch,workload,parameters,metric,value,unit,source,note,group\n";
const std::string kRow = "a-1,wormhole,NoC,mem=L1,latency,205,cycles,s,n,noc\n";

std::string message_of(const std::string& text) {
    return usage_error_message([&] { (void)parse_csv(text, "rows.csv"); });
}

TEST(CsvRows, TakeColumnsByName) {
    const auto rows = parse_csv(
        "group,value,unit,metric,parameters,workload,arch,id,else\n"
        "noc,2.5,us,time,k=v,one,blackhole,b-7,x\n",
        "rows.csv");

    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].line, 2U);
    EXPECT_EQ(rows[0].id, "b-7");
    EXPECT_EQ(rows[0].arch, "blackhole");
    EXPECT_EQ(rows[0].workload, "one");
    EXPECT_EQ(rows[0].parameters, "k=v");
    EXPECT_EQ(rows[0].metric, "time");
    EXPECT_EQ(rows[0].value, 2.5);
    EXPECT_EQ(rows[0].unit, "us");
    EXPECT_EQ(rows[0].group, "noc");
}

TEST(CsvRows, QuotedFieldsHoldCommasQuotesAndLines) {
    const auto rows =
        parse_csv(kHeader + "a-1,wormhole,\"one, \"\"two\"\"\nthree\",,m,1,us,s,n,g\n\r\n" +
                      "a-2,wormhole,,,m,2,us,s,n,g\r\n",
                  "rows.csv");

    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].workload, "one, \"two\"\nthree");
    EXPECT_EQ(rows[1].line, 5U);
    EXPECT_EQ(rows[1].group, "g");
}

TEST(CsvRows, RefuseWhatIsNoTable) {
    EXPECT_EQ(message_of(""), "rows.csv:1: empty, no columns are named");
    EXPECT_EQ(message_of("id,arch\n"),
              "rows.csv:1: no column workload; needed: id, arch, workload, parameters, metric, "
              "value, unit and group");
    EXPECT_EQ(message_of(kHeader + kRow + "a-2,wormhole\n"),
              "rows.csv:3: 2 fields, the first line has 10");
    EXPECT_EQ(message_of(kHeader + "a-1,\"worm"), "rows.csv:2: a quote is not closed");
    EXPECT_EQ(message_of(kHeader + "\"a\"b,wormhole\n"),
              "rows.csv:2: text behind a closing quote, allowed: a comma or the line's end");
}

TEST(CsvRows, RefuseValuesThatCannotBeScored) {
    const auto row = [](const char* id, const char* arch, const char* value, const char* group) {
        return fmt::format("{}{},{},w,p,m,{},u,s,n,{}\n", kHeader, id, arch, value, group);
    };

    EXPECT_EQ(message_of(row("a", "wormhole", "fast", "g")),
              "rows.csv:2: value fast: allowed: a number above 0");
    EXPECT_EQ(message_of(row("a", "wormhole", "0", "g")),
              "rows.csv:2: value 0: allowed: a number above 0");
    EXPECT_EQ(message_of(row("a", "grayskull", "1", "g")),
              "rows.csv:2: arch grayskull: allowed: wormhole or blackhole");
    EXPECT_EQ(message_of(row("", "wormhole", "1", "g")), "rows.csv:2: id is empty");
    EXPECT_EQ(message_of(row("a", "wormhole", "1", "")), "rows.csv:2: group is empty");
    EXPECT_EQ(message_of(kHeader + kRow + kRow), "rows.csv:3: id a-1 is that of line 2 too");
}

TEST(CsvRows, NameAFileThatCannotBeRead) {
    EXPECT_EQ(usage_error_message([] { (void)read_csv("no/such.csv"); }),
              "no/such.csv: cannot open: No such file or directory");
}

}  // namespace
}  // namespace tessera::score
