import Type, { type Static } from "typebox";
import { PAYLOAD_BYTES_MAX, type HandledEvent, type PayloadSource } from "./control.ts";
import type { Invocation } from "./invocations.ts";

/** Requests of the simulation page to the app's host: JSON under `/web/test`. */

const choice = {
  /** Name of an event or a function; `<module>/<event>` if several modules have a handler for the event. */
  name: Type.String({ minLength: 1, maxLength: 256 }),
  isFunction: Type.Boolean(),
};

/** The event or function whose payload the page asks for. */
export const SimulationChoice = Type.Object(choice, { title: "SimulationChoice" });
export type SimulationChoice = Static<typeof SimulationChoice>;

/** An event to simulate, or a function to call. @shape payload: JSON text, as the author typed it */
export const Simulation = Type.Object(
  { ...choice, payload: Type.String({ maxLength: PAYLOAD_BYTES_MAX }) },
  { title: "Simulation" },
);
export type Simulation = Static<typeof Simulation>;

/** The initial payload in the editor. @shape payload: JSON text */
export interface SimulationPayload {
  readonly payload: string;
  readonly source: PayloadSource;
}

/** An error in the text of a payload. Lines and columns count from 1. */
export interface PayloadFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** The invocation, or the reason why the handler was not called. */
export type SimulationAnswer = { readonly invocation: Invocation } | { readonly fault: PayloadFault };

/** An event or function in the page's lists. @shape name: as in `SimulationChoice` */
export interface SimulationEvent extends Pick<HandledEvent, "event" | "module" | "handler" | "kind"> {
  readonly name: string;
}

/** Data that the page is loaded with. */
export interface SimulationModel {
  readonly token: string;
  readonly events: readonly SimulationEvent[];
}
