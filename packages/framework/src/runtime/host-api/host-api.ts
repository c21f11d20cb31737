import type { Question, RequestTemplates } from "@parley/contract";
import type { Entities } from "../entities/entities.ts";
import {
  RequestRejected,
  type HostRequestMethod,
  type SentRequest,
  type TemplateCall,
} from "../../request/request-method.ts";
import type { ScheduleApi } from "../schedules/schedules.ts";
import type { HostAnswer } from "../process/app-process.ts";
import { AppRefused } from "../../values/app-refused.ts";
import type { Records } from "../records/records.ts";
import type { CallRecording } from "../process/call-recording.ts";

/** Returns the values and the installation with which request templates are filled. */
export type FillSources = () => Promise<Pick<TemplateCall, "installation" | "values" | "secrets" | "appSettings">>;

/** Services that a process may call, and the installation for which it does. */
interface HostApiDeps {
  readonly requests: HostRequestMethod;
  readonly templates: () => RequestTemplates;
  readonly records: Records;
  readonly entities: Entities;
  readonly schedules: ScheduleApi;
  readonly jobs: {
    readonly get: (id: unknown) => Promise<unknown>;
    readonly report: (job: string | undefined, message: unknown) => Promise<unknown>;
  };
  /** Credentials of an integration in `config/oauth_config.json`. */
  readonly credentials: (name: unknown) => Promise<unknown>;
  /** Address that raises onExternalEvent. A renewed address revokes the previous one. */
  readonly targetUrl: (isRenewed: boolean) => Promise<string>;
  readonly subject: FillSources;
  readonly log: (line: string) => void;
}

type Asked = Extract<Question, { of: "request" | "fetch" | "call" }>;

/** Record of a request that was refused before it was built: as the app wrote it, with nothing filled in. */
const asWritten = (asked: Asked, templates: RequestTemplates): SentRequest => {
  if (asked.of !== "request") return { method: asked.method.toUpperCase(), url: asked.url };
  const schema = Object.hasOwn(templates, asked.name) ? templates[asked.name]?.schema : undefined;
  return schema
    ? { method: schema.method, url: `https://${schema.host}${schema.path ?? ""}` }
    : { method: "", url: "" };
};

type By = Pick<TemplateCall, "origin" | "onSent" | "installation" | "values" | "secrets" | "appSettings">;

const made = (asked: Asked, requests: HostRequestMethod, by: By) => {
  if (asked.of === "request") return requests.invokeTemplate({ name: asked.name, options: asked.options, ...by });
  if (asked.of === "fetch")
    return requests.fetch({ method: asked.method, url: asked.url, options: asked.options, ...by });
  const { method, url, headers, body } = asked;
  return requests.callDirectly({ method, url, headers, body, ...by });
};

const request = async (asked: Asked, deps: HostApiDeps, trail: CallRecording | undefined): Promise<unknown> => {
  const begun = performance.now();
  let sent = asWritten(asked, deps.templates());
  const note = (status: number, attempts: number, failure?: string) =>
    trail?.request({
      ...sent,
      ...(asked.of === "request" ? { template: asked.name } : {}),
      status,
      ...(failure === undefined ? {} : { failure }),
      attempts,
      ms: Math.round(performance.now() - begun),
    });
  const onSent = (made: SentRequest) => void (sent = made);
  const { requests } = deps;
  try {
    const by = { origin: "server" as const, onSent, ...(await deps.subject()) };
    const reply = await made(asked, requests, by);
    note(reply.status, reply.attempts);
    return reply;
  } catch (error) {
    if (error instanceof RequestRejected) {
      const { status, attempts, response } = error.failure;
      note(attempts === 0 ? 0 : status, attempts, response.slice(0, 200));
    } else note(0, 0, "the host could not make it");
    throw error;
  }
};

const valueOf = async (question: Question, deps: HostApiDeps, trail: CallRecording | undefined): Promise<unknown> => {
  const { records, schedules } = deps;
  switch (question.of) {
    case "request":
    case "fetch":
    case "call":
      return request(question, deps, trail);
    case "schedule":
      return schedules[question.action](question.options);
    case "target":
      return deps.targetUrl(question.renew ?? false);
    case "job.get":
      return deps.jobs.get(question.id);
    case "job.status":
      return deps.jobs.report(trail?.job, question.message);
    case "credentials":
      return deps.credentials(question.name);
    case "entity":
      return deps.entities.call(question.entity, question.action, question.args);
    case "db.get":
      return records.get(question.key);
    case "db.set":
      return records.set(question.key, question.value, question.options);
    case "db.update":
      return records.update(question.key, question.action, question.attributes);
    case "db.delete":
      return records.delete(question.key);
  }
};

/** Answers an app's calls to the host. Details that don't concern the app are logged only. */
export const createHostApi =
  (deps: HostApiDeps) =>
  async (question: Question, trail?: CallRecording): Promise<HostAnswer> => {
    try {
      return { value: await valueOf(question, deps, trail) };
    } catch (error) {
      if (error instanceof RequestRejected) return { failure: { message: error.message, ...error.failure } };
      if (error instanceof AppRefused)
        return { failure: { ...error.details, message: error.message, status: error.status } };
      deps.log(`A question of the app (${question.of}) could not be answered: ${String(error)}`);
      return { failure: { message: "The host could not answer; its log says why", status: 500 } };
    }
  };
