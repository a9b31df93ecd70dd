// SPDX-License-Identifier: Apache-2.0
// The timeline on its canvas.

const kGutter = 64;
const kAxis = 20;
const timeline = {rows: [], rowHeight: 26, chosen: null};

function fitCanvas(canvas, height) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.parentElement.clientWidth;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    return {pen, width, height};
}

function xOf(time, width) {
    return kGutter + ((time - selection.from) / (selection.to - selection.from)) *
        (width - kGutter);
}

function timeOf(x, width) {
    return selection.from + ((x - kGutter) / (width - kGutter)) * (selection.to - selection.from);
}

function tickStep(span, count) {
    const raw = span / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= raw);
}

function drawAxis(pen, width, height) {
    pen.fillStyle = themeColour("soft");
    pen.strokeStyle = themeColour("line");
    pen.textBaseline = "middle";
    const step = Math.max(1000, tickStep(selection.to - selection.from, width / 130));
    for (let t = Math.ceil(selection.from / step) * step; t <= selection.to; t += step) {
        const x = Math.round(xOf(t, width)) + 0.5;
        pen.beginPath();
        pen.moveTo(x, kAxis - 4);
        pen.lineTo(x, height);
        pen.stroke();
        if (x < width - 50) {
            pen.fillText(cycles(t), x + 3, kAxis / 2);
        }
    }
}

/// Stretches narrower than a pixel share it; the activity with most of the pixel sets its colour.
class PixelColumn {
    constructor(paint) {
        this.paint = paint;
        this.x = -1;
        this.times = new Map();
    }
    add(x, activity, time) {
        if (x !== this.x) {
            this.flush();
            this.x = x;
        }
        this.times.set(activity, (this.times.get(activity) || 0) + time);
    }
    flush() {
        if (this.times.size > 0) {
            const [most] = [...this.times].reduce((a, b) => (b[1] > a[1] ? b : a));
            this.paint(this.x, 1, most);
            this.times.clear();
        }
    }
}

function drawSegment(segment, width, paint) {
    const column = new PixelColumn(paint);
    const n = numPoints(segment.thread);
    for (let i = pointAt(segment, selection.from); i < n; ++i) {
        const begin = pointBegin(segment, i);
        if (begin >= selection.to) {
            break;
        }
        const activity = segment.thread.points[i * kPointSize + 1] % 32;
        if (kActivities[activity].class === "idle") {
            continue;  // the next launch of another device may overlap it
        }
        const left = Math.max(xOf(begin, width), kGutter);
        const right = Math.min(xOf(pointEnd(segment, i), width), width);
        if (right - left >= 1) {
            column.flush();
            paint(left, right - left, activity);
        } else {
            column.add(Math.floor(left), activity, right - left);
        }
    }
    column.flush();
}

function drawRow(pen, row, y, height, width, colours) {
    const bar = Math.max(2, height - (height > 12 ? 4 : 1));
    pen.fillStyle = themeColour("idle");
    pen.fillRect(kGutter, y, width - kGutter, bar);
    for (const segment of row.segments) {
        drawSegment(segment, width, (x, w, activity) => {
            pen.fillStyle = colours[activity];
            pen.fillRect(x, y, w, bar);
        });
    }
    if (height >= 9) {
        pen.fillStyle = themeColour("soft");
        pen.fillText(row.label, 6, y + bar / 2);
    }
}

function rowTop(index) {
    return kAxis + index * timeline.rowHeight;
}

function drawChosen(pen, width) {
    const {chosen, rows, rowHeight} = timeline;
    if (!chosen) {
        return;
    }
    const index = rows.indexOf(chosen.row);
    const facts = stretchFacts(chosen);
    const left = Math.max(xOf(facts.begin, width), kGutter);
    const right = Math.min(xOf(facts.end, width), width);
    pen.strokeStyle = themeColour("focus");
    pen.lineWidth = 2;
    if (right > left) {
        pen.strokeRect(left, rowTop(index) - 1, Math.max(right - left, 2), rowHeight - 1);
    }
    drawArrow(pen, facts, index, width);
    pen.lineWidth = 1;
}

/// Draws a line from the ender's act to the end of the wait, if both are in the window.
function drawArrow(pen, facts, index, width) {
    const from = facts.ender ? timeline.rows.findIndex((row) => row.name ===
        facts.ender.thread.thread && coreKey(row.core) === coreKey(facts.ender.thread)) : -1;
    if (from < 0 || from === index || facts.end > selection.to ||
        facts.ender.time < selection.from) {
        return;
    }
    const half = timeline.rowHeight / 2;
    const [x0, y0] = [xOf(facts.ender.time, width), rowTop(from) + half];
    const [x1, y1] = [xOf(facts.end, width), rowTop(index) + half];
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
    pen.beginPath();
    pen.arc(x1, y1, 3.5, 0, 7);
    pen.fillStyle = themeColour("focus");
    pen.fill();
}

function drawThreads() {
    const {rows} = timeline;
    timeline.rowHeight = selection.rows === "core" ? 26
        : Math.max(7, Math.min(18, Math.floor(560 / Math.max(rows.length, 1))));
    const height = kAxis + Math.max(rows.length, 1) * timeline.rowHeight + 2;
    const {pen, width} = fitCanvas(byId("threads"), height);
    pen.clearRect(0, 0, width, height);
    drawAxis(pen, width, height);
    const colours = kActivities.map((a) => activityColour(a.key));
    rows.forEach((row, i) => drawRow(pen, row, rowTop(i), timeline.rowHeight, width, colours));
    drawChosen(pen, width);
}
