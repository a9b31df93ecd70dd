// SPDX-License-Identifier: Apache-2.0
// The page of a comparison: runs against the first of them.

const data = JSON.parse(byId("compare-data").textContent);
const kMostParts = 12;
const kNoResource = "no transfer (kernels run or start)";

function letter(run) {
    return run < 26 ? String.fromCharCode(65 + run) : String(run + 1);
}

function signed(share) {
    return Math.abs(share) < 5e-4 ? "0.0 %" : `${share < 0 ? "−" : "+"}${percent(Math.abs(share))}`;
}

function relative(step) {
    return step.a && step.b && step.a.expected > 0 ? step.difference.expected / step.a.expected
                                                   : null;
}

/// A bar from the middle: slower to the right, faster to the left, pale where it is not robust.
function differenceBar(share, most, step) {
    if (share === null) {
        return "–";
    }
    const width = most > 0 ? (Math.abs(share) / most) * 50 : 0;
    const left = share < 0 ? 50 - width : 50;
    const isPale = step.verdict !== "robust";
    return make("span", {class: "difference"},
        make("span", {class: "difference-bar", "aria-hidden": "true"}, make("span", {
            style: `left:${left}%;width:${width}%;background:${share < 0 ? "#4fa36a" : "#c4504f"};` +
                `opacity:${isPale ? 0.35 : 1}`})),
        `${signed(share)}${isPale && share !== 0 ? `, ${step.verdict_text}` : ""}`);
}

function drawRuns() {
    byId("name").textContent = data.name;
    const runs = [{run: 0, time: data.comparisons[0].run.a},
        ...data.comparisons.map((c, i) => ({run: i + 1, time: c.run.b, of: c.run}))];
    byId("run-bars").replaceChildren(timeBars(runs.filter((r) => r.time).map((r) => ({
        label: `${letter(r.run)}: ${data.runs[r.run]}`, time: r.time}))));
    byId("run-table").replaceChildren(table("Runs", [
        {head: "Run", cell: (r) => letter(r.run)},
        {head: "", wide: true, cell: (r) => data.runs[r.run]},
        {head: "us", number: true, cell: (r) => (r.time ? us(r.time.expected) : "–")},
        {head: "Of A", number: true, cell: (r) => (r.of && relative(r.of) !== null
            ? signed(relative(r.of)) : "")},
        {head: "Verdict", cell: (r) => (r.of ? r.of.verdict_text : "baseline")},
    ], runs));
}

function drawSteps() {
    const names = [...new Set(data.comparisons.flatMap((c) => c.steps.map((s) => s.name)))];
    const stepOf = (comparison, name) => comparison.steps.find((s) => s.name === name);
    const shares = data.comparisons.flatMap((c) => c.steps.map(relative))
        .filter((share) => share !== null);
    const most = Math.max(0, ...shares.map(Math.abs));
    const baseline = (name) => data.comparisons.map((c) => stepOf(c, name))
        .find((step) => step && step.a);
    byId("step-table").replaceChildren(table("Times by step", [
        {head: "Step", cell: (name) => name},
        {head: "A, us", number: true, cell: (name) => (baseline(name)
            ? us(baseline(name).a.expected) : "–")},
        ...data.comparisons.flatMap((comparison, i) => [
            {head: `${letter(i + 1)}, us`, number: true, cell: (name) => {
                const step = stepOf(comparison, name);
                return step && step.b ? us(step.b.expected) : "–";
            }},
            {head: `${letter(i + 1)} of A`, cell: (name) => {
                const step = stepOf(comparison, name);
                return step ? differenceBar(relative(step), most, step) : "–";
            }},
        ]),
    ], names));
}

function partsTable(head, parts) {
    const rows = parts.filter((p) => p.a !== p.b).slice(0, kMostParts);
    return rows.length === 0 ? "" : make("div", {class: "scroll"}, table(head, [
        {head, wide: true, cell: (p) => (p.name === "none" ? kNoResource : p.name)},
        {head: "A, us", number: true, cell: (p) => us(p.a)},
        {head: "Run, us", number: true, cell: (p) => us(p.b)},
        {head: "Difference, us", number: true, cell: (p) => us(p.b - p.a)},
    ], rows));
}

function drawParts() {
    const {run} = data.comparisons[Number(byId("pick-run").value)];
    byId("parts").replaceChildren(partsTable("Activity", run.activities),
        partsTable("Resource", run.resources), partsTable("Line", run.lines));
}

byId("pick-run").append(...data.comparisons.map((_, i) =>
    option(String(i), `${letter(i + 1)}: ${data.runs[i + 1]}`)));
byId("pick-run").addEventListener("change", drawParts);
drawRuns();
drawSteps();
drawParts();
