// SPDX-License-Identifier: Apache-2.0
// Zoom, pan and the chosen stretch of the timeline, by mouse and by keys.

const kShortestWindow = 20_000;  // millicycles

function setWindow(from, to) {
    const whole = view.makespan;
    const span = Math.min(Math.max(to - from, Math.min(kShortestWindow, whole)), whole);
    selection.from = Math.min(Math.max(from, 0), whole - span);
    selection.to = selection.from + span;
    drawThreads();
    drawBuffers();
    drawBanks();
}

function zoom(factor, around = (selection.from + selection.to) / 2) {
    setWindow(around - (around - selection.from) * factor,
        around + (selection.to - around) * factor);
}

function pan(share) {
    const step = (selection.to - selection.from) * share;
    setWindow(selection.from + step, selection.to + step);
}

function chooseStretch(stretch) {
    timeline.chosen = stretch;
    byId("interval").textContent = stretch ? stretchText(stretch) : "";
    drawThreads();
}

function bringIntoSight(stretch) {
    const facts = stretchFacts(stretch);
    if (facts.begin < selection.from || facts.end > selection.to) {
        const span = Math.max((facts.end - facts.begin) * 2, selection.to - selection.from);
        const middle = (facts.begin + facts.end) / 2;
        setWindow(middle - span / 2, middle + span / 2);
    }
}

function stepStretch(step) {
    const {chosen} = timeline;
    if (!chosen) {
        pickRow(0);
        return;
    }
    const segments = chosen.row.segments;
    let at = segments.indexOf(chosen.segment);
    let index = chosen.index + step;
    if (index < 0 && at > 0) {
        at -= 1;
        index = numPoints(segments[at].thread) - 1;
    } else if (index >= numPoints(segments[at].thread) && at + 1 < segments.length) {
        at += 1;
        index = 0;
    }
    if (index >= 0 && index < numPoints(segments[at].thread)) {
        chooseStretch({row: chosen.row, segment: segments[at], index});
        bringIntoSight(timeline.chosen);
    }
}

function pickRow(step) {
    const {rows, chosen} = timeline;
    const at = chosen ? rows.indexOf(chosen.row) : 0;
    const row = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
    const time = chosen ? Math.max(stretchFacts(chosen).begin, selection.from)
                        : (selection.from + selection.to) / 2;
    if (row) {
        chooseStretch(stretchAt(row, time) || chosen);
    }
}

/// Shows the thread that ended the chosen wait, at that moment.
function followEnder() {
    const facts = timeline.chosen ? stretchFacts(timeline.chosen) : null;
    if (!facts || !facts.ender) {
        return;
    }
    const {thread, time} = facts.ender;
    selection.device = thread.device;
    byId("pick-device").value = String(thread.device);
    if (selection.rows !== "core" && selection.rows !== thread.thread) {
        selection.rows = "core";
        byId("pick-rows").value = "core";
    }
    const {from, to} = selection;
    chooseCore(thread.x, thread.y, false);
    const row = timeline.rows.find((r) => r.name === thread.thread &&
        coreKey(r.core) === coreKey(thread));
    setWindow(from, to);
    chooseStretch(row ? stretchAt(row, Math.max(time - 1, 0)) : null);
    if (timeline.chosen) {
        bringIntoSight(timeline.chosen);
    }
}

const kTimelineKeys = {
    "ArrowLeft": () => pan(-0.1), "ArrowRight": () => pan(0.1),
    "ArrowUp": () => pickRow(-1), "ArrowDown": () => pickRow(1),
    "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
    "Home": () => setWindow(0, view.makespan), "n": () => stepStretch(1),
    "p": () => stepStretch(-1), "Enter": followEnder,
};

function stretchUnder(event) {
    const box = byId("threads").getBoundingClientRect();
    const row = timeline.rows[Math.floor((event.clientY - box.top - kAxis) / timeline.rowHeight)];
    const x = event.clientX - box.left;
    return row && x >= kGutter ? stretchAt(row, timeOf(x, box.width)) : null;
}

function listenToPointer(canvas) {
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
        drag = {x: event.clientX, from: selection.from, to: selection.to, moved: false};
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
        if (!drag) {
            const under = stretchUnder(event);
            under ? showTip(stretchText(under), event.clientX, event.clientY) : hideTip();
            return;
        }
        const pixels = event.clientX - drag.x;
        drag.moved = drag.moved || Math.abs(pixels) > 3;
        if (drag.moved) {
            const step = (pixels / (canvas.clientWidth - kGutter)) * (drag.to - drag.from);
            setWindow(drag.from - step, drag.to - step);
        }
    });
    canvas.addEventListener("pointerup", (event) => {
        if (drag && !drag.moved) {
            chooseStretch(stretchUnder(event));
        }
        drag = null;
    });
    canvas.addEventListener("pointerleave", hideTip);
}

function listenToTimeline() {
    const canvas = byId("threads");
    canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        const box = canvas.getBoundingClientRect();
        zoom(event.deltaY > 0 ? 1.25 : 0.8, timeOf(event.clientX - box.left, box.width));
    }, {passive: false});
    canvas.addEventListener("keydown", (event) => {
        const act = kTimelineKeys[event.key];
        if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            act();
        }
    });
    listenToPointer(canvas);
    byId("zoom-in").addEventListener("click", () => zoom(0.5));
    byId("zoom-out").addEventListener("click", () => zoom(2));
    byId("zoom-all").addEventListener("click", () => setWindow(0, view.makespan));
    byId("pick-rows").append(option("core", "threads of the chosen core"),
        ...kThreads.map((name) => option(name, `${name} of every core`)));
    byId("pick-rows").addEventListener("change", (event) => {
        selection.rows = event.target.value;
        drawTimeline();
    });
    new ResizeObserver(() => { drawThreads(); drawBuffers(); }).observe(canvas.parentElement);
}

function drawnText() {
    const threads = timeline.rows.flatMap((row) => row.segments.map((s) => s.thread));
    const left = threads.filter((thread) => thread.points.length === 0).length;
    const below = Math.max(0, ...threads.map((thread) => thread.merged_below));
    const parts = [];
    if (below > 0) {
        parts.push(`Stretches shorter than ${cycles(below)} cycles are merged under what takes ` +
            "most of their time; totals elsewhere are exact.");
    }
    if (left > 0) {
        parts.push(`${left} of ${threads.length} threads here are not drawn, ` + (data.focus
            ? "since they are outside of --focus." : "to bound this file's size: cores with most " +
            "of the critical path are. --focus draws any others, each stretch of them."));
    }
    return parts.join(" ");
}

function drawTimeline() {
    timeline.rows = timelineRows();
    timeline.chosen = null;
    byId("interval").textContent = "";
    byId("drawn").textContent = drawnText();
    byId("activity-legend").replaceChildren(
        ...legend(kActivities.map((a) => [activityColour(a.key), a.name])).childNodes);
    drawThreads();
}
