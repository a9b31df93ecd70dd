// SPDX-License-Identifier: Apache-2.0
// Figures of the selection, its bounds, and the table of steps.

function figure(what, value, of) {
    return make("div", {class: "figure"}, make("div", {class: "what"}, what),
        make("div", {class: "value"}, value), make("div", {class: "of"}, of));
}

function rateFigure(what, achieved, peak, unit, more = "") {
    return figure(what, percent(achieved.share),
        `${rate(achieved.per_cycle, unit)} of ${rate(peak, unit)}${more}`);
}

function drawFigures() {
    const chosen = selection.launch < 0 ? data : data.launches[selection.launch];
    const isRun = selection.launch < 0;
    // Time of a step as in the table of steps: on the device that takes longest.
    const time = isRun ? chosen.makespan : chosen.device_time;
    const got = chosen.achieved;
    const range = time.low === time.high ? ""
        : `; ${cycles(time.low)} to ${cycles(time.high)} in nine of ten draws`;
    const tiles = [
        figure(isRun ? "Makespan, cycles" : `Step ${chosen.name}, cycles`, cycles(time.expected),
            `${seconds(time.expected)}${range}` +
            (isRun ? "" : `; the run takes ${cycles(data.makespan.expected)} cycles`)),
        rateFigure("Compute", got.compute, data.peak.flops_per_cycle, "FLOP/s",
            `; FPU utilisation ${percent(got.fpu_share)} (active cores)`),
        rateFigure("DRAM", got.dram, data.peak.dram_bytes_per_cycle, "B/s"),
        rateFigure("NoC, injected", got.noc, data.peak.noc_bytes_per_cycle, "B/s",
            `; busiest link ${percent(got.busiest_link)}`),
    ];
    if (data.peak.link_bytes_per_cycle > 0) {
        tiles.push(rateFigure("Mesh links", got.mesh, data.peak.link_bytes_per_cycle, "B/s"));
    }
    byId("figures").replaceChildren(...tiles);
}

function drawBounds() {
    const chosen = selection.launch < 0 ? data : data.launches[selection.launch];
    const parts = chosen.bound_by.map((part) => ({name: part.name, colour: partColour(part.name),
        share: part.time / view.makespan, time: part.time}));
    const rows = table("Parts of the critical path", [
        {head: "Part", cell: (p) => make("span", {},
            make("i", {class: "swatch", style: `background:${p.colour}`}), p.name)},
        {head: "Cycles", number: true, cell: (p) => cycles(p.time)},
        {head: "Share", number: true, cell: (p) => percent(p.share)},
    ], parts.slice(0, 12));
    byId("bounds").replaceChildren(stackBar("Critical path by what it is spent on", parts), rows);
}

/// Returns the parts of the launch's share of the run; for a launch that bounds nothing, of its own
/// path.
function boundCell(launch) {
    const isPart = launch.time_of_run > 0;
    const times = new Map();
    for (const part of launch.path) {
        const time = isPart ? part.time_of_run : part.time;
        times.set(part.name, (times.get(part.name) || 0) + time);
    }
    const whole = isPart ? launch.time_of_run : launch.makespan.expected;
    return [...times].sort((a, b) => b[1] - a[1]).slice(0, 2)
        .map(([name, time]) => `${name} ${percent(time / whole)}`).join(", ");
}

function drawSteps() {
    const rows = data.launches.map((launch, index) => ({launch, index}));
    const overlap = data.launches.some((l) => l.time_of_run < l.makespan.expected);
    byId("steps").replaceChildren(make("p", {class: "hint"}, overlap
        ? "Each device starts its next step on its own, so steps overlap and their cycles add up " +
          "to more than the makespan. “Of the run” is a step's time after all earlier steps have " +
          "ended. Cycles are those of the device that takes longest."
        : ""), table("Steps", [
        {head: "Step", cell: (r) => r.launch.name},
        {head: "Cycles", number: true, cell: (r) => cycles(r.launch.device_time.expected)},
        {head: "Of the run", number: true, cell: (r) =>
            percent(r.launch.time_of_run / data.makespan.expected)},
        {head: "", cell: (r) => meter(r.launch.time_of_run / data.makespan.expected)},
        {head: "× bound", number: true, cell: (r) =>
            overBound(r.launch.device_time.expected, r.launch.bound)},
        {head: "Cores", number: true, cell: (r) => count(r.launch.work.cores_given)},
        {head: "Math utilisation", number: true, cell: (r) => percent(r.launch.given_utilisation)},
        {head: "Imbalance", number: true, cell: (r) => r.launch.imbalance.factor.toFixed(2)},
        {head: "Bound by", wide: true, cell: (r) => boundCell(r.launch)},
    ], rows, (r) => chooseLaunch(r.index === selection.launch ? -1 : r.index),
    (r) => r.index === selection.launch));
}

/// A run that failed has the steps before the error.
function drawFailure() {
    const error = data.run && data.run.error;
    byId("failure").hidden = !error;
    if (error) {
        byId("failure-text").textContent = error.message;
        byId("failure-steps").textContent =
            `The page shows what ended before: ${data.launches.length} ` +
            `step${data.launches.length === 1 ? "" : "s"}.`;
    }
}

/// Behaviour that the chip tolerates, once for each line and kind. Of the whole run.
function drawFindings() {
    const findings = data.run ? data.run.findings : [];
    byId("findings").hidden = findings.length === 0;
    byId("findings-table").replaceChildren(table("Tolerated behaviour", [
        {head: "Line", code: true, cell: (f) => `${f.file}:${f.line}`},
        {head: "Behaviour", wide: true, cell: (f) => f.text},
        {head: "At the first core", wide: true, cell: (f) => f.detail},
        {head: "Cores", number: true, cell: (f) => count(f.cores)},
        {head: "Calls", number: true, cell: (f) => count(f.calls)},
    ], findings));
}

function drawSummary() {
    drawFindings();
    drawFigures();
    drawBounds();
    drawSteps();
}
