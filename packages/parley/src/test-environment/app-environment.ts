import type { AdjustableClock, ClockSetting } from "./clock/clock.ts";
import type { SequenceMirror, SequenceSetting, InstancePorts } from "./clock/ports.ts";
import type { InjectedFaults } from "./fault/faults.ts";

/** State of the test environment that apps notice. */
export interface AppEnvironmentState {
  readonly clock: ClockSetting;
  /** Whether requests of apps may meet a fault. */
  readonly hasAppFaults: boolean;
  /** Absent when ids are random. */
  readonly sequence: SequenceSetting | undefined;
}

/** Clock, ids and faults of an instance, for the process of the app hosts. */
export interface AppEnvironment {
  state(): AppEnvironmentState;
  /** Registers the receiver of each new state. It resolves when the state is in effect. Changes in the meantime are passed on together. */
  follow(receiver: (state: AppEnvironmentState) => Promise<void>): void;
  /** Resolves when all changes so far are in effect. */
  applied(): Promise<void>;
  readonly sequence: SequenceMirror;
}

interface AppEnvironmentDeps {
  readonly clock: AdjustableClock;
  readonly faults: InjectedFaults;
  readonly instancePorts: InstancePorts;
}

export function openAppEnvironment({ clock, faults, instancePorts }: AppEnvironmentDeps): AppEnvironment {
  let receiver: ((state: AppEnvironmentState) => Promise<void>) | undefined;
  let isDirty = false;
  let passing: Promise<void> | undefined;

  const pass = async () => {
    while (isDirty) {
      isDirty = false;
      // A process that has ended gets the state at its next start.
      await receiver?.(state()).catch(() => undefined);
    }
    passing = undefined;
  };
  const changed = () => {
    if (!receiver) return;
    isDirty = true;
    passing ??= pass();
  };
  const sequence = instancePorts.mirror("app", changed);
  const state = (): AppEnvironmentState => ({
    clock: clock.setting(),
    hasAppFaults: faults.hasOutgoing(),
    sequence: sequence.setting(),
  });
  clock.onChange(changed);
  faults.onChange(changed);

  return {
    state,
    follow: (next) => void (receiver = next),
    applied: async () => passing,
    sequence,
  };
}
