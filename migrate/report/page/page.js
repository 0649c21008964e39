"use strict";

// The page reads well without this: it filters by code, and opens what a link leads into.
const filter = document.getElementById("filter");
if (filter) {
  filter.hidden = false;
  filter.querySelector("select").addEventListener("change", (event) => {
    const code = event.target.value;
    for (const part of document.querySelectorAll("[data-codes]")) {
      part.hidden = code !== "" && !part.dataset.codes.split(" ").includes(code);
    }
    for (const part of document.querySelectorAll("section:has([data-codes])")) {
      part.hidden = !part.querySelector("[data-codes]:not([hidden])");
    }
  });
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  for (let part = target; part; part = part.parentElement) {
    if (part.localName === "details") part.open = true;
  }
  target?.scrollIntoView();
}
addEventListener("hashchange", openTarget);
openTarget();
