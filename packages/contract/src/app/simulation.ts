import Type, { type Static } from "typebox";
import { LONGEST_PAYLOAD, type HandledEvent, type PayloadSource } from "./control.ts";
import type { Invocation } from "./invocations.ts";

/** What the page that raises events asks of the app's host: JSON, below `/web/test`. */

const choice = {
  /** Of an event, or of a function; `<module>/<event>` where several modules have a handler for the event. */
  name: Type.String({ minLength: 1, maxLength: 256 }),
  isFunction: Type.Boolean(),
};

/** An event or a function whose payload is asked for. */
export const SimulationChoice = Type.Object(choice, { title: "SimulationChoice" });
export type SimulationChoice = Static<typeof SimulationChoice>;

/** An event to be raised, or a function to be called. @shape payload: JSON text, as its author typed it */
export const Simulation = Type.Object(
  { ...choice, payload: Type.String({ maxLength: LONGEST_PAYLOAD }) },
  { title: "Simulation" },
);
export type Simulation = Static<typeof Simulation>;

/** A payload to begin with. @shape payload: JSON text */
export interface SimulationPayload {
  readonly payload: string;
  readonly source: PayloadSource;
}

/** A mistake in the text of a payload; the line and the column begin at 1. */
export interface PayloadFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** What the handler did, or why it was not called. */
export type SimulationAnswer = { readonly invocation: Invocation } | { readonly fault: PayloadFault };

/** An event or a function of the page's lists. @shape name: as `SimulationChoice` takes it */
export interface SimulationEvent extends Pick<HandledEvent, "event" | "module" | "handler" | "kind"> {
  readonly name: string;
}

/** What the page begins with. */
export interface SimulationModel {
  readonly token: string;
  readonly events: readonly SimulationEvent[];
}
