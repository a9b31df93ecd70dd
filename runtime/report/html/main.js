// SPDX-License-Identifier: Apache-2.0
// The whole page: the selection, and redrawing of all sections.

function drawAll() {
    makeView();
    if (data.launches.length === 0) {
        drawConfig();
        return;
    }
    setDefaultWindow();
    drawSummary();
    drawRoofline();
    drawCores();
    drawStalls();
    drawSource();
    drawPath();
    drawTimeline();
    drawBuffers();
    drawNoc();
    drawBanks();
    drawDram();
    drawMesh();
    drawL1();
    drawStages();
    drawMoe();
    drawConfig();
}

function setDefaultWindow() {
    selection.from = 0;
    selection.to = Math.max(view.makespan, 1);
}

function chooseLaunch(index) {
    selection.launch = index;
    byId("pick-launch").value = String(index);
    drawAll();
}

function chooseCore(x, y, keepsFocus) {
    selection.x = x;
    selection.y = y;
    drawCores();
    drawStack();
    drawTimeline();
    drawBuffers();
    drawL1();
    if (keepsFocus) {
        document.querySelector(`#grid [data-x="${x}"][data-y="${y}"]`).focus();
    }
}

function setTheme(name) {
    document.documentElement.dataset.theme = name;
    showTheme();
    drawAll();
}

function showTheme() {
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-pressed", String(isDark()));
}

function fillPicks() {
    byId("pick-launch").append(option("-1", "whole run"),
        ...data.launches.map((launch, i) => option(String(i), launch.name)));
    byId("pick-launch").value = String(selection.launch);
    for (let device = 0; device < numDevices(); ++device) {
        byId("pick-device").append(option(String(device), `device ${device}`));
    }
    byId("pick-device").parentElement.hidden = numDevices() === 1;
    byId("pick-metric").append(...kMetrics.map((metric) => option(metric.key, metric.name)));
    byId("pick-stack").append(option("all", "all of a core"),
        ...kThreads.map((name) => option(name, name)));
}

function listen() {
    byId("pick-launch").addEventListener("change",
        (event) => chooseLaunch(Number(event.target.value)));
    byId("pick-device").addEventListener("change", (event) => {
        selection.device = Number(event.target.value);
        drawAll();
    });
    byId("pick-metric").addEventListener("change", (event) => {
        selection.metric = event.target.value;
        drawGrid();
    });
    byId("pick-stack").addEventListener("change", (event) => {
        selection.stack = event.target.value;
        drawStack();
    });
    byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
    byId("config-filter").addEventListener("input", drawConfig);
    byId("config-assumed").addEventListener("change", drawConfig);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        showTheme();
        drawAll();
    });
    listenToTimeline();
    listenToBanks();
}

function nameRun() {
    const {machine} = data;
    const {mesh} = machine;
    byId("run-name").textContent = data.name;
    byId("run-machine").textContent = `${mesh.rows} × ${mesh.columns} ${machine.name}, ` +
        `${machine.grid.columns} × ${machine.grid.rows} cores each, ` +
        `${(machine.clock_hz / 1e9).toFixed(2)} GHz; run of ${data.launches.length} ` +
        `step${data.launches.length === 1 ? "" : "s"}, ${cycles(data.makespan.expected)} cycles`;
}

/// Starts at the core with most of the critical path.
function chooseFirstCore() {
    makeView();
    const cores = [...view.cores.values()];
    const first = cores.reduce((a, b) => (b.on_path > a.on_path ? b : a), cores[0]);
    if (first) {
        Object.assign(selection, {device: first.device, x: first.x, y: first.y});
        byId("pick-device").value = String(first.device);
    }
}

/// Opens a report of a part of the run at that part.
function chooseFocus() {
    const {step, device, core, window: shown} = data.focus;
    const index = data.launches.findIndex((launch) => launch.name === step);
    if (index >= 0) {
        chooseLaunch(index);
    }
    const drawn = view.launches.flatMap((launch) => launch.threads)
        .find((thread) => thread.points.length > 0);
    const first = {...drawn, ...(device === null ? {} : {device}), ...(core || {})};
    selection.device = first.device || 0;
    byId("pick-device").value = String(selection.device);
    drawAll();
    chooseCore(first.x || 0, first.y || 0, false);
    if (shown) {
        setWindow(shown[0], shown[1]);
    }
}

/// Shows only the error of a run that failed in its first step.
function hideTimes() {
    document.querySelectorAll("main > section:not(#failure):not(#config), .bar nav, .bar .picks label")
        .forEach((part) => { part.hidden = true; });
}

nameRun();
drawFailure();
if (data.launches.length === 0) {
    hideTimes();
}
fillPicks();
chooseFirstCore();
showTheme();
makeView();
setDefaultWindow();
listen();
drawAll();
if (data.focus) {
    chooseFocus();
}
document.documentElement.dataset.drawn = "true";
