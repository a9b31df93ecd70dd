// SPDX-License-Identifier: Apache-2.0
// The core grid of one device, and the activities of the chosen core's threads.

function cellText(metric, value, top) {
    if (metric.isShare && top <= 0.1) {
        return value === 0 ? "0" : (value * 100).toFixed(1);
    }
    if (metric.isShare) {
        return value === 0 ? "0" : value < 0.005 ? "<1" : (value * 100).toFixed(0);
    }
    return metric.show(value).replace(/\u00a0/, "\u200a");
}

function gridCell(metric, top, x, y) {
    const core = view.cores.get(coreKey({device: selection.device, x, y}));
    const isChosen = selection.x === x && selection.y === y;
    const value = core ? metric.of(core) : 0;
    const share = value / top;
    const text = core ? `${coreName({device: selection.device, x, y})}: ` +
        `${metric.name} ${showMetric(metric, value)}` : `(${x},${y}): no kernel`;
    const style = core ? `background:${heat(share)};color:${inkOn(share)}` : "opacity:.45";
    const cell = make("button", {type: "button", role: "gridcell", style, "aria-label": text,
        "aria-selected": String(isChosen), tabindex: isChosen ? "0" : "-1",
        "data-x": x, "data-y": y}, core ? cellText(metric, value, top) : "·");
    cell.addEventListener("click", () => chooseCore(x, y, true));
    withTip(cell, () => text);
    return cell;
}

/// Draws devices in the layout of the mesh, coloured by the mean of their cores.
function drawDevices() {
    byId("devices").hidden = numDevices() === 1;
    if (numDevices() === 1) {
        return;
    }
    const metric = chosenMetric();
    const means = new Array(numDevices()).fill(0);
    const numCores = new Array(numDevices()).fill(0);
    view.cores.forEach((core) => {
        means[core.device] += metric.of(core);
        numCores[core.device] += 1;
    });
    means.forEach((sum, device) => { means[device] = sum / Math.max(1, numCores[device]); });
    const top = metricTop(metric);  // as the grid of cores below
    const cells = means.map((mean, device) => deviceCell(metric, device, mean, mean / top));
    const {columns} = data.machine.mesh;
    byId("devices").replaceChildren(
        make("p", {class: "hint"}, "Devices by the mean of their cores; a click chooses one."),
        make("div", {class: "device-grid", role: "group", "aria-label": "Devices of the mesh",
            style: `grid-template-columns:repeat(${columns},minmax(52px,110px))`}, ...cells));
}

function deviceCell(metric, device, mean, share) {
    const text = `device ${device}: ${metric.name}, mean ${showMetric(metric, mean)}`;
    const cell = make("button", {type: "button", "aria-label": text,
        "aria-pressed": String(device === selection.device),
        style: `background:${heat(share)};color:${inkOn(share)}`},
    make("b", {}, `d${device}`), ` ${showMetric(metric, mean)}`);
    cell.addEventListener("click", () => {
        selection.device = device;
        byId("pick-device").value = String(device);
        drawAll();
    });
    withTip(cell, () => text);
    return cell;
}

function drawGrid() {
    drawDevices();
    const metric = chosenMetric();
    const top = metricTop(metric);
    const {columns, rows} = data.machine.grid;
    const grid = make("div", {class: "core-grid", role: "grid",
        "aria-label": `Cores of device ${selection.device} by ${metric.name}`,
        style: `grid-template-columns:28px repeat(${columns},minmax(30px,1fr))`});
    const head = make("div", {role: "row", style: "display:contents"}, make("span"));
    for (let x = 0; x < columns; ++x) {
        head.append(make("span", {class: "head", role: "columnheader"}, `x${x}`));
    }
    grid.append(head);
    for (let y = 0; y < rows; ++y) {
        const row = make("div", {role: "row", style: "display:contents"},
            make("span", {class: "head", role: "rowheader"}, `y${y}`));
        for (let x = 0; x < columns; ++x) {
            row.append(gridCell(metric, top, x, y));
        }
        grid.append(row);
    }
    grid.addEventListener("keydown", moveInGrid);
    byId("grid").replaceChildren(grid);
    heatLegend(byId("grid-legend"), metric.isShare ? "0 %" : "0", showMetric(metric, top));
}

function moveInGrid(event) {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    const move = step[event.key];
    if (!move) {
        return;
    }
    event.preventDefault();
    const {columns, rows} = data.machine.grid;
    const x = Math.min(Math.max(selection.x + move[0], 0), columns - 1);
    const y = Math.min(Math.max(selection.y + move[1], 0), rows - 1);
    chooseCore(x, y, true);
}

function largestActivities(totals) {
    return totals.map((time, i) => ({time, name: activityName(i)}))
        .filter((part) => part.time > 0).sort((a, b) => b.time - a.time);
}

function threadRow(name, thread) {
    const items = thread.totals.map((time, i) => ({name: activityName(i), time,
        colour: activityColour(kActivities[i].key), share: time / view.makespan}));
    const busy = classTime(thread.totals, "busy") / view.makespan;
    const waits = classTime(thread.totals, "wait") / view.makespan;
    return make("div", {class: "thread-row"}, make("span", {}, name),
        stackBar(`${name}: ${largestActivities(thread.totals).slice(0, 4).map((p) =>
            `${p.name} ${percent(p.time / view.makespan)}`).join(", ")}`, items),
        make("span", {class: "n"}, `busy ${percent(busy)}, waits ${percent(waits)}`));
}

function drawCore() {
    const core = chosenCore();
    byId("core-name").textContent = `Core ${coreName(selection)}`;
    if (!core) {
        byId("core-detail").replaceChildren(make("p", {class: "hint"}, "No kernel ran here."));
        return;
    }
    const threads = kThreads.filter((name) => core.threads[name]);
    const used = new Set();
    threads.forEach((name) => core.threads[name].totals.forEach((time, i) => {
        if (time > 0) {
            used.add(i);
        }
    }));
    const numbers = table("Time of the core's threads by activity, cycles", [
        {head: "Cycles", cell: (i) => make("span", {}, make("i", {class: "swatch",
            style: `background:${activityColour(kActivities[i].key)}`}), activityName(i))},
        ...threads.map((name) => ({head: name, number: true,
            cell: (i) => {
                const time = core.threads[name].totals[i];
                return time > 0 ? cycles(time) : "";
            }})),
    ], [...used].sort((a, b) => a - b));
    byId("core-detail").replaceChildren(
        ...threads.map((name) => threadRow(name, core.threads[name])), numbers,
        make("p", {class: "hint"}, `${count(core.tile_products)} tile products, ` +
            `${count(core.tiles_packed)} tiles packed, ${bytes(core.bytes_read)} read, ` +
            `${bytes(core.bytes_written)} written; ${percent(core.on_path / view.makespan)} of ` +
            "the critical path"));
}

function drawCores() {
    drawGrid();
    drawCore();
}
