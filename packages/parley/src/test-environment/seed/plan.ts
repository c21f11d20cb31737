import { INVALID_VALUE, refuse, type SeedConversation, type SeedDocument, type SeedMessage } from "@parley/contract";

/** A message of a conversation, or the change of its state after the last message. */
interface SeedStep {
  /** Index of the conversation in the document. */
  readonly conversation: number;
  /** Index of the message in the conversation; absent: the change of state. */
  readonly message?: number;
  /** @units epoch milliseconds; undefined: the present */
  readonly time: number | undefined;
}

export interface SeedPlan {
  readonly steps: readonly SeedStep[];
  /** Creation time of each user, by index: the given time, or that of the user's first message. @units epoch milliseconds */
  readonly users: readonly (number | undefined)[];
}

const MINUTE_MS = 60_000;
/** Sort key of steps without a time: later than any valid time. */
const UNTIMED = Number.MAX_SAFE_INTEGER;

const refuseAt = (path: string, problem: string): never => refuse(INVALID_VALUE, `${path} ${problem}`);

const timeAt = (text: string | undefined, now: Date, path: string): number | undefined => {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (time > now.getTime()) refuseAt(`${path}.created_time`, "is later than the instance's clock");
  return time;
};

const checkMessage = ({ text, message_parts, actor_type = "user", agent }: SeedMessage, path: string): void => {
  if ((text === undefined) === (message_parts === undefined)) refuseAt(path, "must have either text or message_parts");
  if (actor_type === "agent" && agent === undefined) refuseAt(`${path}.agent`, "is mandatory for the actor_type agent");
  if (actor_type !== "agent" && agent !== undefined)
    refuseAt(`${path}.agent`, `is not allowed for the actor_type ${actor_type}`);
};

const stepsOf = ({ messages }: SeedConversation, conversation: number, now: Date): SeedStep[] => {
  const steps: SeedStep[] = [];
  let last: number | undefined;
  for (const [index, message] of messages.entries()) {
    const path = `conversations[${conversation}].messages[${index}]`;
    checkMessage(message, path);
    const givenTime = timeAt(message.created_time, now, path);
    if (givenTime !== undefined && last !== undefined && givenTime < last)
      refuseAt(`${path}.created_time`, "is earlier than that of the previous message");
    const time: number | undefined =
      givenTime ?? (last === undefined ? undefined : Math.min(last + MINUTE_MS, now.getTime()));
    if (index > 0 && time !== undefined && last === undefined)
      refuseAt(`${path}.created_time`, "is only allowed if the first message has a created_time");
    steps.push({ conversation, message: index, time });
    last = time;
  }
  return [...steps, { conversation, time: last }];
};

const indexOfDuplicate = (names: readonly (string | undefined)[]): number =>
  names.findIndex((name, index) => name !== undefined && names.indexOf(name) !== index);

/** Orders the steps of a document by time. @errors INVALID_VALUE with the path of the faulty member */
export function seedPlanOf(document: SeedDocument, now: Date): SeedPlan {
  const { agents = [], users = [], conversations = [] } = document;
  const duplicateAgent = indexOfDuplicate(agents.map(({ email }) => email.toLowerCase()));
  if (duplicateAgent !== -1) refuseAt(`agents[${duplicateAgent}].email`, "occurs twice in the document");
  const duplicateUser = indexOfDuplicate(users.map(({ reference_id }) => reference_id));
  if (duplicateUser !== -1) refuseAt(`users[${duplicateUser}].reference_id`, "occurs twice in the document");
  for (const [index, { created_time }] of agents.entries()) timeAt(created_time, now, `agents[${index}]`);

  const stepsByConversation = conversations.map((conversation, index) => stepsOf(conversation, index, now));
  const userTimes = users.map(({ reference_id, email, created_time }, index) => {
    const startTimes = stepsByConversation.flatMap(([first], conversation) => {
      const { user } = conversations[conversation] ?? {};
      return user !== undefined && (user === reference_id || user === email) && first?.time !== undefined
        ? [first.time]
        : [];
    });
    const givenTime = timeAt(created_time, now, `users[${index}]`);
    const first = startTimes.length > 0 ? Math.min(...startTimes) : undefined;
    if (givenTime !== undefined && first !== undefined && givenTime > first)
      refuseAt(`users[${index}].created_time`, "is later than the user's first message");
    return givenTime ?? first;
  });
  // Steps without a time come last; the sort is stable, so they keep the order of the document.
  const steps = stepsByConversation.flat().sort((a, b) => (a.time ?? UNTIMED) - (b.time ?? UNTIMED));
  return { steps, users: userTimes };
}
