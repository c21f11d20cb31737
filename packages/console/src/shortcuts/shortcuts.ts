import { useRef } from "react";
import { useEffect } from "../state/effects.ts";
import { createStore } from "../state/store.ts";
import { commandsWithKeys } from "./command-keys.ts";
import { isForField, isForOverlay, pressedKey, type ShortcutKeys } from "./keys.ts";
import { letterSetting } from "./letter-setting.ts";

/** Sections of the list of shortcuts. */
export const SHORTCUT_GROUPS = ["general", "list", "selection", "conversation", "composer"] as const;
export type ShortcutGroup = (typeof SHORTCUT_GROUPS)[number];

/** Something that can be done by keys and by the palette of commands. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: ShortcutGroup;
  /** Absent: the palette only. */
  readonly keys?: ShortcutKeys;
  /** Also while a field has the focus; for keys with Ctrl and Escape only. */
  readonly worksInFields?: boolean;
  readonly run: () => void;
}

/** Commands of the parts that are shown at present, by id. */
export const commands = createStore<ReadonlyMap<string, Command>>(new Map());

/** How long the second key of a sequence may take. @units milliseconds */
const SEQUENCE_MS = 1_000;

let firstKey: { readonly key: string; readonly at: number } | undefined;

const onKeyDown = (event: KeyboardEvent): void => {
  const key = pressedKey(event);
  if (key === undefined || event.defaultPrevented || event.isComposing) return;
  if (isForOverlay(event.target)) return;
  const inField = isForField(event.target);
  const isSingle = !key.startsWith("Ctrl+") && key !== "Escape";
  if (isSingle && (inField || !letterSetting.get())) return;
  const sequence = firstKey && event.timeStamp - firstKey.at < SEQUENCE_MS ? `${firstKey.key} ${key}` : undefined;
  const all = commandsWithKeys(commands.get().values()).filter(
    ({ worksInFields = false }) => worksInFields || !inField,
  );
  // A command without keys is for the palette only.
  const commandOf = (pressed: string | undefined) =>
    pressed === undefined ? undefined : all.find(({ keys }) => keys === pressed);
  const found = commandOf(sequence) ?? commandOf(key);
  firstKey = undefined;
  if (found) {
    event.preventDefault();
    found.run();
  } else if (all.some(({ keys }) => keys?.startsWith(`${key} `))) {
    firstKey = { key, at: event.timeStamp };
  }
};

export const listenToShortcuts = (): void => addEventListener("keydown", onKeyDown);

/** Registers commands while the component is shown. @shape list: stable ids; the functions may change with each rendering */
export const useCommands = (list: readonly Command[]): void => {
  const latest = useRef(list);
  latest.current = list;
  const signature = list.map(({ id, label, keys = "", group }) => [id, label, keys, group].join("\n")).join("\n\n");
  useEffect(() => {
    const own = latest.current.map((command) => ({
      ...command,
      run: () => latest.current.find(({ id }) => id === command.id)?.run(),
    }));
    commands.update((known) => new Map([...known, ...own.map((command) => [command.id, command] as const)]));
    return () =>
      commands.update((known) => new Map([...known].filter(([, command]) => !own.some((each) => each === command))));
  }, [signature]);
};
