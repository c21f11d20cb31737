import { realPorts } from "@parley/service/ports";
import { createProcessLog, type Log } from "@parley/telemetry";
import { logSettings } from "../environment/config.ts";

const write = (text: string): void => void process.stderr.write(text);

/** The log of a process that runs until it is stopped. People who read a terminal get the time of day alone. @errors those of `logSettings` */
export const instanceLog = (): Log =>
  createProcessLog({ ...logSettings(), hasDate: !process.stderr.isTTY, write, now: realPorts.now });

/** The log of a command that ends by itself: messages only. */
export const commandLog: Log = (message, { level = "info" } = {}) =>
  write(`${level === "info" ? "" : `${level}: `}${message}\n`);
