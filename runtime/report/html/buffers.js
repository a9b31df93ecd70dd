// SPDX-License-Identifier: Apache-2.0
// Fill of the chosen core's CBs over the window of the timeline.

/// Returns the chosen core. If its fill was not kept, returns a core that has one: of the same
/// device if possible, the one with most of the critical path.
function coreWithFill() {
    const kept = new Set(view.launches.flatMap((launch) =>
        launch.cbs.map((series) => coreKey(launch.cores[series.core]))));
    if (kept.size === 0 || kept.has(coreKey(selection))) {
        return selection;
    }
    const isNear = (core) => core.device === selection.device;
    return [...view.cores.values()].filter((core) => kept.has(coreKey(core)))
        .sort((a, b) => isNear(b) - isNear(a) || b.on_path - a.on_path)[0];
}

function seriesOfCore(chosen) {
    const byCb = new Map();
    for (const launch of view.launches) {
        for (const series of launch.cbs) {
            const core = launch.cores[series.core];
            if (coreKey(core) === coreKey(chosen)) {
                const list = byCb.get(series.cb) || [];
                list.push({launch, series, cb: core.cbs.find((c) => c.index === series.cb)});
                byCb.set(series.cb, list);
            }
        }
    }
    return [...byCb.entries()].sort((a, b) => a[0] - b[0]);
}

/// Pages at full height: a CB's number may have another size in another step.
function topOf(part) {
    return Math.max(1, part.series.capacity, part.series.most);
}

function fillSteps(pen, part, box) {
    const {series, launch} = part;
    const offset = offsetOf(launch);
    const top = topOf(part);
    const y = (pages) => box.height - 2 - (pages / top) * (box.height - 6);
    const end = offset + launch.makespan.expected;
    pen.beginPath();
    pen.moveTo(xOf(offset, box.width), y(0));
    let level = 0;
    for (let i = 0; i < series.points.length; i += 2) {
        const x = xOf(offset + series.points[i], box.width);
        pen.lineTo(x, y(level));
        level = series.points[i + 1];
        pen.lineTo(x, y(level));
    }
    pen.lineTo(xOf(end, box.width), y(level));
    pen.lineTo(xOf(end, box.width), y(0));
    pen.closePath();
    pen.fill();
}

function drawBuffer(canvas, parts) {
    const box = fitCanvas(canvas, 54);
    const {pen} = box;
    const tops = new Set(parts.map(topOf));
    pen.fillStyle = themeColour("empty");
    pen.fillRect(kGutter, 0, box.width - kGutter, box.height);
    pen.save();
    pen.beginPath();
    pen.rect(kGutter, 0, box.width - kGutter, box.height);
    pen.clip();
    pen.fillStyle = themeColour("bar");
    parts.forEach((part) => fillSteps(pen, part, box));
    pen.restore();
    pen.fillStyle = themeColour("soft");
    pen.textBaseline = "middle";
    pen.fillText(tops.size === 1 ? `${[...tops][0]} pages` : "full", 6, 8);
    pen.fillText("0", 6, box.height - 8);
}

function capacityText(part) {
    const format = part.cb ? ` of ${part.cb.format}, ${bytes(part.cb.page_bytes)} each` : "";
    return `${part.series.capacity} pages${format}`;
}

function bufferTitle(cb, parts) {
    const time = parts.reduce((sum, p) => sum + p.launch.makespan.expected, 0);
    const fill = parts.reduce((sum, p) =>
        sum + (p.series.mean / topOf(p)) * p.launch.makespan.expected, 0) / Math.max(time, 1);
    const sizes = new Set(parts.map(capacityText));
    const size = sizes.size === 1 ? [...sizes][0] : `another size in ${sizes.size} steps`;
    const most = Math.max(...parts.map((p) => p.series.most));
    const merged = parts.some((p) => p.series.merged_below > 0) ? "; peaks of merged changes" : "";
    return `CB ${cb}: ${size}; ${percent(fill)} full on average, most ${most} pages${merged}`;
}

function drawBuffers() {
    const shown = coreWithFill();
    const charts = seriesOfCore(shown);
    const other = coreKey(shown) === coreKey(selection) ? ""
        : ` The fill of core ${coreName(selection)} was not kept; --focus keeps it.`;
    byId("buffers-of").textContent = charts.length > 0
        ? `Core ${coreName(shown)}, cycles ${cycles(selection.from)} to ` +
          `${cycles(selection.to)}: the window of the timeline.${other}`
        : "No fill of CBs was kept of these steps; --focus keeps it.";
    byId("buffer-charts").replaceChildren(...charts.map(([cb, parts]) =>
        make("div", {class: "chart"}, make("div", {class: "title"}, bufferTitle(cb, parts)),
            make("div", {class: "canvas-box"}, make("canvas", {role: "img",
                "aria-label": bufferTitle(cb, parts)})))));
    document.querySelectorAll("#buffer-charts canvas").forEach((canvas, i) =>
        drawBuffer(canvas, charts[i][1]));
}
