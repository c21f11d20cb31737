import { element } from "./element.ts";

/** Says above the form what is wrong with the app's own code, in the words that its author needs. */
export type Trouble = (title: string, message: string) => void;

export const NOT_STARTED = "The app’s own checks could not start.";
export const BROKE = "Something in the app’s own checks went wrong.";

/** @assumed The newest trouble stands for all: the console has each. */
export const troubleOf = (root: HTMLElement): Trouble => {
  return (title, message) => {
    element<HTMLElement>(root, "[data-part=title]").textContent = title;
    element<HTMLElement>(root, "[data-part=message]").textContent = message;
    root.hidden = false;
  };
};
