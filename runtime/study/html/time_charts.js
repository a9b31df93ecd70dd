// SPDX-License-Identifier: Apache-2.0
// Charts of predicted times with their intervals. Times come in nanoseconds.

// Apart in hue and in lightness, readable on light and on dark.
const kColours = ["#4a7fc9", "#d98032", "#4fa36a", "#c4504f", "#8f6cc0", "#96705f", "#d07fb5",
    "#808891", "#aaa83a", "#3fa9b8", "#2f6f73", "#e0b0a0"];

function colour(index) {
    return kColours[index % kColours.length];
}

function us(nanoseconds) {
    return (nanoseconds / 1000).toFixed(3);
}

function intervalText(time) {
    return `${us(time.expected)} us (${us(time.low)} to ${us(time.high)})`;
}

/// High ends can lie below the expected time: less time for one act can make another wait longer.
function longestOf(times) {
    return Math.max(0, ...times.map((time) => Math.max(time.expected, time.high)));
}

function part(value, most) {
    return `${most > 0 ? (value / most) * 100 : 0}%`;
}

function range(time, most) {
    return make("span", {class: "range",
        style: `left:${part(time.low, most)};width:${part(time.high - time.low, most)}`});
}

/// rows: [{label, time}]; bars of expected times, each with a whisker from low to high.
function timeBars(rows) {
    const most = longestOf(rows.map((row) => row.time));
    return make("div", {class: "rows"}, ...rows.flatMap(({label, time}) => {
        const text = `${label}: ${intervalText(time)}`;
        const track = make("div", {class: "track", role: "img", "aria-label": text},
            make("span", {class: "fill", style: `width:${part(time.expected, most)}`}),
            range(time, most));
        withTip(track, () => text);
        return [make("span", {class: "label"}, label), track,
            make("span", {class: "n"}, `${us(time.expected)} us`)];
    }));
}

/// rows: [{label, parts: [{name, time}]}]; bars of parts, as long as their sum.
function timeStacks(rows, names) {
    const sum = (row) => row.parts.reduce((all, {time}) => all + time, 0);
    const most = Math.max(0, ...rows.map(sum));
    return make("div", {}, legend(names.map((name, i) => [colour(i), name])),
        make("div", {class: "rows"}, ...rows.flatMap((row) => [
            make("span", {class: "label"}, row.label),
            stackBar(`${row.label}: ${row.parts.map((p) => `${p.name} ${us(p.time)} us`)
                .join(", ")}`, row.parts.map((p) => ({name: p.name, text: `${us(p.time)} us`,
                colour: colour(names.indexOf(p.name)), share: most > 0 ? p.time / most : 0}))),
            make("span", {class: "n"}, `${us(sum(row))} us`)])));
}

/// The least of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is no less than `step`.
function roundTick(step) {
    if (step <= 0) {
        return 1;
    }
    const power = 10 ** Math.floor(Math.log10(step));
    const factor = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((f) => f * power >= step * 0.999999);
    return factor * power;
}

const kFrame = {left: 90, top: 10, width: 560, height: 230, ticks: 4};

function frameX(at, count) {
    return kFrame.left + ((at + 0.5) * kFrame.width) / count;
}

function frameY(time, most) {
    return kFrame.top + kFrame.height * (1 - time / most);
}

function drawAxes(svg, axis, most) {
    for (let tick = 0; tick <= kFrame.ticks; ++tick) {
        const time = (most * tick) / kFrame.ticks;
        const y = frameY(time, most);
        svg.append(makeSvg("line", {class: "grid-line", x1: kFrame.left, y1: y,
            x2: kFrame.left + kFrame.width, y2: y}),
            makeSvg("text", {class: "axis", x: kFrame.left - 8, y: y + 4, "text-anchor": "end"},
                `${Number((time / 1000).toPrecision(6))} us`));
    }
    const foot = kFrame.top + kFrame.height;
    axis.values.forEach((value, i) => svg.append(makeSvg("text", {class: "axis",
        x: frameX(i, axis.values.length), y: foot + 18, "text-anchor": "middle"}, value)));
    svg.append(makeSvg("text", {class: "axis", x: kFrame.left + kFrame.width / 2, y: foot + 36,
        "text-anchor": "middle"}, axis.label));
}

function drawLine(svg, line, place, ink) {
    const corners = (key) => line.points.map((point) => place(point.at, point.time[key]));
    const text = (points) => points.map((point) => point.join(",")).join(" ");
    svg.append(makeSvg("polygon", {fill: ink, opacity: 0.13,
        points: text([...corners("high"), ...corners("low").reverse()])}),
        makeSvg("polyline", {fill: "none", stroke: ink, "stroke-width": 2,
            points: text(corners("expected"))}));
    for (const point of line.points) {
        const [cx, cy] = place(point.at, point.time.expected);
        const dot = makeSvg("circle", {cx, cy, r: 4, fill: ink});
        withTip(dot, () => `${line.label}: ${intervalText(point.time)}`);
        svg.append(dot);
    }
}

/// axis: {label, values}, numbers in their order; lines: [{label, points: [{at, time}]}].
function lineChart(axis, lines) {
    const longest = longestOf(lines.flatMap((line) => line.points.map((point) => point.time)));
    const most = kFrame.ticks * roundTick(longest / kFrame.ticks);
    const width = kFrame.left + kFrame.width + 20;
    const height = kFrame.top + kFrame.height + 44;
    const svg = makeSvg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
        "aria-label": `Time over ${axis.label}`});
    drawAxes(svg, axis, most);
    const place = (at, time) => [frameX(at, axis.values.length), frameY(time, most)];
    lines.forEach((line, i) => drawLine(svg, line, place, colour(i)));
    return make("div", {class: "scroll"}, svg);
}

/// The same for names, which have no order: a strip for each, a dot on it for each line.
function dotChart(axis, lines) {
    const most = longestOf(lines.flatMap((line) => line.points.map((point) => point.time)));
    return make("div", {class: "rows"}, ...axis.values.flatMap((value, at) => {
        const track = make("div", {class: "track strip", role: "img",
            style: `height:${12 * lines.length + 4}px`});
        const times = [];
        lines.forEach((line, i) => line.points.filter((point) => point.at === at)
            .forEach(({time}) => {
                times.push(time.expected);
                const whisker = range(time, most);
                whisker.style.top = `${12 * i + 4}px`;
                const dot = make("span", {class: "dot", style: `top:${12 * i + 4}px;` +
                    `left:calc(${part(time.expected, most)} - 4px);background:${colour(i)}`});
                withTip(dot, () => `${line.label}: ${intervalText(time)}`);
                track.append(whisker, dot);
            }));
        const best = times.length > 0
            ? `${times.length > 1 ? "from " : ""}${us(Math.min(...times))} us` : "";
        track.setAttribute("aria-label", `${axis.label} ${value}: ${best}`);
        return [make("span", {class: "label"}, value), track, make("span", {class: "n"}, best)];
    }));
}
