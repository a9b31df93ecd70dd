// SPDX-License-Identifier: Apache-2.0
// The critical path by line, and how much of it rests on assumed constants.

function drawPath() {
    byId("path-table").replaceChildren(table("Critical path by line", [
        {head: "Spent on", cell: (p) => make("span", {}, make("i", {class: "swatch",
            style: `background:${partColour(p.name)}`}), p.name)},
        {head: "Thread", cell: (p) => p.thread || "–"},
        {head: "Line", code: true, wide: true, cell: (p) => p.line || "–"},
        {head: "Cycles", number: true, cell: (p) => cycles(p.time)},
        {head: "Share", number: true, cell: (p) => percent(p.time / view.makespan)},
        {head: "", cell: (p) => meter(p.time / view.makespan)},
        {head: "Times", number: true, cell: (p) => count(p.count)},
        {head: "Steps", cell: (p) => [...p.launches].join(", ")},
    ], view.path.slice(0, 40)));
    drawAssumed();
    drawConstants();
}

function drawAssumed() {
    if (data.assumed.length === 0) {
        byId("assumed").replaceChildren();
        return;
    }
    byId("assumed").replaceChildren(
        make("h3", {}, "Assumed constants on the path of the whole run"),
        make("p", {class: "hint"}, "Numbers that nobody publishes, by the parts of the path that " +
            "they price. A part may have published prices too: its share is the most that the " +
            "assumed ones carry."),
        make("div", {class: "scroll"}, table("Assumed constants", [
            {head: "Part", cell: (p) => p.name},
            {head: "Share", number: true, cell: (p) => percent(p.time / data.makespan.expected)},
            {head: "Constants", code: true, cell: (p) => p.constants.join(", ")},
        ], data.assumed)));
}
