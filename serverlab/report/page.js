// What moves on the page: the charts with their one switch, legend and choice of panel, and the
// tables' order. Vega-Embed is in the page already, as window.vegaEmbed.

const { cells, charts } = JSON.parse(document.getElementById("page-data").textContent);
const ERRORS = 1; // Vega's level; it would warn of each chart that has no rejected cell
const state = { mode: "linear", panel: 0, highlight: "" };
let drawn = [];

// The cells' half of a row is the same in all charts; the figure is the other half.
function joined(chart) {
  return cells.map((cell, place) => ({ ...cell, ...chart.figures[place] }));
}

function complete(chart) {
  const spec = structuredClone(chart.spec);
  spec.data = { values: chart.rows ?? joined(chart) };
  for (const layer of spec.layer) {
    for (const [channel, scale] of Object.entries(chart.scales[state.mode])) {
      if (layer.encoding[channel]?.type === "quantitative") layer.encoding[channel].scale = scale;
    }
  }
  for (const param of spec.params) {
    if (param.name in state) param.value = state[param.name];
  }
  return spec;
}

function draw(chart) {
  return vegaEmbed(`[id="chart-${chart.name}"]`, complete(chart), {
    actions: false,
    defaultStyle: false,
    logLevel: ERRORS,
    renderer: "svg",
    tooltip: showTip,
  });
}

async function drawAll() {
  for (const { finalize } of drawn) finalize();
  drawn = await Promise.all(charts.map(draw));
}

function signal(name, value) {
  state[name] = value;
  for (const { view } of drawn) view.signal(name, value).runAsync();
}

const tip = document.getElementById("tip");

function showTip(_, event, __, values) {
  tip.hidden = !values;
  if (!values) return;
  tip.replaceChildren(
    ...Object.entries(values).map(([name, value]) => {
      const line = document.createElement("div");
      const label = document.createElement("span");
      label.textContent = name;
      line.append(label, value);
      return line;
    }),
  );
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 14;
  const fits = below + tip.offsetHeight < innerHeight;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${fits ? below : event.clientY - tip.offsetHeight - 14}px`;
}

for (const input of document.querySelectorAll("input[name=mode]")) {
  if (input.checked) state.mode = input.value;
  input.addEventListener("change", () => {
    state.mode = input.value;
    drawAll();
  });
}

const legend = [...document.querySelectorAll(".legend button")];
for (const button of legend) {
  button.addEventListener("click", () => {
    signal("highlight", state.highlight === button.dataset.subject ? "" : button.dataset.subject);
    for (const other of legend) {
      other.setAttribute("aria-pressed", other.dataset.subject === state.highlight);
    }
  });
}

document.getElementById("panel")?.addEventListener("change", (event) => {
  signal("panel", Number(event.target.value));
  document.getElementById("panel-shown").textContent = event.target.selectedOptions[0].label;
  for (const part of document.querySelectorAll("[data-panel]")) {
    part.hidden = Number(part.dataset.panel) !== state.panel;
  }
});

// What a link leads to may stand in a panel that is not shown.
function showTarget() {
  const part = document.getElementById(location.hash.slice(1))?.closest("[data-panel][hidden]");
  const choice = document.getElementById("panel");
  if (!part || !choice) return;
  choice.value = part.dataset.panel;
  choice.dispatchEvent(new Event("change"));
  document.getElementById(location.hash.slice(1)).scrollIntoView();
}

addEventListener("hashchange", showTarget);

// A chart is as wide as its container, which has no width while it is folded.
for (const fold of document.querySelectorAll("details.of-charts")) {
  fold.addEventListener("toggle", () => dispatchEvent(new Event("resize")));
}

// Numbers by value, words by letter, what is absent always last.
function compare(a, b, direction) {
  if (a === "" || b === "") return (a === "") - (b === "");
  const difference = Number(a) - Number(b);
  return direction * (Number.isNaN(difference) ? a.localeCompare(b) : difference);
}

function sortBy(head, column) {
  const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const body = head.closest("table").tBodies[0];
  const key = (row) => row.cells[column].dataset.order ?? row.cells[column].textContent;
  body.append(...[...body.rows].sort((a, b) => compare(key(a), key(b), direction)));
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.firstElementChild.addEventListener("click", () => sortBy(head, column));
  });
}

drawAll().then(showTarget);
