import { createCipheriv, createHash } from "node:crypto";
import type { Ports } from "@parley/service";
import type { AdjustableClock } from "./clock.ts";

/** Seed of reproducible ids and secrets, and the initial time of the frozen clock. */
export interface DeterministicInputs {
  readonly seed: string;
  readonly at: Date;
}

/** Position of one sequence. */
export interface SequenceStep {
  /** Random bytes drawn so far. @units bytes */
  readonly drawn: number;
  /** Timestamp of the last id. @units milliseconds */
  readonly time: number;
  readonly count: number;
}

/** Position of each sequence, by name. */
export type SequencePosition = Readonly<Record<string, SequenceStep>>;

type SequencePhase = "start" | "run";

/** Where a sequence continues in another process. */
export interface SequenceSetting {
  /** Changes when the sequence is moved, so that the other process moves its own once. */
  readonly revision: number;
  readonly phase: SequencePhase;
  readonly step: SequenceStep;
}

/** The sequence of a component in another process, which draws from it. */
export interface SequenceMirror {
  /** -> undefined when the instance is not deterministic */
  setting(): SequenceSetting | undefined;
  /** Records the position that the other process reports. It draws nothing between its report and the save of a snapshot. */
  report(step: SequenceStep | undefined): void;
  /** Moves the sequence beyond the unknown position of a process that has died. */
  skip(): void;
}

/** Clock, ids and random bytes of a local instance. */
export interface InstancePorts {
  /** Ports of one component. Each component has its own sequence, which is independent of the draws of others. */
  of(component: string): Ports;
  /** Like `of`, for a component in another process. `onMove` is called when its sequence was moved. */
  mirror(component: string, onMove: () => void): SequenceMirror;
  /** -> undefined when the instance is not deterministic, or before the seed is saved */
  position(): SequencePosition | undefined;
  /** Deterministic instances only: continues each sequence after the seed at this position. @shape undefined: the beginning */
  resumeAt(position: SequencePosition | undefined): void;
  /** Deterministic instances only: advances each sequence to this position if it is further, because ids up to it exist. */
  advancePast(position: SequencePosition | undefined): void;
}

/** First value of an id's counter within a millisecond, for deterministic ids: ids after the seed sort after those before it. */
const FIRST_COUNTER: Readonly<Record<SequencePhase, number>> = { start: 0, run: 0x4000_0000 };
const COUNTER_MAX = 0xffff_ffff;
const START_STEP: SequenceStep = { drawn: 0, time: -1, count: 0 };
/** Distance by which `skip` moves a sequence: more than a process draws. */
const SKIP = { bytes: 2 ** 32, ids: 2 ** 20 };
/** Block size of the cipher. @units bytes */
const BLOCK_BYTES = 16;

/** Pseudo-random bytes derived from a seed, from a position of their sequence on. */
const deterministicBytes = (seed: string, from: number): Ports["random"] => {
  const counter = Buffer.alloc(BLOCK_BYTES);
  counter.writeBigUInt64BE(BigInt(Math.floor(from / BLOCK_BYTES)), BLOCK_BYTES / 2);
  const cipher = createCipheriv("aes-256-ctr", createHash("sha256").update(seed).digest(), counter);
  cipher.update(Buffer.alloc(from % BLOCK_BYTES));
  return (count) => cipher.update(Buffer.alloc(count));
};

/** UUID version 7 (`0199…-….-7…`): 48 bits of time, 32 bits of a counter, random bits. @spec RFC 9562 */
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

/** Id and byte sequence of one component. */
interface Sequence extends Pick<Ports, "newId" | "random"> {
  step(): SequenceStep;
}

/** Ids ascend as long as the clock does, also while it is frozen. */
const sequenceFrom = (
  { drawn, time, count }: SequenceStep,
  { now, random, first }: Pick<Ports, "now" | "random"> & { readonly first: () => number },
): Sequence => {
  const bytes: Ports["random"] = (byteCount) => {
    drawn += byteCount;
    return random(byteCount);
  };
  return {
    step: () => ({ drawn, time, count }),
    random: bytes,
    newId() {
      const nowMs = Math.max(0, now().getTime());
      if (nowMs !== time) [time, count] = [nowMs, first()];
      else if (++count > COUNTER_MAX) [time, count] = [time + 1, 0];
      return uuidOf(time, count, bytes(6));
    },
  };
};

interface SequenceDeps extends Pick<Ports, "now" | "random"> {
  readonly deterministic: Pick<DeterministicInputs, "seed"> | undefined;
}

const openSequence = (
  component: string,
  { phase, step }: Omit<SequenceSetting, "revision">,
  { now, random, deterministic }: SequenceDeps,
): Sequence =>
  sequenceFrom(step, {
    now,
    random: deterministic
      ? deterministicBytes(JSON.stringify([deterministic.seed, component, phase]), step.drawn)
      : random,
    // Ids are predictable only in deterministic mode.
    first: () => (deterministic ? FIRST_COUNTER[phase] : random(4).readUInt32BE() >>> 1),
  });

/** Ports of a component in a process that follows the instance; its sequence continues where the instance's `SequenceMirror` says. */
export function followingPorts(
  component: string,
  { random }: Pick<Ports, "random">,
  { now, onJump }: Pick<AdjustableClock, "now" | "onJump">,
  deterministic?: Pick<DeterministicInputs, "seed">,
) {
  const deps = { now, random, deterministic };
  let revision = -1;
  let sequence = openSequence(component, { phase: "start", step: START_STEP }, deps);
  const ports: Omit<Ports, "monotonicMs"> = {
    now,
    onJump,
    newId: () => sequence.newId(),
    random: (count) => sequence.random(count),
  };
  return {
    ports,
    /** -> undefined when the instance is not deterministic */
    step: () => (deterministic ? sequence.step() : undefined),
    set(setting: SequenceSetting | undefined) {
      if (!setting || setting.revision === revision) return;
      ({ revision } = setting);
      sequence = openSequence(component, setting, deps);
    },
  };
}

export function createInstancePorts(
  { random, monotonicMs }: Pick<Ports, "random" | "monotonicMs">,
  clock: Pick<AdjustableClock, "now" | "onJump">,
  deterministic?: Pick<DeterministicInputs, "seed">,
): InstancePorts {
  const { now, onJump } = clock;
  const deps = { now, random, deterministic };
  const sequences = new Map<string, { sequence: Sequence; moved(): void }>();
  let phase: SequencePhase = "start";

  const sequenceOf = (component: string, step: SequenceStep): Sequence =>
    openSequence(component, { phase, step }, deps);
  const add = (component: string, moved: () => void) => {
    const current = { sequence: sequenceOf(component, START_STEP), moved };
    sequences.set(component, current);
    return current;
  };

  return {
    of(component) {
      const current = add(component, () => undefined);
      return {
        now,
        monotonicMs,
        onJump,
        newId: () => current.sequence.newId(),
        random: (count) => current.sequence.random(count),
      };
    },
    mirror(component, onMove) {
      let revision = 0;
      const moved = () => {
        revision += 1;
        onMove();
      };
      const current = add(component, moved);
      const moveTo = (step: SequenceStep) => void (current.sequence = sequenceOf(component, step));
      return {
        setting: () => (deterministic ? { revision, phase, step: current.sequence.step() } : undefined),
        report: (step) => step && moveTo(step),
        skip() {
          const { drawn, time, count } = current.sequence.step();
          moveTo({ drawn: drawn + SKIP.bytes, time, count: count + SKIP.ids });
          moved();
        },
      };
    },
    position() {
      if (!deterministic || phase === "start") return undefined;
      return Object.fromEntries([...sequences].map(([component, { sequence }]) => [component, sequence.step()]));
    },
    resumeAt(position = {}) {
      if (!deterministic) return;
      phase = "run";
      for (const [component, current] of sequences) {
        current.sequence = sequenceOf(component, position[component] ?? START_STEP);
        current.moved();
      }
    },
    advancePast(position = {}) {
      if (!deterministic || phase === "start") return;
      for (const [component, current] of sequences) {
        const step = position[component];
        if (!step || step.drawn <= current.sequence.step().drawn) continue;
        current.sequence = sequenceOf(component, step);
        current.moved();
      }
    },
  };
}
