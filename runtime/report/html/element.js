// SPDX-License-Identifier: Apache-2.0
// Elements, tables and the tooltip.

function byId(id) {
    return document.getElementById(id);
}

function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === "style") {
            element.style.cssText = value;
        } else {
            element.setAttribute(name, value);
        }
    }
    element.append(...children);
    return element;
}

function makeSvg(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) {
        element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

/// columns: [{head, cell(row), number}]; `choose(row)` handles keys and clicks on rows.
function table(caption, columns, rows, choose = null, isChosen = () => false) {
    const head = make("tr", {}, ...columns.map(
        (c) => make("th", {scope: "col", class: c.number ? "n" : ""}, c.head)));
    const body = rows.map((row) => {
        const line = make("tr", {class: isChosen(row) ? "chosen" : ""}, ...columns.map(
            (c) => make("td", {class: (c.number ? "n " : "") + (c.code ? "code " : "") +
                (c.wide ? "wide" : "")},
                c.cell(row))));
        if (choose) {
            line.tabIndex = 0;
            onPick(line, () => choose(row));
        }
        return line;
    });
    return make("table", {"aria-label": caption}, make("thead", {}, head),
        make("tbody", {}, ...body));
}

function onPick(element, act) {
    element.addEventListener("click", act);
    element.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            act();
        }
    });
}

function meter(share) {
    const width = Math.min(Math.max(share, 0), 1) * 100;
    return make("span", {class: "meter", "aria-hidden": "true"},
        make("span", {style: `width:${width}%`}));
}

function legend(items) {
    return make("div", {class: "legend"}, ...items.map(([colour, name]) =>
        make("span", {}, make("i", {class: "swatch", style: `background:${colour}`}), name)));
}

/// items: [{name, colour, share, text}] with shares of the whole bar; the tooltip shows text or the
/// share.
function stackBar(label, items) {
    const bar = make("div", {class: "stackbar", role: "img", "aria-label": label});
    for (const item of items) {
        if (item.share > 0) {
            const part = make("span",
                {style: `width:${item.share * 100}%;background:${item.colour}`});
            withTip(part, () => `${item.name}: ${item.text || percent(item.share)}`);
            bar.append(part);
        }
    }
    return bar;
}

function showTip(text, x, y) {
    const tip = byId("tip");
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 6))}px`;
    tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 8 : y + 18}px`;
}

function hideTip() {
    byId("tip").hidden = true;
}

function withTip(element, textOf) {
    element.addEventListener("mousemove", (e) => showTip(textOf(), e.clientX, e.clientY));
    element.addEventListener("mouseleave", hideTip);
    element.addEventListener("focus", () => {
        const box = element.getBoundingClientRect();
        showTip(textOf(), box.left, box.bottom - 14);
    });
    element.addEventListener("blur", hideTip);
}

function option(value, text) {
    return make("option", {value}, text);
}
