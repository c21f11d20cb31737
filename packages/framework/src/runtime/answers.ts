import type { Question } from "@parley/contract";
import { RequestRejected, type RequestMethod, type TemplateCall } from "../request/request-method.ts";
import type { Answer } from "./app-process.ts";
import { RecordRefused } from "./records/refusal.ts";
import type { Records } from "./records/records.ts";

/** What a process may ask for, and on whose behalf. */
export interface AnswersDeps extends RequestMethod {
  readonly records: Records;
  /** Values and installation that its requests are filled from. */
  readonly subject: () => Promise<Pick<TemplateCall, "installation" | "values">>;
  readonly log: (line: string) => void;
}

const valueOf = async (question: Question, deps: AnswersDeps): Promise<unknown> => {
  if (question.of === "request") {
    const { name, options } = question;
    return deps.invokeTemplate({ name, options, origin: "server", ...(await deps.subject()) });
  }
  if (question.of === "fetch" || question.of === "schedule" || question.of === "target")
    throw new RecordRefused(501, `${question.of} is not known`);
  const { records } = deps;
  if (question.of === "db.get") return records.get(question.key);
  if (question.of === "db.set") return records.set(question.key, question.value, question.options);
  if (question.of === "db.update") return records.update(question.key, question.action, question.attributes);
  return records.delete(question.key);
};

/** Answers an app's questions; what is no business of the app stays in the log. */
export const answers =
  (deps: AnswersDeps) =>
  async (question: Question): Promise<Answer> => {
    try {
      return { value: await valueOf(question, deps) };
    } catch (error) {
      if (error instanceof RequestRejected) return { failure: { message: error.message, ...error.failure } };
      if (error instanceof RecordRefused) return { failure: { message: error.message, status: error.status } };
      deps.log(`A question of the app (${question.of}) could not be answered: ${String(error)}`);
      return { failure: { message: "The host could not answer; its log says why", status: 500 } };
    }
  };
