import type { Project, HandlerBinding } from "../../model/project.ts";
import {
  APP_LIMITS,
  type Invocation,
  type InvocationKind,
  type ProductEventName,
  type ServiceEvent,
  PRODUCT_EVENTS,
  PRODUCTS,
  SET_UP_EVENTS,
} from "@parley/contract";
import type { Log } from "@parley/telemetry";
import type { RecordedCall, CallOccasion, CallRecorder } from "./call-recorder.ts";
import { currentHost, eventPayload, setUpPayload, type PlannedInstallation, type RunSetUpHandler } from "./payload.ts";
import type { AppSettings } from "../../state/app-settings.ts";
import {
  accountDomainIn,
  type Installation,
  type InstallationAccount,
  type Installations,
} from "../../state/installations.ts";
import type { Consents } from "../../state/consents.ts";
import type { RunJob } from "../host-api/jobs.ts";
import type { AnswerQuestion } from "../process/app-process.ts";
import type { FillSources } from "../host-api/host-api.ts";
import type { PortabilityWarnings } from "../host-api/portability-warnings.ts";
import {
  functionFailure,
  functionOutcome,
  functionTime,
  type FunctionOutcome,
  type FunctionTimes,
} from "./function-outcome.ts";
import type { CallOutcome, CallRequest, AppRunner } from "../process/runner.ts";

interface AppCallsDeps {
  readonly project: () => Project;
  readonly installations: Pick<Installations, "find" | "secrets">;
  readonly consents: Pick<Consents, "readsSecureIparams">;
  readonly appSettings: Pick<AppSettings, "values">;
  /** Handles the app's calls to the host. */
  readonly answering: (subject: FillSources) => AnswerQuestion;
  readonly runner: AppRunner;
  readonly recorder: CallRecorder;
  readonly settings: FunctionTimes;
  readonly newId: () => string;
  readonly now: () => Date;
  readonly log: Log;
  readonly domainSuffix: string;
  readonly account: InstallationAccount;
  /** Absent where an app is no longer developed. */
  readonly portability?: Pick<PortabilityWarnings, "returned"> | undefined;
  /** Handlers read secure parameters during this run of the host, whether or not an admin has consented. */
  readonly isSecureHandedOut: boolean;
}

/** An event of the module `common`; `recordedPayload` replaces it in the record, if it differs. */
type RaisedEvent = Pick<CallOccasion, "payload" | "recordedPayload" | "source">;

/** Calls of the app's handlers, as the manifest declares them. */
export interface AppCalls {
  /** -> name of the handler; undefined if the app has no handler for the event */
  handlerOf(event: ServiceEvent): string | undefined;
  handle(event: ServiceEvent, handler: string, installation: Installation): Promise<CallOutcome>;
  readonly setUp: RunSetUpHandler;
  /** Calls the handler of a schedule or of a target; undefined if the app has no such handler. */
  occur(
    event: "onScheduledEvent" | "onExternalEvent",
    raised: RaisedEvent,
    to: Installation,
  ): Promise<CallOutcome | undefined>;
  /** Calls a function of server/ that the manifest lists: `client.request.invoke`. */
  invokeFunction(name: string, args: unknown, installation: Installation): Promise<FunctionOutcome>;
  /**
   * Calls the handler of an event (`onMessageCreate`, or `<module>/<event>`) with a given payload: a sample, or a recorded payload. Its
   * parameters are replaced by those of the present installation.
   * @errors Error when the event has no handler
   */
  raise(event: string, payload: Readonly<Record<string, unknown>>, installation: Installation): Promise<Invocation>;
  /** Calls the function of a job, which needs no `renderData`. */
  readonly runJob: RunJob;
  /** Starts the installation's process in advance. */
  warm(installation: Installation): void;
  /** Stops the installation's process. */
  end(installation: Installation): Promise<void>;
}

const KINDS: Readonly<Record<string, InvocationKind>> = {
  ...Object.fromEntries(SET_UP_EVENTS.map((event) => [event, "set-up"])),
  onScheduledEvent: "scheduled",
  onExternalEvent: "external",
};
const kindOf = (event: string): InvocationKind => (Object.hasOwn(KINDS, event) ? KINDS[event] : undefined) ?? "product";

/** The id of the installation that a process key belongs to. @shape key: as `processKey` returns it */
export const installationOf = (key: string): string => key.slice(0, key.indexOf("/"));
const processKey = ({ id, account }: Installation): string => `${id}/${account}`;

export const createAppCalls = (deps: AppCallsDeps): AppCalls => {
  const { project, runner, log } = deps;
  /** Parameters are read for each request: the process outlives a change of them. */
  const installed = () => deps.answering(async () => ({ installation: await deps.installations.find() }));
  const handlerFor = (event: string, belongs: (entry: HandlerBinding) => boolean = () => true) =>
    project().handlers.find((entry) => entry.event === event && belongs(entry))?.handler;

  const isTrusted = ({ readsSecure }: Installation) => readsSecure === true || deps.isSecureHandedOut;
  const secureOf = async (installation: Installation) =>
    isTrusted(installation) ? deps.installations.secrets(installation) : undefined;
  /** The secure values of a planned installation: new values, and stored values that remain. */
  const secureOfProspect = async ({ secureValues }: PlannedInstallation) => {
    if (!(await deps.consents.readsSecureIparams())) return undefined;
    const installation = await deps.installations.find();
    return { ...(installation && (await deps.installations.secrets(installation))), ...secureValues };
  };

  const call = (
    occasion: Omit<CallOccasion, "account">,
    installation: Installation,
    { job, ...more }: Pick<CallRequest, "renders" | "ms"> & { readonly job?: string },
  ): Promise<RecordedCall> =>
    // The payload is recorded without secure parameters, which are added inside the process.
    deps.recorder({ ...occasion, account: installation.account }, async (recording) =>
      runner.invoke(
        processKey(installation),
        {
          handler: occasion.handler,
          args: occasion.payload,
          recording: job === undefined ? recording : { ...recording, job },
          secure: await secureOf(installation),
          ...more,
        },
        installed(),
      ),
    );

  /** Runs in a separate process: the process of the other handlers does not receive the settings. */
  const raiseSettingsUpdate = async (
    occasion: Omit<CallOccasion, "account"> & { readonly payload: object },
    installation: Installation,
  ): Promise<RecordedCall> => {
    const { open, secure: settings } = await deps.appSettings.values();
    const payload = { ...occasion.payload, ...open };
    const { handler } = occasion;
    return deps.recorder({ ...occasion, payload, account: installation.account }, async (recording) =>
      runner.invokeApart(
        processKey(installation),
        { handler, args: payload, renders: true, recording, secure: await secureOf(installation), settings },
        installed(),
      ),
    );
  };

  return {
    handlerOf({ kind }) {
      const row: { name: ProductEventName; module: string } = PRODUCT_EVENTS[kind];
      return handlerFor(row.name, ({ module }) => [row.module, ...PRODUCTS].includes(module));
    },
    async handle(event, handler, installation) {
      const payload = eventPayload(event, project().manifest, installation);
      const occasion = { kind: "product", event: payload.event, handler, payload, source: event.id } as const;
      return (await call(occasion, installation, { renders: false })).outcome;
    },
    async setUp(event, prospect) {
      const { manifest, iparams } = project();
      const handler = handlerFor(event);
      if (handler === undefined) return { ok: true };
      const domain = accountDomainIn(prospect.values, iparams, deps.domainSuffix) ?? deps.account.domain;
      const account = deps.account.name;
      const { appSettings } = prospect;
      // Settings are members of the arguments, as apps of other hosts read them.
      const payload = { ...setUpPayload(event, prospect, manifest, domain, deps.now()), ...appSettings?.open };
      const answer = deps.answering(async () => ({
        installation: await deps.installations.find(),
        values: prospect.values,
        secrets: prospect.secureValues,
        appSettings,
      }));
      const { outcome } = await deps.recorder({ kind: "set-up", event, handler, account, payload }, async (recording) =>
        runner.invokeApart(
          // The installation may not exist yet.
          `${project().name}/${account}`,
          {
            handler,
            args: payload,
            renders: true,
            recording,
            secure: await secureOfProspect(prospect),
            settings: appSettings?.secure,
          },
          answer,
        ),
      );
      if (!outcome.ok) {
        log(`${handler} failed at ${event}: ${outcome.stack ?? outcome.error}`, { level: "error" });
        return { ok: false, message: `${handler} failed: ${outcome.error}` };
      }
      const message = outcome.rendered?.message;
      if (message === undefined) return { ok: true };
      if (message.length > APP_LIMITS.refusalCharacters)
        log(
          `${handler} refused with ${message.length} characters; the field shows ${APP_LIMITS.refusalCharacters} of them.`,
          {
            level: "warn",
          },
        );
      return { ok: false, message };
    },
    async occur(event, raised, installation) {
      const handler = handlerFor(event);
      if (handler === undefined) return undefined;
      return (await call({ kind: kindOf(event), event, handler, ...raised }, installation, { renders: false })).outcome;
    },
    async invokeFunction(name, args, installation) {
      const ms = functionTime(project(), name, deps.settings);
      if (ms === undefined)
        return functionFailure(deps.newId(), 404, `The function '${name}' is not mentioned in manifest.json`);
      const functionArguments = args ?? {};
      if (typeof functionArguments !== "object" || Array.isArray(functionArguments))
        return functionFailure(deps.newId(), 400, `The function '${name}' takes an object`);
      const payload = {
        ...functionArguments,
        iparams: installation.values,
        currentHost: currentHost(project().manifest, installation.domain),
      };
      const occasion = { kind: "function", event: name, handler: name, payload } as const;
      const outcome = functionOutcome(name, await call(occasion, installation, { renders: true, ms }));
      if (outcome.ok) deps.portability?.returned(name, outcome.response);
      return outcome;
    },
    async raise(event, eventArguments, installation) {
      const { handlers, manifest } = project();
      const found = handlers.find((entry) => [entry.event, `${entry.module}/${entry.event}`].includes(event));
      if (!found) {
        const names = [...new Set(handlers.map((entry) => entry.event))].join(", ");
        throw new Error(`The app has no handler of '${event}'; it has ${names === "" ? "no handlers" : names}.`);
      }
      const kind = kindOf(found.event);
      const payload = {
        event: found.event,
        ...eventArguments,
        iparams: installation.values,
        currentHost: currentHost(manifest, installation.domain),
      };
      const occasion = { kind, event: found.event, handler: found.handler, payload };
      if (found.event === "onSettingsUpdate") return (await raiseSettingsUpdate(occasion, installation)).invocation;
      return (await call(occasion, installation, { renders: kind === "set-up" })).invocation;
    },
    async runJob({ id, name, ms }, args, installation) {
      const payload = {
        ...args,
        iparams: installation.values,
        currentHost: currentHost(project().manifest, installation.domain),
      };
      const occasion = { kind: "job", event: name, handler: name, payload, source: id } as const;
      return (await call(occasion, installation, { renders: false, ms, job: id })).outcome;
    },
    warm: (installation) => runner.warm(processKey(installation), installed(), isTrusted(installation)),
    end: (installation) => runner.end(processKey(installation)),
  };
};
