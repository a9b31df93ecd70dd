// SPDX-License-Identifier: Apache-2.0
// Rows of the timeline: threads and their stretches.

/// Threads of a launch by core and kind.
function threadsOf(launch) {
    if (!launch.byName) {
        launch.byName = new Map();
        launch.threads.forEach((t) => launch.byName.set(`${coreKey(t)}/${t.thread}`, t));
    }
    return launch.byName;
}

function rowOf(core, name, label) {
    const segments = [];
    for (const launch of view.launches) {
        const thread = threadsOf(launch).get(`${coreKey(core)}/${name}`);
        if (thread) {
            segments.push({launch, thread, offset: offsetOf(launch)});
        }
    }
    return {label, name, core: {device: core.device, x: core.x, y: core.y}, segments};
}

function timelineRows() {
    if (selection.rows === "core") {
        return kThreads.map((name) => rowOf(selection, name, name))
            .filter((row) => row.segments.length > 0);
    }
    return [...view.cores.values()]
        .filter((core) => core.device === selection.device && core.threads[selection.rows])
        .map((core) => rowOf(core, selection.rows, `(${core.x},${core.y})`));
}

function numPoints(thread) {
    return thread.points.length / kPointSize;
}

function pointEnd(segment, i) {
    return segment.offset + segment.thread.points[i * kPointSize];
}

function pointBegin(segment, i) {
    return i === 0 ? segment.offset : pointEnd(segment, i - 1);
}

/// Returns the first point that ends after `time`.
function pointAt(segment, time) {
    let low = 0;
    let high = numPoints(segment.thread);
    while (low < high) {
        const middle = (low + high) >> 1;
        if (pointEnd(segment, middle) > time) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

function isIdle(segment, index) {
    const activity = segment.thread.points[index * kPointSize + 1] % 32;
    return kActivities[activity].class === "idle";
}

/// Returns the {row, segment, index} that a row shows at a time, or null. If launches overlap,
/// returns the one in which the thread is active.
function stretchAt(row, time) {
    let found = null;
    for (const segment of row.segments) {
        const index = pointAt(segment, time);
        if (index < numPoints(segment.thread) && time >= pointBegin(segment, index)) {
            if (!isIdle(segment, index)) {
                return {row, segment, index};
            }
            found = found || {row, segment, index};
        }
    }
    return found;
}

function stretchFacts({row, segment, index}) {
    const [, code, line, object, cause] =
        segment.thread.points.slice(index * kPointSize, (index + 1) * kPointSize);
    const begin = pointBegin(segment, index);
    const end = pointEnd(segment, index);
    const activity = kActivities[code % 32];
    const source = segment.launch.lines[line];
    const ender = cause > 0 ? segment.launch.causes[cause - 1] : null;
    return {row, begin, end, activity, isMerged: code >= 32, source, object,
        launch: segment.launch, offset: segment.offset,
        ender: ender && ender[0] >= 0 ? {thread: segment.launch.threads[ender[0]],
            line: segment.launch.lines[ender[1]], time: segment.offset + ender[2]} : null};
}

function stretchText(stretch) {
    const facts = stretchFacts(stretch);
    const object = facts.isMerged ? "" : objectName(facts.activity.key, facts.object);
    const length = facts.end - facts.begin;
    const merged = facts.isMerged ? "mostly " : "";
    let text = `${coreName(facts.row.core)} ${facts.row.name}, ${facts.launch.name}: ${merged}` +
        `${facts.activity.name}${object ? ` (${object})` : ""}, ${cycles(length)} cycles, ` +
        `${cycles(facts.begin)} to ${cycles(facts.end)}${facts.source ? `, ${facts.source}` : ""}`;
    if (facts.isMerged) {
        text += "; several stretches in one";
    }
    if (facts.ender) {
        text += `\nended by ${coreName(facts.ender.thread)} ${facts.ender.thread.thread}` +
            `${facts.ender.line ? ` at ${facts.ender.line}` : ""}, at ${cycles(facts.ender.time)}`;
    }
    return text;
}
