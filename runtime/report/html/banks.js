// SPDX-License-Identifier: Apache-2.0
// Bytes in flight to and from each DRAM bank, over the window of the timeline. The darkest colour
// is a rate that 5 % of the window's cells exceed. Maps of light and of heavy traffic therefore
// have the same contrast, and a burst does not fade the rest.

const kBankRow = 14;

/// Returns the launches' maps of the chosen device, with the positions of their slices in the
/// displayed time.
function bankParts() {
    return view.launches.flatMap((launch) => {
        const {from, to, devices} = launch.banks;
        const own = devices.find((part) => part.device === selection.device);
        const numBanks = data.machine.dram_banks.length;
        if (!own || own.bytes.length === 0) {
            return [];
        }
        const slices = own.bytes.length / numBanks;
        const length = (to - from) / slices;
        return [{launch, slices, length, numBanks, bytes: own.bytes,
            begin: offsetOf(launch) + from}];
    });
}

/// Returns the slices that are in the window, at least in part.
function slicesInWindow(part) {
    const first = Math.max(0, Math.floor((selection.from - part.begin) / part.length));
    const end = Math.min(part.slices, Math.ceil((selection.to - part.begin) / part.length));
    return {first, end};
}

function bankRate(part, bank, slice) {
    return part.bytes[bank * part.slices + slice] / (part.length / 1000);
}

function eachCell(parts, act) {
    for (const part of parts) {
        const {first, end} = slicesInWindow(part);
        for (let slice = first; slice < end; ++slice) {
            for (let bank = 0; bank < part.numBanks; ++bank) {
                act(part, bank, slice);
            }
        }
    }
}

/// Returns the number of banks that would carry a slice's bytes with equal shares: 1/Σ share²,
/// weighted by bytes.
function banksAtATime(parts) {
    let [sum, weight] = [0, 0];
    for (const part of parts) {
        const {first, end} = slicesInWindow(part);
        for (let slice = first; slice < end; ++slice) {
            let [total, squares] = [0, 0];
            for (let bank = 0; bank < part.numBanks; ++bank) {
                const here = part.bytes[bank * part.slices + slice];
                total += here;
                squares += here * here;
            }
            if (total > 0) {
                sum += total * (total * total / squares);
                weight += total;
            }
        }
    }
    return weight > 0 ? sum / weight : 0;
}

function drawBankCells(box, parts, top) {
    eachCell(parts, (part, bank, slice) => {
        const rate = bankRate(part, bank, slice);
        if (rate > 0) {  // launches overlap on a mesh: nothing hides what another one asks
            const x = xOf(part.begin + slice * part.length, box.width);
            const end = xOf(part.begin + (slice + 1) * part.length, box.width);
            box.pen.fillStyle = heat(rate / top);
            box.pen.fillRect(x, kAxis + bank * kBankRow, end - x + 0.5, kBankRow - 1);
        }
    });
}

function drawBankMap(parts, top) {
    const numBanks = data.machine.dram_banks.length;
    const box = fitCanvas(byId("banks"), kAxis + numBanks * kBankRow + 4);
    const {pen} = box;
    pen.fillStyle = heat(0);
    pen.fillRect(kGutter, kAxis, box.width - kGutter, numBanks * kBankRow);
    pen.save();
    pen.beginPath();
    pen.rect(kGutter, 0, box.width - kGutter, box.height);
    pen.clip();
    drawBankCells(box, parts, top);
    drawAxis(pen, box.width, kAxis);
    pen.restore();
    pen.fillStyle = themeColour("soft");
    pen.textBaseline = "middle";
    for (let bank = 0; bank < numBanks; ++bank) {
        pen.fillText(`bank ${bank}`, 6, kAxis + (bank + 0.5) * kBankRow);
    }
}

function banksText(parts, top) {
    return top === 0 ? "No kernel asks anything of DRAM in the window of the timeline."
        : `Bytes under way to and from each bank in cycles ${cycles(selection.from)} to ` +
          `${cycles(selection.to)}: the window of the timeline. At a time they lie in ` +
          `${banksAtATime(parts).toFixed(1)} of ${data.machine.dram_banks.length} banks. Cores ` +
          "that queue at one bank after another make dark cells that wander; in even use the " +
          "cells of a column are alike.";
}

function topRate(parts) {
    const rates = [];
    eachCell(parts, (part, bank, slice) => {
        const rate = bankRate(part, bank, slice);
        if (rate > 0) {
            rates.push(rate);
        }
    });
    rates.sort((a, b) => a - b);
    return rates.length > 0 ? rates[Math.floor(0.95 * (rates.length - 1))] : 0;
}

function drawBanks() {
    const parts = bankParts();
    const top = topRate(parts);
    drawBankMap(parts, top);
    heatLegend(byId("banks-legend"), "0", `${top.toFixed(1)} B/cycle, ` +
        `${percent(top / data.peak.dram_channel_rate)} of a channel's rate, or more`);
    byId("banks-of").textContent = banksText(parts, top);
}

function bankCellUnder(event) {
    const box = byId("banks").getBoundingClientRect();
    const bank = Math.floor((event.clientY - box.top - kAxis) / kBankRow);
    const time = timeOf(event.clientX - box.left, box.width);
    const part = bankParts().find(({begin, length, slices}) =>
        time >= begin && time < begin + length * slices);
    return part && bank >= 0 && bank < part.numBanks && time >= selection.from
        ? {part, bank, slice: Math.floor((time - part.begin) / part.length)} : null;
}

function bankCellText({part, bank, slice}) {
    const begin = part.begin + slice * part.length;
    const rate = bankRate(part, bank, slice);
    return `${part.launch.name}, bank ${bank}, cycles ${cycles(begin)} to ` +
        `${cycles(begin + part.length)}\n${bytes(part.bytes[bank * part.slices + slice])}, ` +
        `${rate.toFixed(2)} B/cycle, ${percent(rate / data.peak.dram_channel_rate)} of a ` +
        "channel's rate";
}

function listenToBanks() {
    byId("banks").addEventListener("mousemove", (event) => {
        const cell = bankCellUnder(event);
        if (cell) {
            showTip(bankCellText(cell), event.clientX, event.clientY);
        } else {
            hideTip();
        }
    });
    byId("banks").addEventListener("mouseleave", hideTip);
}
