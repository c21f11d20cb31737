import { fork } from "node:child_process";
import { join } from "node:path";
import { PACKAGE_REFUSED, PACKAGE_TOO_LARGE, refuse, SERVICE_UNAVAILABLE } from "@parley/contract";
import type { Log, LogFields } from "@parley/telemetry";
import { builtFile } from "../environment/assets.ts";
import type { HostPorts } from "../environment/ports.ts";
import type { PackedFile } from "../package/files/app-file.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import type { PreparedVersion, UnpackedApp } from "./app-preparation.ts";
import { makeWorkFolder, removeFolder, writePackedFiles } from "./package-folders.ts";

/** Report of the process of a preparation. The last message is `prepared`, `refused` or `failed`. */
export type PreparationMessage =
  | { readonly kind: "installed" }
  | { readonly kind: "log"; readonly message: string; readonly fields: LogFields | undefined }
  | { readonly kind: "prepared"; readonly prepared: PreparedVersion }
  | { readonly kind: "refused"; readonly status: string; readonly message: string }
  | { readonly kind: "failed"; readonly stack: string };

export interface PreparationDeps {
  /** Folder of packages, in which the app is unpacked while it is validated. */
  readonly folder: string;
  readonly boundary: Boundary;
  /** @shape the part of an account's host after its name: ".parley.localhost" */
  readonly domainSuffix: string;
  readonly ports: HostPorts;
  readonly log: Log;
  /** Ends preparations when this process stops. */
  readonly shutdownSignal?: AbortSignal;
  /** @units milliseconds */
  readonly preparationTimeoutMs?: number;
}

/** Longer than npm may take to install the dependencies. @units milliseconds */
const INSTALLATION_TIMEOUT_MS = 250_000;
/**
 * Time limit for the validation, the bundles and the archive. An app of seventy files takes a few seconds of a processor, and many times as long on a
 * machine whose processors are busy. @units milliseconds
 */
const PREPARATION_TIMEOUT_MS = 60_000;
/** @units mebibytes */
const HEAP_MB = 1_024;
/** Exit status of a process that ended by SIGABRT, where a shell reports it. */
const ABORTED_STATUS = 134;

/** Retry-After of a publication that a stop of the platform ended. @units seconds */
const RETRY_AFTER_STOP_SECONDS = 5;

/** @errors Refusal SERVICE_UNAVAILABLE when this process stops */
export const checkNotStopped = (shutdownSignal: AbortSignal | undefined): void => {
  if (shutdownSignal?.aborted)
    refuse(SERVICE_UNAVAILABLE, "The platform is stopping. Publish the app again.", RETRY_AFTER_STOP_SECONDS);
};

/** Runs the program of preparations. @errors Refusal PACKAGE_REFUSED | PACKAGE_TOO_LARGE | SERVICE_UNAVAILABLE */
const runProgram = async (
  app: UnpackedApp,
  { log, shutdownSignal, preparationTimeoutMs = PREPARATION_TIMEOUT_MS }: PreparationDeps,
): Promise<PreparedVersion> => {
  checkNotStopped(shutdownSignal);
  const child = fork(builtFile("preparation-program.js"), [], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, "--no-warnings"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const kill = () => void child.kill("SIGKILL");
  let timer = setTimeout(kill, preparationTimeoutMs + INSTALLATION_TIMEOUT_MS);
  shutdownSignal?.addEventListener("abort", kill);
  try {
    const outcome = await new Promise<PreparationMessage | undefined>((resolve, reject) => {
      child.on("message", (message: PreparationMessage) => {
        if (message.kind === "log") return log(message.message, message.fields);
        if (message.kind !== "installed") return resolve(message);
        clearTimeout(timer);
        timer = setTimeout(kill, preparationTimeoutMs);
      });
      child.once("error", reject);
      // Killed by the timer, or aborted by Node for lack of memory.
      const isExhausted = (code: number | null) => code === null || code === ABORTED_STATUS;
      child.once("exit", (code) =>
        resolve(
          isExhausted(code)
            ? undefined
            : { kind: "failed", stack: `The process of a preparation ended with status ${code}.` },
        ),
      );
      child.send(app, (error) => error && kill());
    });
    switch (outcome?.kind) {
      case "prepared":
        return outcome.prepared;
      case "refused":
        return refuse(
          [PACKAGE_TOO_LARGE].find(({ status }) => status === outcome.status) ?? PACKAGE_REFUSED,
          outcome.message,
        );
      case "failed":
        throw new Error(outcome.stack);
      default:
        checkNotStopped(shutdownSignal);
        return refuse(
          PACKAGE_REFUSED,
          "The app can't be validated: its files take too much memory or time. Make them smaller or fewer.",
        );
    }
  } finally {
    clearTimeout(timer);
    shutdownSignal?.removeEventListener("abort", kill);
    kill();
  }
};

/**
 * Unpacks an app to a temporary folder, and prepares it in a process of its own: validation takes seconds of a processor, in which the apps
 * of this process would wait, and its files may be hostile.
 * @errors Refusal PACKAGE_REFUSED | PACKAGE_TOO_LARGE | SERVICE_UNAVAILABLE
 */
export const prepareVersion = async (
  { name, digest, files }: { readonly name: string; readonly digest: string; readonly files: readonly PackedFile[] },
  deps: PreparationDeps,
): Promise<PreparedVersion> => {
  const { folder, boundary, domainSuffix, ports } = deps;
  const work = await makeWorkFolder(folder, ports);
  try {
    const app = join(work, name);
    await writePackedFiles(app, files);
    return await runProgram({ name, digest, folder: app, boundary: boundary.name, domainSuffix }, deps);
  } finally {
    await removeFolder(work);
  }
};
