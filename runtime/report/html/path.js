// SPDX-License-Identifier: Apache-2.0
// The critical path by line, and the share of it that depends on assumed constants.

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

/// Returns the first few constants of a part: a small part may have dozens.
function constantsCell(part) {
    const kMost = 6;
    const more = part.constants.length - kMost;
    const cell = make("span", {}, part.constants.slice(0, kMost).join(", ") +
        (more > 0 ? ` and ${more} more` : ""));
    withTip(cell, () => part.constants.join(", "));
    return cell;
}

function drawAssumed() {
    const kLeast = 0.01;  // of the makespan
    const share = (part) => part.time / data.makespan.expected;
    const shown = data.assumed.filter((part) => share(part) >= kLeast);
    const small = data.assumed.filter((part) => share(part) < kLeast);
    if (data.assumed.length === 0) {
        byId("assumed").replaceChildren();
        return;
    }
    byId("assumed").replaceChildren(
        make("h3", {}, "Assumed constants on the path of the whole run"),
        make("p", {class: "hint"}, "Numbers that nobody publishes, by the parts of the path that " +
            "they price. A part may have published prices too: its share is the most that the " +
            "assumed ones carry." + (small.length === 0 ? ""
            : ` Not shown: ${small.length} parts of less than 1 % each, together ` +
              `${percent(small.reduce((sum, part) => sum + share(part), 0))}.`)),
        make("div", {class: "scroll"}, table("Assumed constants", [
            {head: "Part", cell: (p) => p.name},
            {head: "Share", number: true, cell: (p) => percent(share(p))},
            {head: "Constants", code: true, cell: constantsCell},
        ], shown)));
}
