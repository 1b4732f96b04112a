// Makes pages smoother; they work without it.
"use strict";

// A form with `data-live` asks again while its fields change, and puts what comes in place of the
// element that it names.
for (const form of document.querySelectorAll("form[data-live]")) {
  const place = form.dataset.live;
  let waiting = 0;
  let asked = null;
  const ask = async () => {
    asked?.abort();
    asked = new AbortController();
    const fields = [...new FormData(form)].filter(([, value]) => value !== "");
    const address = form.getAttribute("action") + "?" + new URLSearchParams(fields);
    try {
      const answer = await fetch(address, { signal: asked.signal, headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById(place);
      if (found) {
        document.getElementById(place).replaceWith(found);
        history.replaceState(null, "", address);
      }
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    ask();
  });
}
