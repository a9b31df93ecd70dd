// SPDX-License-Identifier: Apache-2.0
// The kernels' source, with the times of all threads at each line.

/// Returns {busy, waiting, path} by "file:line", over the displayed launches.
function sumLines() {
    const sums = new Map();
    const sumOf = (line) => {
        if (!sums.has(line)) {
            sums.set(line, {busy: 0, waiting: 0, path: 0});
        }
        return sums.get(line);
    };
    for (const launch of view.launches) {
        launch.lines.forEach((line, i) => {
            const sum = sumOf(line);
            sum.busy += launch.line_times[2 * i] || 0;
            sum.waiting += launch.line_times[2 * i + 1] || 0;
        });
        launch.path.forEach((part) => {
            sumOf(launch.lines[part.line]).path += timeOnPath(part, "time");
        });
    }
    return sums;
}

/// Returns [{file, lines: Map of number to sum, time, path}], sorted by the share of the critical
/// path: waiting elsewhere may cost nothing.
function sumFiles(sums) {
    const files = new Map();
    for (const [line, sum] of sums) {
        const colon = line.lastIndexOf(":");
        const file = line.slice(0, colon);
        if (colon > 0 && sum.busy + sum.waiting + sum.path > 0) {
            if (!files.has(file)) {
                files.set(file, {file, lines: new Map(), time: 0, path: 0});
            }
            files.get(file).lines.set(Number(line.slice(colon + 1)), sum);
            files.get(file).time += sum.busy + sum.waiting;
            files.get(file).path += sum.path;
        }
    }
    return [...files.values()].sort((a, b) => b.path - a.path || b.time - a.time);
}

function heatOf(sum, all) {
    const bar = (time, kind) => make("span", {class: kind,
        style: `width:${Math.min(1, time / all) * 100}%`});
    return make("span", {class: "line-heat", "aria-hidden": "true"},
        ...(sum ? [bar(sum.busy, "busy"), bar(sum.waiting, "waiting")] : []));
}

function sourceRow(number, text, sum, all) {
    const shown = (time) => (sum && time > 0 ? percent(time / all) : "");
    const row = make("tr", {class: sum ? "hot" : "", "data-line": String(number)},
        make("td", {class: "n soft"}, String(number)),
        make("td", {class: "n"}, shown(sum && sum.busy)),
        make("td", {class: "n"}, shown(sum && sum.waiting)),
        make("td", {class: "n"}, sum && sum.path > 0 ? percent(sum.path / view.makespan) : ""),
        make("td", {}, heatOf(sum, all)),
        make("td", {class: "code source-text"}, text));
    if (sum) {
        withTip(row, () => `busy ${cycles(sum.busy)}, waiting ${cycles(sum.waiting)} cycles of ` +
            `all threads; ${cycles(sum.path)} of the critical path`);
    }
    return row;
}

/// Returns the lines of the text; without a text, the lines that have time.
function sourceLines({file, lines}) {
    if (data.sources[file] === undefined) {
        return [...lines.keys()].sort((a, b) => a - b).map((number) => [number, ""]);
    }
    return data.sources[file].replace(/\n$/, "").split("\n").map((text, i) => [i + 1, text]);
}

/// Scrolls to the line with most of the critical path, or with most time if no line is on the path.
function showHottest({lines}) {
    const [[hottest]] = [...lines].sort(([, a], [, b]) =>
        b.path - a.path || b.busy + b.waiting - a.busy - a.waiting);
    const box = byId("source-table");
    const row = box.querySelector(`tr[data-line="${hottest}"]`);
    box.scrollTop = row.offsetTop - box.clientHeight / 2;
}

function drawSourceFile(files, name) {
    const chosen = files.find((f) => f.file === name);
    if (!chosen) {
        byId("source-table").replaceChildren(make("p", {class: "hint"}, "No line has any time."));
        return;
    }
    const all = Math.max(1, files.reduce((sum, f) => sum + f.time, 0));
    const head = ["", "Busy", "Waiting", "Of the path", "", "Source"];
    byId("source-table").replaceChildren(make("table", {"aria-label": `Source of ${name}`},
        make("thead", {}, make("tr", {}, ...head.map((text, i) =>
            make("th", {scope: "col", class: i < 4 ? "n" : ""}, text)))),
        make("tbody", {}, ...sourceLines(chosen).map(([number, text]) =>
            sourceRow(number, text, chosen.lines.get(number), all)))));
    showHottest(chosen);
    byId("source-note").textContent = (data.sources[name] === undefined
        ? "The file was not found: make the report where the run was recorded. " : "") +
        "Busy and waiting are shares of the time of all threads in the shown steps. The share of " +
        "the critical path adds up to the makespan; files are sorted by it.";
}

function drawSource() {
    const files = sumFiles(sumLines());
    const pick = byId("pick-source");
    const before = pick.value;
    pick.replaceChildren(...files.map((f) =>
        option(f.file, `${f.file} (${percent(f.path / view.makespan)} of the path)`)));
    if (files.some((f) => f.file === before)) {
        pick.value = before;
    }
    pick.onchange = () => drawSourceFile(files, pick.value);
    drawSourceFile(files, pick.value);
}
