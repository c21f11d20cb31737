import type { ComposerElement, TextPosition } from "@parley/contract";
import { createStore } from "../state/store.ts";

/** The composer of the open conversation, as commands and apps act on it. */
interface ComposerHandle {
  readonly conversationId: string;
  readonly focus: () => void;
  readonly chooseMode: (isPrivate: boolean) => void;
  /** Longer texts than the limit of a message are cut. */
  readonly insertText: (text: string, position: TextPosition) => void;
  readonly submit: () => void;
}

/** Undefined while no conversation is open. */
export const activeComposer = createStore<ComposerHandle | undefined>(undefined);

/** State of a control that apps may hide or disable while a conversation is open. `note` is the choice of a private note. */
export interface ElementState {
  readonly isVisible: boolean;
  readonly isEnabled: boolean;
}

type ElementStates = Readonly<Record<ComposerElement, ElementState>>;

const SHOWN: ElementState = { isVisible: true, isEnabled: true };
const ALL_SHOWN: ElementStates = { editor: SHOWN, send: SHOWN, note: SHOWN, resolve: SHOWN, assign: SHOWN };

export const elementStates = createStore<ElementStates>(ALL_SHOWN);

export const changeElement = (element: ComposerElement, change: Partial<ElementState>): void =>
  elementStates.update((states) => ({ ...states, [element]: { ...states[element], ...change } }));

/** Called when another conversation is opened: an app's changes of the controls end with the conversation. */
export const resetElements = (): void => elementStates.set(ALL_SHOWN);

const clicks: Partial<Record<ComposerElement, () => void>> = {};

/** Says what a click of a control does, for apps that click it. -> the function that ends it */
export const onElementClick = (element: ComposerElement, click: () => void): (() => void) => {
  clicks[element] = click;
  return () => {
    if (clicks[element] === click) delete clicks[element];
  };
};

/** Does what a click of the control does. -> false if it is disabled, or not shown */
export const clickElement = (element: ComposerElement): boolean => {
  const click = clicks[element];
  const { isEnabled, isVisible } = elementStates.get()[element];
  if (!click || !isEnabled || !isVisible) return false;
  click();
  return true;
};
