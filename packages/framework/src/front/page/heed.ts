import type { Instances } from "./instances.ts";

/** What the app says to an action of the agent. */
export interface Word {
  readonly ok: boolean;
  readonly message: string;
}

/** @units milliseconds */
const PATIENCE = 10_000;
const GO_ON: Word = { ok: true, message: "" };

/**
 * Tells the app of what an agent is about to do, and waits for those who want to have a say.
 * @assumed An app that says nothing in ten seconds lets the action go on.
 */
export const heed = (instances: Instances) => {
  const waiting = new Map<number, (word: Word) => void>();
  let asked = 0;

  const ask = (instance: ReturnType<Instances["all"]>[number], event: string, data: unknown) =>
    new Promise<Word>((resolve) => {
      const id = (asked += 1);
      const timer = setTimeout(() => answer(id, GO_ON), PATIENCE);
      waiting.set(id, (word) => {
        clearTimeout(timer);
        resolve(word);
      });
      instance.tell({ t: "event", event, data, id });
    });
  const answer = (id: number, word: Word) => {
    waiting.get(id)?.(word);
    waiting.delete(id);
  };

  return {
    answer,
    async before(event: string, data: unknown): Promise<Word> {
      const words = instances.all().map(async (instance) => {
        const listens = instance.listens(event);
        if (listens?.intercept) return ask(instance, event, data);
        if (listens) instance.tell({ t: "event", event, data });
        return GO_ON;
      });
      return (await Promise.all(words)).find(({ ok }) => !ok) ?? GO_ON;
    },
  };
};
export type Heed = ReturnType<typeof heed>;
