import { expect, test } from "@jest/globals";
import { createDraftKeeper, DRAFT_RULES, type DraftContent } from "../../src/composer/draft-keeper.ts";

/** A clock that tests move, and what is due on it. */
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
      // What was started has ended after some turns.
      await new Promise((resolve) => setTimeout(resolve, 1));
    },
  };
};

const harness = () => {
  const clock = createClock();
  const saves: string[] = [];
  const errors: unknown[] = [];
  let failures = 0;
  const keeper = createDraftKeeper({
    save: async ({ text, isPrivate, parts }: DraftContent) => {
      await Promise.resolve();
      if (failures > 0) {
        failures -= 1;
        throw new Error("refused");
      }
      saves.push(`${text}${isPrivate ? " (note)" : ""}${parts.length > 0 ? ` +${parts.length}` : ""}`);
    },
    now: clock.now,
    later: clock.later,
    onError: (error) => errors.push(error),
  });
  return {
    keeper,
    saves,
    errors,
    failNext: () => (failures = 1),
    wait: clock.wait,
  };
};

const remote = (text: string, time: string) => ({ text, is_private: false, parts: [], updated_time: time });

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

test("leaving saves at once what is not saved", async () => {
  const { keeper, saves } = harness();
  keeper.change({ text: "a", isPrivate: true });
  await keeper.flush();
  await keeper.flush();
  expect(saves).toEqual(["a (note)"]);
});

test("the mode of an empty message is not saved", async () => {
  const { keeper, saves, wait } = harness();
  keeper.change({ isPrivate: true });
  await wait(10_000);
  expect(saves).toEqual([]);
});

test("a sent message empties the draft, which is deleted when the message is confirmed", async () => {
  const { keeper, saves, wait } = harness();
  keeper.change({ text: "a", isPrivate: true });
  await wait(2_000);
  keeper.clear();
  expect(keeper.content.get()).toEqual({ text: "", isPrivate: true, parts: [] });
  await wait(10_000);
  expect(saves).toEqual(["a (note)"]);
  await keeper.flush();
  expect(saves).toEqual(["a (note)", " (note)"]);
});

test("a draft that could not be saved stays, and is saved with the next change", async () => {
  const { keeper, saves, errors, failNext, wait } = harness();
  failNext();
  keeper.change({ text: "a" });
  await wait(2_000);
  expect(errors).toHaveLength(1);
  expect(keeper.isChanged()).toBe(true);
  keeper.change({ text: "ab" });
  await wait(2_000);
  expect(saves).toEqual(["ab"]);
  expect(keeper.isChanged()).toBe(false);
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
  keeper.adopt(remote("there", "2026-01-01T00:00:04.000Z"));
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
