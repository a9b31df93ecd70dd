// SPDX-License-Identifier: Apache-2.0
// The report's data, and its sums over the selection: one step, or the whole run.

/// Returns the text of an element that holds it as gzip in base64 (packed_text.hpp).
async function unpacked(element) {
    const octets = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([octets]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
}

/// Returns the rows of all devices; the report stores equal rows once (device_rows.hpp).
function unfolded({rows, devices}) {
    return devices.flatMap(([device, runs]) => runs.flatMap((first, i) => i % 2 ? []
        : rows.slice(first, first + runs[i + 1]).map((row) => ({device, ...row}))));
}

const data = JSON.parse(await unpacked(byId("report-data")));
data.launches.forEach((launch) => ["cores", "resources", "threads"].forEach((key) => {
    launch[key] = unfolded(launch[key]);
}));
data.launches.forEach((launch) => { launch.banks.devices = unfolded(launch.banks.devices); });
const kActivities = data.words.activities;
const kThreads = data.words.threads;
const kActivityIndex = Object.fromEntries(kActivities.map((a, i) => [a.key, i]));
const kPointSize = 5;  // end, activity + 32 if merged, line, object, cause + 1
const kMathWork = ["matmul", "eltwise", "sfpu"].map((key) => kActivityIndex[key]);

const selection = {launch: data.launches.length === 1 ? 0 : -1, device: 0, x: 0, y: 0,
    metric: "math", rows: "core", stack: "all", from: 0, to: 0};

function chosenLaunches() {
    return selection.launch < 0 ? data.launches : [data.launches[selection.launch]];
}

function viewMakespan() {
    return selection.launch < 0 ? data.makespan.expected
                                : data.launches[selection.launch].makespan.expected;
}

/// Returns the start of a launch in the displayed time.
function offsetOf(launch) {
    return selection.launch < 0 ? launch.start : 0;
}

function numDevices() {
    return data.machine.mesh.rows * data.machine.mesh.columns;
}

function coreKey(row) {
    return `${row.device}:${row.x},${row.y}`;
}

function coreName(row) {
    return numDevices() > 1 ? `device ${row.device} (${row.x},${row.y})` : `(${row.x},${row.y})`;
}

function addTotals(sum, totals) {
    totals.forEach((time, i) => { sum[i] += time; });
}

const emptyTotals = () => new Array(kActivities.length).fill(0);

function emptyCore(core) {
    return {device: core.device, x: core.x, y: core.y, l1_bytes: 0, tile_products: 0,
        tiles_packed: 0, bytes_read: 0, bytes_written: 0, ideal_math: 0, busy_math: 0, finish: 0,
        on_path: 0, given: 0, num_threads: 0, totals: emptyTotals(), threads: {}};
}

function addCore(cores, launch, core) {
    const key = coreKey(core);
    if (!cores.has(key)) {
        cores.set(key, emptyCore(core));
    }
    const sum = cores.get(key);
    for (const name of ["tile_products", "tiles_packed", "bytes_read", "bytes_written",
        "ideal_math", "busy_math"]) {
        sum[name] += core[name];
    }
    sum.l1_bytes = Math.max(sum.l1_bytes, core.l1_bytes);
    sum.finish = Math.max(sum.finish, offsetOf(launch) + core.finish);
    sum.given += launch.device_end[core.device] - core.begin;
    addTotals(sum.totals, core.totals);
}

/// Launches overlap on a mesh: each has the part of the run's path that it bounds.
function timeOnPath(row, name) {
    return selection.launch < 0 ? row[`${name}_of_run`] : row[name];
}

function addThread(cores, thread) {
    const core = cores.get(coreKey(thread));
    if (!core.threads[thread.thread]) {
        core.threads[thread.thread] = {totals: emptyTotals(), on_path: 0};
        core.num_threads += 1;
    }
    addTotals(core.threads[thread.thread].totals, thread.totals);
    const onPath = timeOnPath(thread, "on_path");
    core.threads[thread.thread].on_path += onPath;
    core.on_path += onPath;
}

function sumResources(launches) {
    const sums = new Map();
    for (const launch of launches) {
        for (const use of launch.resources) {
            const key = [use.kind, use.device, use.noc, use.x, use.y, use.direction].join();
            const sum = sums.get(key) || {...use, busy: 0, bytes: 0, within: 0};
            sum.busy += use.busy;
            sum.bytes += use.bytes;
            // Share of the steps that use it: a share of the run has little meaning for a
            // collective.
            sum.within += use.bytes > 0 ? launch.makespan.expected : 0;
            sums.set(key, sum);
        }
    }
    return [...sums.values()];
}

function sumPath(launches) {
    const sums = new Map();
    for (const launch of launches) {
        for (const part of launch.path) {
            const line = launch.lines[part.line];
            const key = [part.thread, line, part.name].join("|");
            const sum = sums.get(key) || {thread: part.thread, line, name: part.name, time: 0,
                count: 0, launches: new Set()};
            const time = timeOnPath(part, "time");
            if (time > 0) {
                sum.time += time;
                sum.count += part.count;
                sum.launches.add(launch.name);
                sums.set(key, sum);
            }
        }
    }
    return [...sums.values()].sort((a, b) => b.time - a.time);
}

/// Returns times over the whole run. In the remaining time a thread neither works nor waits, even
/// if launches of other devices overlap it.
function closeOverRun(totals) {
    totals[kActivityIndex.finished] = 0;
    totals[kActivityIndex.not_started] = 0;
    const used = totals.reduce((sum, time) => sum + time, 0);
    totals[kActivityIndex.not_started] = Math.max(0, data.makespan.expected - used);
}

function activityName(index) {
    return selection.launch < 0 && index === kActivityIndex.not_started ? "no kernel"
        : kActivities[index].name;
}

/// Returns all data of the sections, summed over the chosen launches.
let view = null;

function makeView() {
    const launches = chosenLaunches();
    const cores = new Map();
    for (const launch of launches) {
        launch.cores.forEach((core) => addCore(cores, launch, core));
        launch.threads.forEach((thread) => addThread(cores, thread));
    }
    if (selection.launch < 0) {
        cores.forEach((core) => Object.values(core.threads).forEach((t) => closeOverRun(t.totals)));
    }
    const stalls = launches.flatMap((launch) => launch.stalls.map((stall) => ({launch, stall})));
    stalls.sort((a, b) => b.stall.direct - a.stall.direct);
    view = {launches, makespan: viewMakespan(), cores, stalls, path: sumPath(launches),
        resources: sumResources(launches)};
}

function chosenCore() {
    return view.cores.get(coreKey(selection));
}

function classTime(totals, wanted) {
    return totals.reduce((sum, time, i) => sum + (kActivities[i].class === wanted ? time : 0), 0);
}

/// Returns the object of a wait.
function objectName(key, object) {
    switch (key) {
        case "wait_cb_data":
        case "wait_cb_space":
            return `CB ${object}`;
        case "wait_noc_read":
        case "wait_noc_write":
            return object & 0x8000 ? `DRAM bank ${object & 0x7fff}`
                                   : `L1 of (${object & 0xff},${(object >> 8) & 0x7f})`;
        case "wait_semaphore":
            return `L1 address 0x${object.toString(16)}`;
        case "wait_fabric":
            return `link channel ${object}`;
        default:
            return "";
    }
}
