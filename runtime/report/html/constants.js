// SPDX-License-Identifier: Apache-2.0
// The constants on which the run's time depends most, as bars: each moved to either end of its
// range.

const kConstantRow = 22;
const kConstantName = 230;  // pixels to the left of the bars
const kConstantReach = 150;  // of a bar to either side
const kConstantText = 330;  // to the right of them

function constantRows() {
    const size = (effect) => Math.max(Math.abs(effect.at_low), Math.abs(effect.at_high));
    return data.constants.filter((effect) => size(effect) >= 5e-5).slice(0, 10);
}

function changeText(value, change) {
    return value ? `${change < 0 ? "−" : "+"}${(Math.abs(change) * 100).toFixed(2)} % at ${value}`
        : "";
}

/// Draws a bar from the run's own time to the time with the constant at an end of its range. The
/// lower end is the upper half of the row, because both ends may make the run longer.
function constantBar(y, change, most) {
    const width = Math.abs(change) / most * kConstantReach;
    const middle = kConstantName + kConstantReach;
    return makeSvg("rect", {x: change < 0 ? middle - width : middle, y, width,
        height: kConstantRow / 2 - 4, fill: change < 0 ? kActivityColours.matmul
            : kActivityColours.wait_cb_data});
}

function constantLine(svg, effect, row, most) {
    const y = row * kConstantRow;
    const text = [changeText(effect.low_value, effect.at_low),
        changeText(effect.high_value, effect.at_high)].filter((part) => part).join(", ");
    svg.append(
        makeSvg("text", {x: kConstantName - 8, y: y + 15, "text-anchor": "end"},
            effect.key.replace(/^timing\./, "")),
        constantBar(y + 4, effect.at_low, most),
        constantBar(y + kConstantRow / 2, effect.at_high, most),
        makeSvg("text", {x: kConstantName + 2 * kConstantReach + 8, y: y + 15}, text));
}

function drawConstants() {
    const rows = constantRows();
    if (rows.length === 0) {
        byId("constants").replaceChildren();
        return;
    }
    const most = Math.max(...rows.flatMap((e) => [Math.abs(e.at_low), Math.abs(e.at_high)]));
    const width = kConstantName + 2 * kConstantReach + kConstantText;
    const height = rows.length * kConstantRow;
    const svg = makeSvg("svg", {viewBox: `0 0 ${width} ${height}`, width, role: "img",
        "aria-label": "Change of the run with each constant at the ends of its range"});
    rows.forEach((effect, row) => constantLine(svg, effect, row, most));
    const middle = kConstantName + kConstantReach;
    svg.append(makeSvg("line", {x1: middle, x2: middle, y1: 0, y2: height,
        stroke: themeColour("soft")}));
    byId("constants").replaceChildren(
        make("h3", {}, "Constants that the whole run depends on most"),
        make("p", {class: "hint"}, "Change of the makespan with one constant at either end of " +
            "its range, all others as stated: shorter to the left, longer to the right."),
        make("div", {class: "scroll"}, svg));
}
