// SPDX-License-Identifier: Apache-2.0
// Time over bound of each step, and the roofline: operations a cycle against operations per byte.

const kRoofBox = {width: 520, height: 320, left: 64, right: 16, top: 14, bottom: 44};

function overBound(time, bound) {
    return bound && bound.time > 0 ? threeDigits((time - (bound.waited || 0)) / bound.time) : "–";
}

function boundedLaunches() {
    return data.launches.filter((launch) => launch.bound);
}

/// Steps with products, as places on the roofline of one device.
function rooflinePoints() {
    const devices = data.machine.mesh.rows * data.machine.mesh.columns;
    return boundedLaunches().filter((l) => l.bound.products > 0 && l.bound.dram_bytes > 0)
        .map((launch) => ({
            launch,
            intensity: 2 * launch.bound.products / launch.bound.dram_bytes,
            rate: 2 * launch.bound.products / (launch.device_time.expected / 1000),
            devices,
        }));
}

/// Both axes are logarithmic; limits are whole powers of ten.
function roofScale(points, peak, bandwidth) {
    const xs = [...points.map((p) => p.intensity), peak / bandwidth];
    const ys = [...points.map((p) => p.rate), peak];
    const low = (values) => Math.floor(Math.log10(Math.min(...values)) - 0.05);
    const high = (values) => Math.ceil(Math.log10(Math.max(...values)) + 0.05);
    const range = {x0: low(xs), x1: high(xs), y0: low(ys), y1: high(ys)};
    const box = kRoofBox;
    const along = (value, from, to) => (Math.log10(value) - from) / Math.max(to - from, 1);
    return {
        range,
        x: (v) => box.left + along(v, range.x0, range.x1) * (box.width - box.left - box.right),
        y: (v) => box.height - box.bottom -
            along(v, range.y0, range.y1) * (box.height - box.top - box.bottom),
    };
}

/// Returns "0.01", "10" or "100 k" for 10 to a whole power.
function powerOfTen(power) {
    const units = ["", "k", "M", "G", "T"];
    const unit = Math.min(Math.max(Math.floor(power / 3), 0), units.length - 1);
    const value = String(Number((10 ** (power - 3 * unit)).toPrecision(1)));
    return units[unit] ? `${value}\u00a0${units[unit]}` : value;
}

function roofText(x, y, anchor, text) {
    return makeSvg("text", {x, y, "text-anchor": anchor, "font-size": 11, fill: "currentColor"},
        text);
}

function roofAxes(scale) {
    const {range} = scale;
    const box = kRoofBox;
    const marks = [];
    const line = (x1, y1, x2, y2) => makeSvg("line", {x1, y1, x2, y2, stroke: "currentColor",
        "stroke-opacity": 0.15});
    for (let power = range.x0; power <= range.x1; ++power) {
        const x = scale.x(10 ** power);
        marks.push(line(x, box.top, x, box.height - box.bottom),
            roofText(x, box.height - box.bottom + 15, "middle", powerOfTen(power)));
    }
    for (let power = range.y0; power <= range.y1; ++power) {
        const y = scale.y(10 ** power);
        marks.push(line(box.left, y, box.width - box.right, y),
            roofText(box.left - 6, y + 4, "end", powerOfTen(power)));
    }
    marks.push(roofText(box.width / 2, box.height - 8, "middle", "operations per byte of DRAM"),
        roofText(box.left + 6, box.top + 12, "start", "operations a cycle"));
    return marks;
}

/// The roof: DRAM up to the ridge, then the matrix units.
function roofLines(scale, peak, bandwidth) {
    const {range} = scale;
    const ridge = Math.min(peak / bandwidth, 10 ** range.x1);
    // The line enters at the left or at the bottom; moved up to the bottom it would be too flat.
    const start = Math.max(10 ** range.x0, 10 ** range.y0 / bandwidth);
    const points = [start, ridge, 10 ** range.x1]
        .map((x) => `${scale.x(x)},${scale.y(Math.min(x * bandwidth, peak))}`);
    // Steps of a higher fidelity have a lower roof: HiFi2 half of it, HiFi4 a quarter.
    return [makeSvg("polyline", {points: points.join(" "), fill: "none", stroke: "currentColor",
        "stroke-width": 2}),
    roofText(kRoofBox.width - kRoofBox.right - 4, scale.y(peak) - 5, "end",
        "matrix units at LoFi")];
}

/// Names beside the dots; steps at the same place share a line, so that no two texts overlap.
function roofNames(scale, points) {
    const names = new Map();
    points.forEach((point) => {
        const y = Math.round(scale.y(point.rate) / 12) * 12;
        const found = names.get(y);
        const x = scale.x(point.intensity);
        names.set(y, {x: Math.max(x, found ? found.x : 0),
            text: (found ? `${found.text}, ` : "") + point.launch.name});
    });
    const middle = (kRoofBox.left + kRoofBox.width) / 2;
    return [...names].map(([y, {x, text}]) => x < middle
        ? roofText(x + 9, y + 4, "start", text) : roofText(x - 9, y + 4, "end", text));
}

function drawRoof(points) {
    const devices = data.machine.mesh.rows * data.machine.mesh.columns;
    const peak = data.peak.flops_per_cycle / devices;
    const bandwidth = data.peak.dram_bytes_per_cycle / devices;
    if (points.length === 0 || !(peak > 0 && bandwidth > 0)) {
        byId("roof-plot").replaceChildren(make("p", {class: "hint"},
            "No step has products of matrices."));
        return;
    }
    const scale = roofScale(points, peak, bandwidth);
    const dots = points.map((point) => {
        const isChosen = data.launches[selection.launch] === point.launch;
        const dot = makeSvg("circle", {cx: scale.x(point.intensity), cy: scale.y(point.rate),
            r: isChosen ? 7 : 5, fill: partColour(point.launch.bound.by), tabindex: 0,
            stroke: "currentColor", "stroke-width": isChosen ? 2 : 0.5});
        const {launch} = point;
        withTip(dot, () => `${launch.name}: ${threeDigits(point.intensity)} operations per byte, ` +
            `${threeDigits(point.rate)} a cycle, ` +
            `${overBound(launch.device_time.expected, launch.bound)} × its bound`);
        onPick(dot, () => chooseLaunch(data.launches.indexOf(launch)));
        return dot;
    });
    byId("roof-plot").replaceChildren(makeSvg("svg", {viewBox: `0 0 ${kRoofBox.width} ` +
        `${kRoofBox.height}`, width: "100%", role: "img", "aria-label": "Roofline"},
        ...roofAxes(scale), ...roofLines(scale, peak, bandwidth),
        ...roofNames(scale, points), ...dots));
}

function drawOverBound() {
    const excess = (l) => l.device_time.expected - (l.bound.waited || 0) - l.bound.time;
    const rows = boundedLaunches().sort((a, b) => excess(b) - excess(a));
    byId("roof-table").replaceChildren(table("Time over bound", [
        {head: "Step", cell: (l) => l.name},
        {head: "Cycles", number: true, cell: (l) => cycles(l.device_time.expected)},
        {head: "Bound", number: true, cell: (l) => cycles(l.bound.time)},
        {head: "× bound", number: true, cell: (l) => overBound(l.device_time.expected, l.bound)},
        {head: "By", cell: (l) => l.bound.by},
        {head: "DRAM", number: true, cell: (l) => bytes(l.bound.dram_bytes)},
        {head: "Links", number: true, cell: (l) => bytes(l.bound.link_bytes)},
    ], rows, (l) => chooseLaunch(data.launches.indexOf(l)),
    (l) => data.launches[selection.launch] === l));
}

function drawRoofline() {
    byId("roofline").hidden = !data.bound;
    byId("nav-roofline").hidden = !data.bound;
    if (!data.bound) {
        return;
    }
    byId("roof-sum").textContent = `No schedule of these steps is faster than ` +
        `${cycles(data.bound.time)} cycles, on device ${data.bound.device}; the run takes ` +
        `${overBound(data.makespan.expected, data.bound)} times that.`;
    drawRoof(rooflinePoints());
    drawOverBound();
}
