import type { Question, RequestTemplates } from "@parley/contract";
import { FAILURES } from "@parley/egress";
import { failureText, inSpan, type Log } from "@parley/telemetry";
import type { Entities } from "./entities.ts";
import {
  refuseRequest,
  RequestRejected,
  type HostRequestMethod,
  type SentRequest,
  type TemplateCall,
} from "../../request/request-method.ts";
import type { ScheduleApi } from "./schedules.ts";
import type { HostAnswer, QuestionLimits } from "../process/app-process.ts";
import { AppRefused } from "../../model/app-refused.ts";
import type { PortabilityWarnings } from "./portability-warnings.ts";
import type { Records } from "./records.ts";
import type { CallRecording } from "../process/call-recording.ts";
import type { BreakerOutcome } from "../process/request-breaker.ts";

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
  /** Address that raises onExternalEvent. A renewed address revokes the previous address. */
  readonly targetUrl: (isRenewed: boolean) => Promise<string>;
  readonly subject: FillSources;
  /** Absent where an app is no longer developed. */
  readonly portability?: Pick<PortabilityWarnings, "answered"> | undefined;
  readonly log: Log;
}

type RequestQuestion = Extract<Question, { of: "request" | "fetch" | "call" }>;

/** Record of a request that was refused before it was built: as the app wrote it, with nothing filled in. */
const asWritten = (question: RequestQuestion, templates: RequestTemplates): SentRequest => {
  if (question.of !== "request") return { method: question.method.toUpperCase(), url: question.url };
  const schema = Object.hasOwn(templates, question.name) ? templates[question.name]?.schema : undefined;
  return schema
    ? { method: schema.method, url: `https://${schema.host}${schema.path ?? ""}` }
    : { method: "", url: "" };
};

type RequestContext = Pick<
  TemplateCall,
  "origin" | "onSent" | "admitBody" | "installation" | "values" | "secrets" | "appSettings"
>;

const sendRequest = (question: RequestQuestion, requests: HostRequestMethod, context: RequestContext) => {
  if (question.of === "request")
    return requests.invokeTemplate({ name: question.name, options: question.options, ...context });
  if (question.of === "fetch")
    return requests.fetch({ method: question.method, url: question.url, options: question.options, ...context });
  const { method, url, headers, body } = question;
  return requests.callDirectly({ method, url, headers, body, ...context });
};

/** Of the name of a span: an app can ask for a template that does not exist. @units characters */
const TEMPLATE_NAME_LENGTH_MAX = 100;

/** The requests of a template are alike, and those to one address. */
const breakerKey = (question: RequestQuestion): string =>
  question.of === "request" ? question.name : `${question.method} ${question.url.split("?", 1)[0]}`.slice(0, 200);

const HELD_BACK = `${FAILURES.RESPONSE_TOO_LARGE.message}: the last responses to this request were, so it was not sent. Request less at a time, and try again in a minute`;

/** A response with an error status is an answer, too. */
const outcomeOf = (error: unknown): BreakerOutcome => {
  if (!(error instanceof RequestRejected) || error.failure.attempts === 0) return "failed";
  const { status, response } = error.failure;
  const failure = Object.values(FAILURES).find(({ code, message }) => code === status && message === response);
  if (failure === FAILURES.RESPONSE_TOO_LARGE) return "too large";
  return failure ? "failed" : "answered";
};

/** @errors RequestRejected: 502 if the last responses to the request were too large */
const sendUnlessHeldBack = async <T>(
  question: RequestQuestion,
  limits: QuestionLimits | undefined,
  send: () => Promise<T>,
): Promise<T> => {
  if (!limits) return send();
  const key = breakerKey(question);
  if (!(await limits.breaker.enter(key))) refuseRequest(FAILURES.RESPONSE_TOO_LARGE.code, HELD_BACK);
  let outcome: BreakerOutcome = "answered";
  try {
    return await send();
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    limits.breaker.leave(key, outcome);
  }
};

const request = async (
  question: RequestQuestion,
  deps: HostApiDeps,
  recording: CallRecording | undefined,
  limits: QuestionLimits | undefined,
): Promise<unknown> => {
  const begun = performance.now();
  let sent = asWritten(question, deps.templates());
  const record = (status: number, attempts: number, failure?: string) =>
    recording?.request({
      ...sent,
      ...(question.of === "request" ? { template: question.name } : {}),
      status,
      ...(failure === undefined ? {} : { failure }),
      attempts,
      ms: Math.round(performance.now() - begun),
    });
  const onSent = (built: SentRequest) => void (sent = built);
  const { requests } = deps;
  try {
    const admitBody = limits && ((bytes: number) => limits.take(bytes));
    const context = { origin: "server" as const, onSent, admitBody, ...(await deps.subject()) };
    const reply = await sendUnlessHeldBack<Awaited<ReturnType<typeof sendRequest>>>(question, limits, () =>
      sendRequest(question, requests, context),
    );
    record(reply.status, reply.attempts);
    return reply;
  } catch (error) {
    if (error instanceof RequestRejected) {
      const { status, attempts, response } = error.failure;
      record(attempts === 0 ? 0 : status, attempts, response.slice(0, 200));
    } else record(0, 0, "the host could not make it");
    throw error;
  }
};

const valueOf = async (
  question: Question,
  deps: HostApiDeps,
  recording: CallRecording | undefined,
  limits: QuestionLimits | undefined,
): Promise<unknown> => {
  const { records, schedules } = deps;
  switch (question.of) {
    case "request":
    case "fetch":
    case "call":
      return request(question, deps, recording, limits);
    case "schedule":
      return schedules[question.action](question.options);
    case "target":
      return deps.targetUrl(question.renew ?? false);
    case "job.get":
      return deps.jobs.get(question.id);
    case "job.status":
      return deps.jobs.report(recording?.job, question.message);
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

/** Templates are named by the app's author; addresses and keys can contain data of customers. */
const spanName = (question: Question): string =>
  question.of === "request" ? `request ${question.name.slice(0, TEMPLATE_NAME_LENGTH_MAX)}` : question.of;

/** Answers an app's calls to the host. Details that don't concern the app are logged only. */
export const createHostApi =
  (deps: HostApiDeps) =>
  async (question: Question, recording?: CallRecording, limits?: QuestionLimits): Promise<HostAnswer> => {
    try {
      const value = recording?.trace
        ? await inSpan(
            spanName(question),
            { kind: "client", parent: recording.trace, attributes: { "parley.call": question.of } },
            () => valueOf(question, deps, recording, limits),
          )
        : await valueOf(question, deps, recording, limits);
      deps.portability?.answered(question);
      return { value };
    } catch (error) {
      if (error instanceof RequestRejected) return { failure: { message: error.message, ...error.failure } };
      if (error instanceof AppRefused)
        return { failure: { ...error.details, message: error.message, status: error.status } };
      deps.log(`A call of the app (${question.of}) failed in the host: ${failureText(error)}`);
      return { failure: { message: "The host could not answer; its log says why", status: 500 } };
    }
  };
