// SPDX-License-Identifier: Apache-2.0
// Waits of each core, stacked by kind, and the worst stalls of the selection.

function stackParts(core) {
    const totals = selection.stack === "all" ? core.totals
        : (core.threads[selection.stack] || {totals: emptyTotals()}).totals;
    const threads = selection.stack === "all" ? Math.max(core.num_threads, 1) : 1;
    return totals.map((time, i) => ({time, share: time / (view.makespan * threads),
        activity: kActivities[i]})).filter((part) => part.activity.class === "wait" &&
        part.time > 0);
}

function stackColumn(core, isFirst) {
    const parts = stackParts(core);
    const text = `${coreName(core)}\n` + (parts.map((part) =>
        `${part.activity.name}: ${percent(part.share)} (${cycles(part.time)})`).join("\n") ||
        "no waits");
    const isChosen = coreKey(core) === coreKey(selection);
    const column = make("button", {type: "button", class: "column",
        "aria-pressed": String(isChosen), "aria-label": text.replace(/\n/g, ", ")},
        ...parts.map((part) => make("span", {style: `height:${part.share * 100}%;` +
            `background:${activityColour(part.activity.key)}`})));
    column.addEventListener("click", () => chooseCore(core.x, core.y, false));
    withTip(column, () => text);
    // The names of all cores of a grid row do not fit side by side, so the first core names the
    // row.
    return make("span", {class: "column-box"}, column,
        make("span", {class: "column-name", "aria-hidden": "true"},
            isFirst ? `(${core.x},${core.y})` : ""));
}

function stackAxis() {
    return make("span", {class: "stack-axis", "aria-hidden": "true"},
        ...["100 %", "50 %", "0"].map((text) => make("span", {}, text)));
}

function drawStack() {
    const cores = [...view.cores.values()].filter((core) => core.device === selection.device)
        .sort((a, b) => a.y - b.y || a.x - b.x);
    const waits = kActivities.filter((a) => a.class === "wait");
    byId("stack").replaceChildren(
        make("p", {class: "hint"}, "One column a core, row by row of the grid, each row's first core named; full height is " +
            (selection.stack === "all" ? "the makespan of each of its threads."
                                       : "the makespan.")),
        make("div", {class: "stack-chart", role: "group", "aria-label": "Waits by core"},
            stackAxis(),
            ...cores.map((core, i) => stackColumn(core, i === 0 || core.y !== cores[i - 1].y))),
        legend(waits.map((a) => [activityColour(a.key), a.name])));
}

function sideText(launch, side, place) {
    if (!side) {
        return "";
    }
    const line = launch.lines[side.line];
    return `${side.thread} ${coreName(place)}${line ? ` ${line}` : ""}`;
}

function travelText(stall) {
    const parts = Object.entries(stall.transit).sort((a, b) => b[1] - a[1]).slice(0, 2);
    return parts.map(([key, time]) => `${data.words.resources.find((r) => r.key === key).name} ` +
        percent(time / stall.direct)).join(", ");
}

function showStall({launch, stall}) {
    const {waiter, begin, end} = stall.longest;
    selection.device = waiter.device;
    byId("pick-device").value = String(waiter.device);
    selection.rows = "core";
    byId("pick-rows").value = "core";
    chooseCore(waiter.x, waiter.y, false);
    const row = timeline.rows.find((r) => r.name === stall.waiter.thread);
    const at = offsetOf(launch) + (begin + end) / 2;
    const span = (end - begin) * 3;
    setWindow(at - span / 2, at + span / 2);
    chooseStretch(row ? stretchAt(row, at) : null);
    byId("timeline").scrollIntoView();
    byId("threads").focus({preventScroll: true});
}

/// For registers and interfaces, the wait itself is the whole description.
function objectOf(stall) {
    return ["wait_dst", "wait_source", "wait_noc_slot"].includes(stall.activity) ? ""
        : stall.object;
}

function drawStalls() {
    drawStack();
    byId("stall-table").replaceChildren(table("Worst stalls", [
        {head: "Step", cell: (r) => r.launch.name},
        {head: "Wait", cell: (r) => data.words.activities[kActivityIndex[r.stall.activity]].name},
        {head: "Object", cell: (r) => objectOf(r.stall)},
        {head: "Of", code: true, cell: (r) => `${r.stall.waiter.thread} ` +
            r.launch.lines[r.stall.waiter.line]},
        {head: "Cycles", number: true, cell: (r) => cycles(r.stall.total)},
        {head: "Direct", number: true, cell: (r) => cycles(r.stall.direct)},
        {head: "Waits", number: true, cell: (r) => count(r.stall.count)},
        {head: "Longest", number: true, cell: (r) =>
            cycles(r.stall.longest.end - r.stall.longest.begin)},
        {head: "There, ended by", code: true, cell: (r) => r.stall.ender
            ? sideText(r.launch, r.stall.ender, r.stall.longest.ender) : travelText(r.stall)},
    ], view.stalls.slice(0, 25), showStall));
}
