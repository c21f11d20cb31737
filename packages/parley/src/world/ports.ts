import { createCipheriv, createHash } from "node:crypto";
import type { Ports } from "@parley/service";
import type { WorldClock } from "./clock/clock.ts";

/** Ids and secrets that are the same in each run, and where the clock stands at the beginning. */
export interface Still {
  readonly seed: string;
  readonly at: Date;
}

/** Where the time, ids and secrets of a world come from. */
export interface WorldPorts {
  /** Of one part of the world: what others ask for does not change what it gets. */
  of(part: string): Ports;
  /** Held still, each part begins a sequence anew: the one of what follows the seed. */
  restart(): void;
}

type Phase = "start" | "run";

/** Where the counter in the ids of a millisecond begins, held still: what follows the seed sorts after it. */
const FIRST: Readonly<Record<Phase, number>> = { start: 0, run: 0x4000_0000 };
const MOST = 0xffff_ffff;

/** Bytes that follow from their seed alone. */
const stillBytes = (seed: string): Ports["random"] => {
  const cipher = createCipheriv("aes-256-ctr", createHash("sha256").update(seed).digest(), Buffer.alloc(16));
  return (count) => cipher.update(Buffer.alloc(count));
};

/** `0199…-….-7…`: 48 bits of time, a counter of 32, the rest anything. @spec RFC 9562 */
const uuidOf = (time: number, count: number, rest: Buffer): string => {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(time, 0, 6);
  bytes[6] = 0x70 | (count >>> 28);
  bytes[7] = (count >>> 20) & 0xff;
  bytes[8] = 0x80 | ((count >>> 14) & 0x3f);
  bytes[9] = (count >>> 6) & 0xff;
  rest.copy(bytes, 10, 0, 6);
  bytes[10] = ((count << 2) & 0xfc) | ((rest[0] ?? 0) & 0x03);
  const text = bytes.toString("hex");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
};

/** Ids that ascend as long as the clock does, also while it stands. */
const idsFrom = ({ now, random }: Pick<Ports, "now" | "random">, first: () => number): (() => string) => {
  let last = -1;
  let count = 0;
  return () => {
    const time = Math.max(0, now().getTime());
    if (time !== last) [last, count] = [time, first()];
    else if (++count > MOST) [last, count] = [last + 1, 0];
    return uuidOf(last, count, random(6));
  };
};

export function worldPorts(
  { random }: Pick<Ports, "random">,
  clock: Pick<WorldClock, "now" | "onJump">,
  still?: Pick<Still, "seed">,
): WorldPorts {
  const { now, onJump } = clock;
  const restarts: (() => void)[] = [];
  let phase: Phase = "start";

  const of = (part: string): Ports => {
    const begin = (): Pick<Ports, "newId" | "random"> => {
      const bytes = still ? stillBytes(JSON.stringify([still.seed, part, phase])) : random;
      // Not predictable but where it is wished for.
      const first = () => (still ? FIRST[phase] : bytes(4).readUInt32BE() >>> 1);
      return { random: bytes, newId: idsFrom({ now, random: bytes }, first) };
    };
    let source = begin();
    restarts.push(() => {
      source = begin();
    });
    return { now, onJump, newId: () => source.newId(), random: (count) => source.random(count) };
  };

  return {
    of,
    restart() {
      phase = "run";
      if (still) for (const restart of restarts) restart();
    },
  };
}
