import type { Invocation, Manifest, ProductEventName, ServiceEvent } from "@parley/contract";
import { PRODUCT_EVENTS } from "@parley/contract";
import { eventPayload, setUpPayload } from "../events/payload.ts";
import { accountOf, domainIn, type Installation, type Installations } from "../install/installations.ts";
import type { Project } from "../project/project.ts";
import type { RequestMethod } from "../request/request-method.ts";
import { answers } from "./answers.ts";
import type { FunctionOutcome } from "./functions.ts";
import type { Records } from "./records/records.ts";
import type { CallOutcome, Runner } from "./runner.ts";
import type { SetUp } from "./set-up.ts";

export interface AppCallsDeps {
  readonly project: () => Project;
  readonly installations: Pick<Installations, "find">;
  readonly requests: RequestMethod;
  readonly recordsOf: (account: string) => Records;
  readonly runner: Runner;
  readonly now: () => Date;
  readonly log: (line: string) => void;
  readonly domainSuffix: string;
  readonly usualDomain: string;
}

/** The app's handlers, called as the manifest has them. */
export interface AppCalls {
  /** -> name of the handler; undefined where the manifest has none for the event. */
  handlerOf(event: ServiceEvent): string | undefined;
  handle(event: ServiceEvent, handler: string, installation: Installation): Promise<CallOutcome>;
  readonly setUp: SetUp;
  /** Calls a function of server/ that the manifest names: `client.request.invoke`. */
  invokeFunction(name: string, args: unknown, installation: Installation): Promise<FunctionOutcome>;
  /**
   * Calls the handler of an event with a payload as it is given: a sample, or one that was recorded. The parameters in it
   * are those of the present installation.
   * @errors Error when no handler is declared for the event
   */
  raise(event: string, payload: Readonly<Record<string, unknown>>, installation: Installation): Promise<Invocation>;
  /** Starts the installation's process before it is needed. */
  warm(installation: Installation): void;
}

const handlerIn = (manifest: Manifest, module: string, event: string): string | undefined => {
  const events = Object.hasOwn(manifest.modules, module) ? manifest.modules[module]?.events : undefined;
  return events && Object.hasOwn(events, event) ? events[event]?.handler : undefined;
};

export const appCalls = (deps: AppCallsDeps): AppCalls => {
  const { project, runner, log } = deps;
  const answersFor = (account: string, subject: Parameters<typeof answers>[0]["subject"]) =>
    answers({ ...deps.requests, records: deps.recordsOf(account), subject, log });
  /** A process outlives a change of the parameters, so they are looked up for each request. */
  const installed = ({ account }: Installation) =>
    answersFor(account, async () => ({ installation: await deps.installations.find() }));
  const processOf = ({ id, account }: Installation) => `${id}/${account}`;

  return {
    handlerOf({ kind }) {
      const row: { name: ProductEventName; module: string } = PRODUCT_EVENTS[kind];
      return handlerIn(project().manifest, row.module, row.name);
    },
    handle: (event, handler, installation) =>
      runner.invoke(
        processOf(installation),
        { handler, args: eventPayload(event, project().manifest, installation), renders: false },
        installed(installation),
      ),
    async setUp(event, prospect) {
      const { manifest, iparams } = project();
      const handler = handlerIn(manifest, "common", event);
      if (handler === undefined) return { ok: true };
      const domain = domainIn(prospect.values, iparams) ?? deps.usualDomain;
      const outcome = await runner.invokeApart(
        { handler, args: setUpPayload(event, prospect, manifest, domain, deps.now()), renders: true },
        answersFor(accountOf(domain, deps.domainSuffix), async () => ({
          installation: await deps.installations.find(),
          values: { ...prospect.values, ...prospect.secureValues },
        })),
      );
      if (!outcome.ok) {
        log(`error: ${handler} failed at ${event}: ${outcome.stack ?? outcome.error}`);
        return { ok: false, message: `${handler} failed: ${outcome.error}` };
      }
      const message = outcome.rendered?.message;
      return message === undefined ? { ok: true } : { ok: false, message };
    },
    invokeFunction: () => Promise.reject(new Error("functions can't be called yet")),
    raise: () => Promise.reject(new Error("events can't be raised yet")),
    warm: (installation) => runner.warm(processOf(installation), installed(installation)),
  };
};
