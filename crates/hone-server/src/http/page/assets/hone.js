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

// A list with `data-follow` grows while a run goes on. What a model or a tool said is only ever text.
for (const list of document.querySelectorAll("[data-follow]")) {
  const LONGEST = 2000;
  const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
  const short = (value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const cut = text.length > LONGEST ? text.slice(0, LONGEST) + "…" : text;
    return cut.replace(HIDDEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  };
  const words = (one) => {
    switch (one.event) {
      case "waiting": return ["Waits for", one.for];
      case "started": return [`Began with ${one.model}`, one.tools.join(", ")];
      case "asking": return [`Turn ${one.turn} of ${one.of}: the model is asked`, ""];
      case "calling": return [`Calls ${one.tool}`, one.arguments];
      case "ended": return [`Ended after ${one.cost.turns} turns and ${one.cost.calls} calls`, one.cost.usage];
      case "step": return step(one.step);
      default: return [one.event, ""];
    }
  };
  const step = (one) => {
    switch (one.kind) {
      case "skills": return ["Skills offered", one.names.join(", ")];
      case "model": return [`The model replied (${one.usage.input} tokens in, ${one.usage.output} out)`, one.text];
      case "no-reply": return ["The model gave no reply", one.error];
      case "tool": {
        const read = one.effects.filter((effect) => effect.effect === "skill-read").map((effect) => effect.name);
        return [`${one.tool}: ${one.outcome}`, [one.summary, ...read.map((name) => `loaded the skill ${name}`)].join("\n")];
      }
      default: return [one.kind, ""];
    }
  };
  const status = document.querySelector("[role=status] .verdict");
  const source = new EventSource(list.dataset.follow);
  source.onmessage = (message) => {
    const one = JSON.parse(message.data);
    if (one.event === "over") {
      source.close();
      location.reload();
      return;
    }
    // The word was rendered before it began.
    if (one.event !== "waiting" && status && status.textContent !== "running") status.textContent = "running";
    const [what, more] = words(one);
    const item = document.createElement("li");
    const title = document.createElement("strong");
    title.textContent = short(what);
    item.append(title);
    if (more && more.length !== 0) {
      const text = document.createElement("pre");
      text.textContent = short(more);
      item.append(text);
    }
    list.append(item);
  };
}
