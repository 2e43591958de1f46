// Drives the inspector's page in Chromium: node drive.mjs SCENE URL [FOLDER]. A scene throws where the page is not as it should be; AICC_SHOT
// names a file for a picture of that.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";

import { more } from "./scenes.mjs";

const { chromium } = createRequire(path.join(process.env.AICC_NODE_MODULES, "x"))("playwright-core");
const [scene, url, folder] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.AICC_CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--font-render-hinting=none"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light", locale: "en-US" });
const page = await context.newPage();
const faults = [];
page.on("pageerror", (e) => faults.push("pageerror: " + e.message));
page.on("console", (m) => m.type() === "error" && faults.push("console: " + m.text()));
const allowed = [];

const text = (selector) => page.locator(selector).innerText();
const until = (what, f, arg) => page.waitForFunction(f, arg, { timeout: 20_000, polling: 50 }).catch((e) => { throw new Error(`${what}: ${e.message}`); });
const names = () => page.locator("#charlist .row:not([hidden]) span:nth-child(2)").allInnerTexts();
const choose = async (name) => {
  await page.locator("#charlist .row:not([hidden])", { hasText: name }).first().click();
  await until(`${name} is chosen`, (n) => document.getElementById("scope").textContent === n, name);
};
const opened = async () => {
  await page.goto(url);
  await until("it is connected", () => document.querySelector("#status span")?.textContent === "connected");
};
const tool = async (name) => {
  await page.locator("#tools tbody tr", { hasText: name }).click();
  await until(`the form of ${name}`, (n) => document.querySelector("#detail h2")?.textContent === n, name);
};
const field = (p) => page.locator(`#detail [data-path="${p}"]`);
const result = () => page.locator("#detail .result");
const playing = async () => {
  await page.keyboard.press("p");
  await until("it is played by hand", () => document.getElementById("hand")?.textContent === "Leave");
};

// stop lets the test do its part meanwhile.
const stop = async () => {
  process.stdout.write("STOP\n");
  await new Promise((resolve) => process.stdin.once("data", resolve));
};

const scenes = {
  async watch() {
    await opened();
    assert.ok(!page.url().includes("#"), "the token stays out of the address");
    await until("characters", () => document.querySelectorAll("#charlist .row:not([hidden])").length === 4);
    assert.deepEqual((await names()).sort(), ["All characters", "cook", "groom", "guard"]);
    await stop();
    await until("messages", () => inspector.seen > 5);
    await page.reload(); // the token is kept for this tab, and so is what was counted
    await until("messages after a reload", () => inspector.seen > 5);
    await until("the line", () => document.getElementById("n-faults").textContent === "1");
    await page.keyboard.press("m"); // messages and lines are in one order
    await page.keyboard.press("g");
    await until("the first", () => document.getElementById("stream").scrollTop === 0 && document.querySelector('#stream .row[aria-selected="true"]'));
    const times = (await page.locator("#stream .row:not([hidden])").evaluateAll((rows) => rows.map((r) => [r.getBoundingClientRect().top, r.children[0].textContent]))).sort((a, b) => a[0] - b[0]).map((r) => r[1]);
    assert.ok(times.length > 5);
    assert.deepEqual(times, [...times].sort());
    const row = page.locator("#stream .row:not([hidden])", { hasText: "session_init" }).first();
    await page.fill("#filter", "type:session_init");
    await until("it alone", () => document.querySelectorAll("#stream .row:not([hidden])").length === 1);
    await row.click();
    const shown = await text("#detail");
    assert.match(shown, /"protocol": "aicc\/0.1"/);
    assert.match(shown, /"session_id": "[0-9a-f]{8}-…"/);
    assert.doesNotMatch(shown, /"session_id": "[0-9a-f]{8}-[0-9a-f]{4}/);
  },

  // A call from its form reaches the game, which the test then asks.
  async play() {
    await opened();
    await choose("guard");
    await page.keyboard.press("2");
    await until("tools", () => document.querySelectorAll("#tools tbody tr").length === 6);
    await tool("walk_to");
    assert.ok(await page.locator("#call").isDisabled());
    await playing();
    assert.deepEqual(await field("place").locator("option").allInnerTexts(), ["choose", "gate", "yard", "tower", "store", "well"]);
    await page.click("#call");
    assert.match(await result().innerText(), /One thing is missing or wrong; nothing was sent.\s+place: choose one/);
    await field("place").selectOption({ label: "tower" });
    await field("speed").fill("12");
    await page.click("#call");
    assert.match(await result().innerText(), /speed: at most 9 is wanted/);
    await field("speed").fill("2.50");
    await field("quietly").selectOption({ label: "true" });
    await page.click("#call");
    await until("a result", () => document.querySelector("#detail .result")?.textContent.includes("Done in"));
    assert.match(await result().innerText(), /"place": "tower", "speed": 2.50, "quietly": true/);

    await tool("patrol"); // nested objects, an array of references, and what only JSON can ask for
    await field("name").fill("night");
    await page.click("#call");
    assert.match(await result().innerText(), /2 things|stops\[0\]/);
    await field("stops[0].x").fill("3");
    await field("stops[0].y").fill("-4");
    await page.locator("#detail button", { hasText: "Add one" }).click();
    await field("stops[1].x").fill("0");
    await field("stops[1].y").fill("1e1");
    await field("extra").fill('{"n":12345678901234567890}');
    await page.click("#call");
    await until("a result of patrol", () => document.querySelector("#detail .result")?.textContent.includes("Done in"));
    assert.equal(await page.locator("#detail .unsent .plain-words").count(), 0, "what was said of an earlier input is gone");
    await page.locator("#detail button", { hasText: /^JSON$/ }).click();
    await page.locator('#detail textarea[aria-label="The input as JSON"]').fill('{"name":"raw","stops":[{"x":1,"y":2}]}');
    await page.click("#call");
    await until("a result of the raw input", () => document.querySelectorAll("#detail details.came").length === 2);
    await until("the newest alone is open", () => [...document.querySelectorAll("#detail details.came")].map((d) => d.open).join() === "true,false");

    await tool("fail");
    await page.click("#call");
    await until("words of the game", () => document.querySelector("#detail .result")?.textContent.includes("The rope is stuck."));
    assert.match(await result().innerText(), /The game said no/);
    await tool("ring_bell");
    await page.click("#call");
    await until("a refusal", () => document.querySelector("#detail .result")?.textContent.includes("tool_unavailable"));
    assert.match(await result().innerText(), /grant the capability/);

    await until("counts", () => [...document.querySelectorAll("#tools tbody tr")].some((r) => r.cells[0].textContent === "walk_to" && r.cells[2].textContent === "1" && r.cells[4].textContent === "1" && /(µs|ms)$/.test(r.cells[6].textContent)));
    assert.equal(await text("#n-tools"), "6");
    await page.keyboard.press("3");
    await until("faults", () => document.querySelectorAll("#faultlist .row:not([hidden])").length === 2);
    await page.keyboard.press("2");
    await page.click("#hand");
    await until("left", () => document.getElementById("hand")?.textContent === "Play by hand");
  },

  // The game of the C example.
  async guard() {
    await opened();
    await choose("guard");
    await page.keyboard.press("2");
    await until("tools, though no agent was ever there", () => document.querySelectorAll("#tools tbody tr").length >= 6);
    await tool("light_lantern");
    await playing();
    await page.click("#call");
    await until("a result", () => document.querySelector("#detail .result")?.textContent.includes("Done in"));
    await tool("walk_to");
    await field("place").selectOption({ label: "yard" });
    await field("speed").fill("9");
    await page.click("#call");
    await until("he is there", () => document.querySelector("#detail .result")?.textContent.includes("Done in"));
    assert.match(await result().innerText(), /"place": "yard"/);
    await page.keyboard.press("1");
    await until("what he reported on the way", () => [...document.querySelectorAll("#stream .row:not([hidden])")].some((r) => r.textContent.includes("walking")));
    await page.keyboard.press("2");
    await page.click("#hand");
    await until("left", () => document.getElementById("hand")?.textContent === "Play by hand");
  },

  // The character has an agent: it is taken over only after a question.
  async take() {
    await opened();
    await choose("guard");
    await page.keyboard.press("2");
    await until("taken", () => document.getElementById("hand")?.textContent === "Take over…");
    await page.click("#hand");
    assert.match(await text("#dialog"), /4410/);
    await page.locator("#dialog button", { hasText: "Cancel" }).click();
    assert.equal(await text("#hand"), "Take over…");
    await page.click("#hand");
    await page.evaluate(() => {
      window.odd = new Set();
      const sample = () => {
        const foot = document.getElementById("status").innerText, bar = document.querySelector("#tools .bar").innerText;
        if (/playing guard/.test(foot) !== /You play it/.test(bar)) window.odd.add(`${bar} | ${foot}`);
        requestAnimationFrame(sample);
      };
      requestAnimationFrame(sample);
    });
    await page.locator("#dialog button", { hasText: "Take over" }).click();
    await until("it is played by hand", () => document.getElementById("hand")?.textContent === "Leave");
    await until("it is said below too", () => /playing guard/.test(document.getElementById("status").innerText));
    assert.deepEqual(await page.evaluate(() => [...window.odd]), [], "what plays is said alike in both places");
  },

  async filters() {
    await opened();
    await until("messages", () => inspector.seen > 3000);
    await page.click("#pause");
    const types = () => page.locator("#stream .row:not([hidden]) .type").allInnerTexts();
    const only = async (filter, test) => {
      await page.fill("#filter", filter);
      await page.press("#filter", "Enter");
      let rows = [];
      for (const end = Date.now() + 20_000; Date.now() < end && !(rows.length && rows.every(test)); ) rows = await page.locator("#stream .row:not([hidden])").allInnerTexts();
      assert.ok(rows.length > 0 && rows.every(test), `${filter}: ${rows.find((r) => !test(r))}`);
    };
    const all = await page.evaluate(() => inspector.kept);
    await only("type:tool_call", (r) => r.includes("tool_call"));
    await only("tool:steer dir:out", (r) => r.includes("tool_result") && r.includes("steer"));
    await only("topic:audio", (r) => r.includes("event") && r.includes("gull"));
    await only("-type:event -type:tool", (r) => !r.includes("event"));
    await only('char:"aurora ii"', (r) => r.includes("Aurora II"));
    await page.fill("#filter", "no such text anywhere");
    await until("nothing", () => document.querySelector("#stream .empty:not([hidden])"));
    await page.fill("#filter", "");
    await until("all again", (n) => inspector.shown >= n, all);
    for (const kind of ["Events", "Calls", "Session", "Log"]) await page.locator("#kinds button", { hasText: kind }).click();
    await until("results alone", () => [...document.querySelectorAll("#stream .row:not([hidden]) .type")].every((t) => t.textContent === "tool_result"));
    assert.ok((await types()).length > 5);
    for (const kind of ["Events", "Calls", "Session", "Log"]) await page.locator("#kinds button", { hasText: kind }).click();
    await choose("Bellwether");
    await until("its own alone", () => [...document.querySelectorAll("#stream .row:not([hidden]) .who")].every((t) => t.textContent === "Bellwether"));
    await page.keyboard.press("Escape");
    await until("all characters", () => document.getElementById("scope").textContent === "");
    assert.equal(await page.evaluate(() => document.documentElement.hasAttribute("data-dark")), false);
    await page.keyboard.press("t");
    await page.keyboard.press("t");
    assert.equal(await text("#theme"), "Theme: dark");
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(20, 22, 24)");
    await page.reload();
    await until("the theme is kept", () => document.documentElement.hasAttribute("data-dark"));
  },

  async keys() {
    await opened();
    await until("messages", () => inspector.seen > 100);
    await page.keyboard.press("?");
    assert.match(await text("#dialog"), /Keys/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "filter");
    await page.keyboard.type("type:tool_result");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Space");
    assert.equal(await text("#pause"), "Go on");
    await page.keyboard.press("m");
    assert.equal(await page.inputValue("#filter"), "type:tool_result");
    await page.keyboard.press("g");
    await until("the first", () => document.querySelector('#stream .row[aria-selected="true"]') && document.getElementById("stream").scrollTop === 0);
    const first = await text("#detail");
    await page.keyboard.press("j");
    await page.waitForFunction((was) => document.getElementById("detail").innerText !== was, first);
    assert.match(await text("#detail h2"), /tool_result/);
    await page.keyboard.press("G");
    await until("the last is selected and said", () => document.getElementById(document.getElementById("stream").getAttribute("aria-activedescendant"))?.getAttribute("aria-selected") === "true");
    await page.locator("#detail button", { hasText: "Its call" }).click();
    await until("the call", () => document.querySelector("#detail h2").textContent.startsWith("tool_call"));
    await until("none is selected, since the filter hides it", () => !document.getElementById("stream").hasAttribute("aria-activedescendant"));
    await page.keyboard.press("c");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const chosen = await text("#scope");
    assert.notEqual(chosen, "");
    await page.keyboard.press("]");
    assert.notEqual(await text("#scope"), chosen);
    await page.keyboard.press("[");
    assert.equal(await text("#scope"), chosen);
    await page.keyboard.press("3");
    assert.ok(await page.locator("#faults").isVisible());
    await page.keyboard.press("1");
    assert.ok(await page.locator("#messages").isVisible());
    // Each thing that acts can be reached, and has a name.
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button,input,select,textarea,[role=listbox]")].filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label"))).map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
  },

  // Two hundred characters and two thousand messages a second: counts, not times.
  async load() {
    await opened();
    await until("many messages", () => inspector.seen > 4000);
    const before = await page.evaluate(() => inspector.frames);
    const nodes = [];
    const drawn = new Set();
    for (let i = 0; i < 5; i++) {
      const seen = await page.evaluate(() => inspector.seen);
      await until("more messages", (n) => inspector.seen > n + 2000, seen);
      nodes.push(await page.evaluate(() => document.getElementsByTagName("*").length));
      drawn.add(await page.locator("#stream .row:not([hidden]) .time").last().innerText());
    }
    assert.ok((await page.evaluate(() => inspector.frames)) - before >= 5, "frames go on");
    assert.equal(drawn.size, 5, "the list goes on");
    assert.ok(Math.max(...nodes) < 2500, `${nodes} elements`);
    assert.ok(Math.max(...nodes) - Math.min(...nodes) < 100, `the number of elements grows: ${nodes}`);
    assert.equal(await page.locator("#charlist .row").count() < 60, true);
    assert.match(await text("#charfoot"), /^200 here, 200 with an agent/);
    // Who has scrolled back keeps what they read while more comes.
    await page.locator("#stream").hover();
    await page.mouse.wheel(0, -3000);
    await until("it no longer follows", () => /scrolled back/.test(document.getElementById("status").textContent));
    const top = () => page.evaluate(() => { const s = document.getElementById("stream"); return [...s.querySelectorAll(".row:not([hidden])")].find((r) => r.getBoundingClientRect().top >= s.getBoundingClientRect().top).textContent; });
    const was = await top();
    const seen = await page.evaluate(() => inspector.seen);
    await until("more messages", (n) => inspector.seen > n + 2000, seen);
    assert.equal(await top(), was);
    // What the hub counted is what the page counted, but for what it says it was not shown.
    await stop();
    await until("the last batch", async () => { const n = inspector.counted; await new Promise((r) => setTimeout(r, 700)); return n === inspector.counted && inspector.counted - inspector.dropped === inspector.seen; });
    console.log(JSON.stringify(await page.evaluate(() => ({ counted: inspector.counted, seen: inspector.seen, dropped: inspector.dropped, kept: inspector.kept }))));
  },

  // Names and texts that would like to be markup, or more than they are.
  async hostile() {
    await opened();
    await until("characters", () => document.querySelectorAll("#charlist .row:not([hidden])").length >= 3);
    await until("messages", () => inspector.seen >= 8);
    for (const [key, view] of [["1", "messages"], ["3", "faults"], ["2", "tools"]]) {
      await page.keyboard.press(key);
      await page.locator("#" + view).waitFor();
    }
    await page.locator("#charlist .row:not([hidden])").nth(1).click();
    await until("tools", () => document.querySelectorAll("#tools tbody tr").length > 1);
    for (const row of await page.locator("#tools tbody tr").all()) await row.click();
    await page.keyboard.press("1");
    await page.keyboard.press("m");
    await page.keyboard.press("g");
    for (let i = 0; i < 10; i++) {
      await page.keyboard.press("j");
      await until("it is shown", () => document.querySelector("#detail h2"));
    }
    await page.keyboard.press("3");
    await page.locator("#faultlist .row:not([hidden])").first().click();
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("img, iframe, object, embed, svg, a, script:not([src='main.js'])").count(), 0);
    assert.match(await page.locator("#charlist").innerText(), /<img s/);
    assert.match(await page.locator("#charlist .row:not([hidden])").nth(1).getAttribute("title"), /<img src=x onerror=/);
    assert.doesNotMatch(await page.locator("body").innerText(), /\u202e/);
    // The page's own rules would stop it besides.
    const stopped = await page.evaluate(() => { try { document.body.insertAdjacentHTML("beforeend", "<b>x</b>"); return false; } catch { return true; } });
    assert.ok(stopped, "markup can be made of text");
    allowed.push(/TrustedHTML|Trusted Type/);
  },

  async refused() {
    await page.goto(url);
    await until("it says why", () => /an earlier run|no token/.test(document.getElementById("status").textContent));
    allowed.push(/WebSocket|403/);
  },

  async pictures() {
    await opened();
    const shot = (name) => page.screenshot({ path: path.join(folder, name), animations: "disabled" });
    await page.waitForTimeout(Number(process.env.AICC_WARM ?? 20_000));
    await page.keyboard.press("3");
    await page.locator("#faultlist .row:not([hidden])", { hasText: "no answer within" }).first().click();
    await page.locator("#detail button", { hasText: "The last message" }).click();
    await page.click("#pause");
    await page.waitForTimeout(400);
    await shot("inspector-light.png");
    await page.fill("#filter", "");
    await page.keyboard.press("Escape");
    await choose("guard");
    await page.keyboard.press("2");
    await playing();
    for (const name of ["look", "fail", "look", "patrol", "walk_to"]) {
      await tool(name);
      if (name === "patrol") {
        await field("name").fill("night");
        await field("stops[0].x").fill("3");
        await field("stops[0].y").fill("-4");
      }
      if (name === "walk_to") {
        await field("place").selectOption({ label: "tower" });
        await field("speed").fill("2.5");
        for (let i = 0; i < 3; i++) {
          await page.click("#call");
          await page.waitForTimeout(700);
        }
      } else await page.click("#call");
      await until("a result", () => document.querySelector("#detail .result")?.textContent.length > 5);
    }
    await page.click("#call");
    await page.waitForTimeout(500);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForTimeout(600);
    await shot("inspector-dark.png");
    if (process.env.AICC_ALL_PICTURES) {
      await shot("tools-dark.png");
      await page.keyboard.press("3");
      await page.keyboard.press("Escape");
      await page.waitForTimeout(300);
      await page.locator("#faultlist .row:not([hidden])").first().click();
      await shot("faults-dark.png");
      await page.emulateMedia({ colorScheme: "light" });
      await page.keyboard.press("?");
      await page.waitForTimeout(300);
      await shot("help-light.png");
      await page.keyboard.press("Escape");
      await choose("guard");
      await page.keyboard.press("2");
      await tool("patrol");
      await page.click("#call");
      await shot("form-light.png");
      await page.keyboard.press("Escape");
      await page.keyboard.press("1");
      await page.click("#pause");
      await page.waitForTimeout(1200);
      await shot("one-light.png");
      await page.keyboard.press("Escape");
      await page.keyboard.press("2");
      await page.waitForTimeout(600);
      await shot("all-light.png");
      await page.keyboard.press("1");
      await page.setViewportSize({ width: 1728, height: 1000 });
      await page.waitForTimeout(800);
      await shot("wide-light.png");
      for (const width of [1024, 760, 480]) {
        await page.setViewportSize({ width, height: 800 });
        await page.keyboard.press("1");
        await page.waitForTimeout(400);
        await shot(`messages-${width}.png`);
        await choose("guard");
        await page.keyboard.press("2");
        await tool("walk_to");
        await page.waitForTimeout(400);
        await shot(`tools-${width}.png`);
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await page.waitForTimeout(200);
      }
    }
  },
};

Object.assign(scenes, more({ page, context, url, folder, allowed, text, until, choose, opened, tool, field, result, playing, stop }));

try {
  await scenes[scene]();
  const bad = faults.filter((f) => !allowed.some((a) => a.test(f)));
  assert.deepEqual(bad, [], "the page complains");
} catch (e) {
  console.error(e.stack, "\n", faults.join("\n"));
  if (process.env.AICC_SHOT) await page.screenshot({ path: process.env.AICC_SHOT });
  process.exitCode = 1;
} finally {
  await browser.close();
  process.stdin.destroy();
}
