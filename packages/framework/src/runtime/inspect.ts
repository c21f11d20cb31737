import type { Inspect } from "../project/load.ts";
import { CallFailed, startAppProcess, type Answer } from "./app-process.ts";
import type { LinkOptions } from "./link.ts";
import { tracer } from "./trace.ts";

const NOT_NOW: Answer = { failure: { message: "$request and $db work inside handlers only", status: 400 } };

/** Loads an app's code in a process of its own to see what it exports; the process starts while the code is being made. */
export const inspection =
  (options: Omit<LinkOptions, "take">): Inspect =>
  async (made) => {
    let trace = tracer(undefined);
    let isMade = false;
    const code = made.then(({ code, map }) => {
      [trace, isMade] = [tracer(map), true];
      return code;
    });
    const process = startAppProcess({
      ...options,
      code,
      trace: (text) => trace(text),
      answer: () => Promise.resolve(NOT_NOW),
    });
    try {
      return { handlers: await process.handlers, events: await process.events };
    } catch (error) {
      if (isMade && error instanceof CallFailed) return { error: error.appStack ?? error.message };
      throw error;
    } finally {
      process.retire();
    }
  };
