// More scenes for drive.mjs: calls side by side, other runs and worlds, and narrow windows.
import assert from "node:assert/strict";

export const more = ({ page, context, url, folder, allowed, text, until, choose, opened, tool, field, result, playing, stop }) => ({
  // Calls go on side by side, each with its own result.
  async many() {
    await opened();
    await choose("guard");
    await page.keyboard.press("2");
    await until("tools", () => document.querySelectorAll("#tools tbody tr").length === 4);
    await tool("wait");
    await playing();
    await page.click("#call");
    assert.match(await result().innerText(), /One thing is missing or wrong; nothing was sent/);
    await field("why").fill("to see");
    await page.click("#call");
    await until("it is under way", () => document.querySelectorAll("#detail .came.waits").length === 1);
    assert.doesNotMatch(await result().innerText(), /nothing was sent/);
    await tool("odd");
    assert.ok(await page.locator("#call").isEnabled(), "another tool can be called meanwhile");
    await tool("wait");
    for (let i = 2; i <= 16; i++) {
      await page.click("#call");
      await until(`${i} under way`, (n) => document.querySelectorAll("#detail .came.waits").length === n, i);
    }
    assert.ok(await page.locator("#call").isDisabled());
    assert.match(await text("#detail form"), /16 calls are under way, which is the most: wait for one/);

    const second = await context.newPage(); // another page can tell that this one plays
    await second.goto(url);
    await second.locator("#charlist .row:not([hidden])", { hasText: "guard" }).first().click();
    await second.locator("#tab-tools").click();
    await second.locator("#tools .who", { hasText: "Another page of the inspector plays it by hand." }).waitFor({ timeout: 20_000 });
    assert.equal(await second.locator("#charlist .mark.hand").count(), 1);
    await second.close();

    await page.click("#hand"); // who leaves gets no results
    await until("left", () => document.getElementById("hand")?.textContent === "Play by hand");
    assert.match(await result().innerText(), /the session was closed while the call was open/);
    assert.equal(await page.locator("#detail .came.waits").count(), 0);
    await until("none is open", () => document.querySelector("#m-open b").textContent === "0");
    await playing();
    await page.click("#call");
    await until("it is under way", () => document.querySelectorAll("#detail .came.waits").length === 1);
    await tool("wave");
    await page.click("#call");
    await until("a result of the second", () => document.querySelector("#detail .result").textContent.includes("Done in"));
    await tool("wait");
    await until("a result of the first", () => /"waved": true/.test(document.querySelector("#detail details.came[open]")?.textContent));

    await tool("say"); // when to call again is a number
    await page.click("#call");
    await until("a result", () => document.querySelector("#detail .result").textContent.includes("Done in"));
    await page.click("#call");
    await until("a refusal", () => /call again after \d+\.\d s\./.test(document.querySelector("#detail details.came[open]")?.textContent));
    await until("the refusal does not count as time taken", () => [...document.querySelectorAll("#tools tbody tr")].some((r) => r.cells[0].textContent === "say" && r.cells[4].textContent === "1" && r.cells[5].textContent === "1"));

    await tool("odd"); // numbers keep their digits, and 1 is not "1"
    assert.match(await text("#detail form"), /at least 9007199254740993 · whole/);
    assert.deepEqual(await field("pick").locator("option").allInnerTexts(), ["not given", "1", '"1"', "two"]);
    await field("n").fill("9007199254740992");
    await page.click("#call");
    assert.match(await result().innerText(), /n: at least 9007199254740993 is wanted/);
    await field("n").fill("9007199254740995");
    await field("pick").selectOption({ label: '"1"' });
    await page.locator("#detail button", { hasText: /^JSON$/ }).click();
    assert.match(await page.locator('#detail textarea[aria-label="The input as JSON"]').inputValue(), /"n": 9007199254740995,/);
    await page.locator("#detail button", { hasText: /^Form$/ }).click();
    assert.equal(await field("n").inputValue(), "9007199254740995");
    await page.click("#call");
    await until("a result", () => document.querySelector("#detail .result").textContent.includes("Done in"));
    await page.locator("#detail button", { hasText: "Input schema" }).click();
    assert.match(await text("#detail"), /"minimum": 9007199254740993/);

    await page.reload(); // who was chosen, the view and the tool are kept
    await until("where one was", () => document.getElementById("scope").textContent === "guard" && document.getElementById("tab-tools").getAttribute("aria-selected") === "true" && document.querySelector("#detail h2")?.textContent === "odd" && document.querySelector('#detail [data-path="n"]'));
    assert.equal(await page.locator('#tools tbody tr[aria-selected="true"]').innerText().then((t) => t.split("\t")[0]), "odd");
  },

  // The URL of a run that came later, opened in the same tab.
  async anew() {
    await page.goto(url);
    await until("it says why", () => /an earlier run/.test(document.getElementById("status").textContent));
    await page.evaluate(() => { window.same = true; });
    await page.goto(folder);
    await until("it is connected", () => document.querySelector("#status span")?.textContent === "connected");
    assert.equal(await page.evaluate(() => window.same), true, "the page was not loaded again");
    assert.ok(!page.url().includes("#"), "the token stays out of the address");
    await page.reload();
    await until("it is connected again", () => document.querySelector("#status span")?.textContent === "connected");
    allowed.push(/WebSocket|403/);
  },

  async replaced() {
    await opened();
    await choose("guard");
    await page.keyboard.press("2");
    await playing();
    await stop();
    await until("it says why", () => /no longer here.\s*The world has ended or was replaced: if the character is here again, choose it again/.test(document.querySelector("#tools .bar").textContent));
    assert.doesNotMatch(await text("#tools .bar"), /no longer listens/);
    await choose("guard");
    await playing();
  },

  async names() {
    await opened();
    await stop();
    const distinct = async (selector) => {
      const all = await page.locator(selector).allInnerTexts();
      const numbers = new Set(all.filter((n) => n.includes("villager") || n.includes("…")).map((n) => /\d+$/.exec(n)?.[0]));
      assert.ok(numbers.size > 5 && !numbers.has(undefined), `${selector}: ${all}`);
    };
    const cut = (selector) => page.locator(selector).evaluateAll((all) => all.filter((e) => e.textContent && e.scrollWidth > e.clientWidth).map((e) => e.textContent));
    await until("messages", () => inspector.seen > 300);
    for (const width of [1280, 1024, 760]) {
      await page.setViewportSize({ width, height: 800 });
      await page.fill("#filter", "-type:session");
      await until(`names at ${width} px have room`, () => [...document.querySelectorAll("#stream .row:not([hidden]) .who, #charlist .row:not([hidden]) span:nth-child(2)")].every((e) => e.scrollWidth <= e.clientWidth));
      await until("the others", () => document.querySelectorAll("#stream .row:not([hidden])").length > 5);
      await distinct("#stream .row:not([hidden]) .who");
      await distinct("#charlist .row:not([hidden]) span:nth-child(2)");
      assert.deepEqual(await cut("#stream .row:not([hidden]) .time, #stream .row:not([hidden]) .type, button:visible"), []);
      await page.fill("#filter", "type:session_close");
      await until("it alone", () => document.querySelectorAll("#stream .row:not([hidden])").length === 1);
      assert.equal(await text("#stream .row:not([hidden]) .content"), "the harbour is closed for the night, come back when the gulls cry");
      const { room, wanted, list, tall } = await page.evaluate(() => {
        const g = document.createElement("canvas").getContext("2d"), all = ["filter", "find"].map((id) => document.getElementById(id)), s = getComputedStyle(all[0]);
        g.font = `${s.fontSize} ${s.fontFamily}`;
        return { room: all.map((e) => e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight)), wanted: all.map((e) => g.measureText(e.placeholder).width), list: document.getElementById("stream").clientWidth, tall: document.getElementById("stream").clientHeight };
      });
      assert.ok(wanted.every((w, i) => w <= 1.25 * room[i]), /* fonts differ from machine to machine */ `the placeholders want ${wanted} of ${room} px at ${width}`);
      assert.ok(list >= 500 && tall >= 150, `the messages have ${list} by ${tall} px at ${width}`);
    }
  },
});
