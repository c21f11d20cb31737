import { bell } from "../events/bell.ts";
import type { LogRow } from "../events/db/log.ts";
import type { Access } from "./access.ts";
import { placeText, signOf, type Place } from "./place.ts";
import type { Reading } from "./reading.ts";
import type { StreamRules } from "./rules.ts";
import type { Texts } from "./texts.ts";

export interface TellingDeps {
  readonly reading: Reading;
  readonly texts: Texts;
  readonly rules: Pick<StreamRules, "beatMs">;
}

export interface Told {
  readonly accountId: number;
  readonly access: Access;
  /** Only events about it. */
  readonly conversationId: string | undefined;
  /** Where it begins: what follows is told. */
  readonly from: Place;
  readonly signal: AbortSignal;
}

/** One event as it goes over the wire; JSON has no line ends of its own. */
const eventText = ({ seq, id, kind }: LogRow, text: string): string =>
  `id: ${placeText({ seq, sign: signOf(id) })}\nevent: ${kind}\ndata: ${text}\n\n`;

/** Where the reader goes on from, also when nothing that it hears of happened: it need not look through the log again. */
export const placeLine = (place: Place): string => `id: ${placeText(place)}\n`;

/**
 * Tells an account's events from a place in the log on, in the log's order, as fast as they are taken, until the signal.
 * @errors what reading the log failed with
 */
export async function* telling({ reading, texts, rules }: TellingDeps, told: Told): AsyncGenerator<string, void> {
  const { accountId, access, conversationId, from, signal } = told;
  const isHeard = ({ kind, entity_id }: LogRow) =>
    access.kinds.has(kind) && (conversationId === undefined || entity_id === conversationId);
  const rung = bell();
  const wake = () => rung.ring();
  const leave = reading.follow(accountId, wake);
  signal.addEventListener("abort", wake);
  let position = from.seq;
  let said = from.seq;
  let beat = performance.now() + rules.beatMs;

  /** A sign of life, with the place if it is another one than the reader knows. */
  const sign = (): string => {
    beat = performance.now() + rules.beatMs;
    const last = reading.last();
    if (!last || last.seq <= said || last.seq > position) return ": still here\n\n";
    said = last.seq;
    return `: still here\n${placeLine(last)}\n`;
  };

  try {
    while (!signal.aborted) {
      const { rows, reached } = await reading.after(accountId, position);
      const heard = rows.filter(isHeard);
      const made = await Promise.all(heard.map(({ seq }) => texts(seq, access)));
      for (const [index, row] of heard.entries()) {
        const text = made[index];
        if (text === undefined) continue;
        said = row.seq;
        yield eventText(row, text);
        beat = performance.now() + rules.beatMs;
        if (signal.aborted) return;
      }
      position = reached;
      if (performance.now() >= beat) yield sign();
      if (position >= (reading.horizon() ?? 0)) await rung.wait(Math.max(1, beat - performance.now()));
    }
  } finally {
    signal.removeEventListener("abort", wake);
    leave();
  }
}
