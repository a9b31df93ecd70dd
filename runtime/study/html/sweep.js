// SPDX-License-Identifier: Apache-2.0
// The page of a sweep.

const data = JSON.parse(byId("sweep-data").textContent);
const kMostLines = 10;  // that a chart can show apart; beyond, only the best of each value

function drawAnswer() {
    byId("name").textContent = data.name;
    byId("question").textContent = data.question;
    byId("answers").replaceChildren(...data.answers.map((line) => make("p", {}, line)));
}

/// "8 in 9 of 18, 2 in 5": values by the groups in which they are fastest.
function winsText(key) {
    const wins = key.values.map((value, i) => [value, key.wins[i]])
        .filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
    return wins.map(([value, count], i) =>
        `${value} in ${count}${i === 0 ? ` of ${key.groups}` : ""}`).join(", ");
}

function drawEffects() {
    const keys = data.keys.filter((key) => key.groups > 0)
        .sort((a, b) => b.mean_effect - a.mean_effect);
    const top = Math.max(1e-9, ...keys.map((key) => key.mean_effect - 1));
    byId("effects").hidden = keys.length === 0;
    byId("effect-table").replaceChildren(table("Effects of the keys", [
        {head: "Key", cell: (key) => key.key},
        {head: "Effect", number: true, cell: (key) => percent(key.mean_effect - 1)},
        {head: "", cell: (key) => meter((key.mean_effect - 1) / top)},
        {head: "At most", number: true, cell: (key) => percent(key.most_effect - 1)},
        {head: "Groups", number: true, cell: (key) => count(key.groups)},
        {head: "Fastest", wide: true, cell: winsText},
    ], keys));
}

function drawPoints() {
    byId("points-of").textContent = "Expected time" +
        (data.rank_by === "run" ? "" : ` of step ${data.rank_by}`) +
        ", and from low to high within the ranges of the constants." +
        (data.cases.length > 1 ? " Each case has a scale of its own." : "");
    byId("point-bars").replaceChildren(...data.cases.flatMap((name) => {
        const rows = data.points.filter((point) => point.case === name)
            .map((point) => ({label: point.name, time: point}));
        return rows.length === 0 ? [] : [...(name ? [make("h3", {}, name)] : []), timeBars(rows)];
    }));
}

function restOf(point, key) {
    return data.keys.map((other, i) => [other, point.values[i]])
        .filter(([other, value], i) => i !== key && value !== "")
        .map(([other, value]) => `${other.label} ${value}`).join(", ");
}

/// A line for each choice of the other keys; where they are too many, one of the best points.
function linesOver(key) {
    const {values} = data.keys[key];
    const byRest = new Map();
    const best = new Map();
    for (const point of data.points) {  // the best of a case first
        const at = values.indexOf(point.values[key]);
        if (at < 0) {
            continue;
        }
        const rest = restOf(point, key);
        byRest.set(rest, [...(byRest.get(rest) || []), {at, time: point}]);
        if (!best.has(at) || point.expected < best.get(at).time.expected) {
            best.set(at, {at, time: point});
        }
    }
    const lines = byRest.size > kMostLines ? [["best of the other keys", [...best.values()]]]
                                           : [...byRest].sort();
    return lines.map(([label, points]) => ({label, points: points.sort((a, b) => a.at - b.at)}));
}

function keyChart(key, index) {
    const lines = linesOver(index);
    return make("div", {class: "key-chart"}, make("h3", {}, key.key),
        key.is_number ? lineChart(key, lines) : dotChart(key, lines),
        lines.some((line) => line.label)
            ? legend(lines.map((line, i) => [colour(i), line.label])) : "");
}

function drawKeys() {
    const charts = data.keys.map((key, index) => ({key, index}))
        .filter(({key}) => key.values.length > 1);
    byId("over-keys").hidden = charts.length === 0 || data.points.length === 0;
    byId("key-charts").replaceChildren(...charts.map(({key, index}) => keyChart(key, index)));
}

function drawSteps() {
    const names = [...new Set(data.points.flatMap((p) => p.steps.map((step) => step.name)))];
    byId("step-bars").replaceChildren(timeStacks(
        data.points.map((point) => ({label: point.full_name, parts: point.steps})), names));
}

function drawRanking() {
    byId("ranking-table").replaceChildren(table("Ranking", [
        {head: "rank", number: true, cell: (p) => p.rank},
        ...data.keys.map((key, i) => ({head: key.key, cell: (p) => p.values[i]})),
        {head: "us", number: true, cell: (p) => us(p.expected)},
        {head: "low, us", number: true, cell: (p) => us(p.low)},
        {head: "high, us", number: true, cell: (p) => us(p.high)},
        {head: "of best", number: true, cell: (p) => p.of_best},
        {head: "slower", cell: (p) => p.word},
        {head: "bound by", cell: (p) => p.bound},
    ], data.points));
}

function drawFailures() {
    byId("failures").hidden = data.failures.length === 0;
    byId("nav-failures").hidden = data.failures.length === 0;
    byId("failure-table").replaceChildren(data.failures.length === 0 ? "" : table("Failures", [
        {head: "Point", cell: (f) => f.name}, {head: "Why", wide: true, cell: (f) => f.failure},
    ], data.failures));
}

drawAnswer();
drawEffects();
drawPoints();
drawKeys();
drawSteps();
drawRanking();
drawFailures();
