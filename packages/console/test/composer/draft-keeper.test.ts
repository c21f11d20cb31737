import { describe, expect, test } from "@jest/globals";
import { createDraftKeeper, DRAFT_RULES, type DraftText } from "../../src/composer/draft-keeper.ts";

/** A clock that tests move, and its due functions. */
const createClock = () => {
  let now = 1_000_000;
  let due: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => now,
    later: (run: () => void, delayMs: number) => {
      const entry = { at: now + delayMs, run };
      due.push(entry);
      return () => void (due = due.filter((each) => each !== entry));
    },
    wait: async (ms: number) => {
      now += ms;
      const runnable = due.filter(({ at }) => at <= now);
      due = due.filter(({ at }) => at > now);
      for (const { run } of runnable) run();
      // Started work has ended after some turns.
      await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
};

class Conflict extends Error {}

interface Stored {
  readonly text: string;
  readonly updated_time: string;
}

const harness = () => {
  const clock = createClock();
  const saves: string[] = [];
  const errors: unknown[] = [];
  const kept: (string | undefined)[] = [];
  let failures = 0;
  let stored: Stored | undefined;
  let saved = 0;
  /** A service: it refuses a text that was not made from its draft. */
  const save = async ({ text, parts }: DraftText, basedOn: string): Promise<string> => {
    await Promise.resolve();
    if (failures > 0) {
      failures -= 1;
      throw new Error("refused");
    }
    if (stored && stored.updated_time !== basedOn) throw new Conflict();
    saves.push(`${text}${parts.length > 0 ? ` +${parts.length}` : ""}`);
    const updated_time = `2026-01-01T00:01:${String(++saved).padStart(2, "0")}.000Z`;
    stored = text === "" && parts.length === 0 ? undefined : { text, updated_time };
    return stored ? updated_time : "";
  };
  const keeper = createDraftKeeper({
    save,
    read: async () => Promise.resolve(stored && { ...stored, parts: [] }),
    isConflict: (error) => error instanceof Conflict,
    isTemporary: () => true,
    keep: (draft) => kept.push(draft?.content.text),
    now: clock.now,
    later: clock.later,
    onError: (error) => errors.push(error),
  });
  return {
    keeper,
    saves,
    errors,
    failNext: (times = 1) => (failures = times),
    wait: clock.wait,
    /** The text that the browser keeps at present. */
    kept: () => kept.at(-1),
    stored: () => stored?.text,
    saveElsewhere: (text: string) => {
      stored =
        text === "" ? undefined : { text, updated_time: `2026-01-01T00:02:${String(++saved).padStart(2, "0")}.000Z` };
    },
  };
};

const remote = (text: string, time: string) => ({ text, parts: [], updated_time: time });

test("a draft is saved once, when nothing was typed for a while", async () => {
  const { keeper, saves, wait } = harness();
  keeper.change({ text: "a" });
  await wait(DRAFT_RULES.saveMs / 2);
  keeper.change({ text: "ab" });
  await wait(DRAFT_RULES.saveMs / 2);
  expect(saves).toEqual([]);
  await wait(DRAFT_RULES.saveMs);
  expect(saves).toEqual(["ab"]);
  await wait(60_000);
  expect(saves).toEqual(["ab"]);
});

test("leaving saves unsaved text at once", async () => {
  const { keeper, saves } = harness();
  keeper.change({ text: "a" });
  await Promise.all([keeper.flush(), keeper.flush()]);
  expect(saves).toEqual(["a"]);
});

test("a sent message empties the draft, which is deleted when the message is confirmed", async () => {
  const { keeper, saves, wait } = harness();
  keeper.change({ text: "a" });
  await wait(2_000);
  keeper.clear();
  expect(keeper.content.get()).toEqual({ text: "", parts: [] });
  await wait(10_000);
  expect(saves).toEqual(["a"]);
  await keeper.flush();
  expect(saves).toEqual(["a", ""]);
});

test("a draft that could not be saved is kept by the browser, and saved again until it succeeds, without a further change", async () => {
  const { keeper, saves, errors, failNext, kept, wait } = harness();
  failNext(2);
  keeper.change({ text: "a" });
  expect(kept()).toBe("a");
  await wait(DRAFT_RULES.saveMs);
  expect([errors.length, keeper.isChanged(), kept()]).toEqual([1, true, "a"]);
  await wait(DRAFT_RULES.retryMs);
  expect([errors.length, saves]).toEqual([2, []]);
  await wait(DRAFT_RULES.retryMs * 2);
  expect([saves, keeper.isChanged(), kept()]).toEqual([["a"], false, undefined]);
});

describe("a draft that was changed elsewhere meanwhile", () => {
  test.each([
    ["only elsewhere: it is taken over", "", "there", "there"],
    ["on both sides: both texts stay, that of this page first", "here", "there", "here\n\nthere"],
    ["elsewhere to the beginning of this draft: this draft stays", "here and now", "here", "here and now"],
    ["on both sides, there it was deleted: this one stays", "here", "", "here"],
  ])("%s", async (_, own, other, expected) => {
    const { keeper, stored, saveElsewhere, kept, wait } = harness();
    if (own !== "") keeper.change({ text: own });
    saveElsewhere(other);
    if (own === "") keeper.adopt(other === "" ? undefined : remote(other, "2026-01-01T00:02:01.000Z"));
    await wait(DRAFT_RULES.saveMs);
    await wait(0);
    expect([keeper.content.get().text, stored(), kept()]).toEqual([expected, expected, undefined]);
  });

  test("a text that was deleted here does not come back when the service only has a later time for it", async () => {
    const { keeper, stored, saveElsewhere, wait } = harness();
    keeper.change({ text: "a longer text" });
    await wait(DRAFT_RULES.saveMs);
    saveElsewhere("a longer text");
    keeper.change({ text: "a text" });
    await wait(DRAFT_RULES.saveMs);
    await wait(0);
    expect([keeper.content.get().text, stored()]).toEqual(["a text", "a text"]);
  });
});

describe("what the browser kept", () => {
  const entry = (text: string) => ({ content: { text, parts: [] }, saved: { text: "", parts: [] }, savedTime: "" });

  test("of an earlier page is shown and saved", async () => {
    const { keeper, saves, kept, wait } = harness();
    keeper.follow(entry("before the reload"));
    expect(keeper.content.get().text).toBe("before the reload");
    keeper.adopt(remote("older", "2026-01-01T00:00:01.000Z"));
    expect(keeper.content.get().text).toBe("before the reload");
    await wait(DRAFT_RULES.otherTabMs);
    expect([saves, kept()]).toEqual([["before the reload"], undefined]);
  });

  test("of another tab is shown, and not saved twice if that tab saves it", async () => {
    const { keeper, saves, wait } = harness();
    keeper.follow(entry("in the other tab"));
    keeper.follow(undefined);
    await wait(60_000);
    expect([keeper.content.get().text, saves, keeper.isChanged()]).toEqual(["in the other tab", [], false]);
  });

  test("of another tab is saved here if that tab was closed before", async () => {
    const { keeper, saves, wait } = harness();
    keeper.follow(entry("in the other tab"));
    await wait(DRAFT_RULES.otherTabMs);
    expect(saves).toEqual(["in the other tab"]);
  });

  test("does not replace text that was typed here since then", async () => {
    const { keeper, saves, wait } = harness();
    keeper.follow(entry("in the other tab"));
    keeper.change({ text: "in the other tab, and here" });
    keeper.follow(undefined);
    expect(keeper.isChanged()).toBe(true);
    await wait(DRAFT_RULES.saveMs);
    expect(saves).toEqual(["in the other tab, and here"]);
  });
});

test("the draft of another device is taken over if nothing is being written here", async () => {
  const { keeper, saves, wait } = harness();
  keeper.adopt(remote("there", "2026-01-01T00:00:01.000Z"));
  expect(keeper.content.get().text).toBe("there");
  await wait(10_000);
  expect(saves).toEqual([]);
  keeper.adopt(undefined);
  expect(keeper.content.get().text).toBe("");
});

test("it is not taken over while the agent types, and not if it is older", async () => {
  const { keeper, wait } = harness();
  keeper.adopt(remote("newer", "2026-01-01T00:00:02.000Z"));
  keeper.adopt(remote("older", "2026-01-01T00:00:01.000Z"));
  expect(keeper.content.get().text).toBe("newer");
  keeper.change({ text: "typed" });
  keeper.adopt(remote("there", "2026-01-01T00:00:03.000Z"));
  expect(keeper.content.get().text).toBe("typed");
  await wait(DRAFT_RULES.typingMs + DRAFT_RULES.saveMs);
  keeper.adopt(remote("there", "2026-01-01T00:03:00.000Z"));
  expect(keeper.content.get().text).toBe("there");
});

test("an attachment whose address was signed anew is the same", async () => {
  const { keeper, saves, wait } = harness();
  keeper.change({ parts: [{ image: { url: "/objects/1?signature=a" } }] });
  await wait(DRAFT_RULES.typingMs + DRAFT_RULES.saveMs);
  expect(saves).toEqual([" +1"]);
  keeper.change({ parts: [{ image: { url: "/objects/1?signature=b" } }] });
  await wait(10_000);
  expect(saves).toEqual([" +1"]);
});
