import type { Finding } from "./finding.ts";

export interface Rule<Message extends string> {
  readonly level: Finding["level"];
  /** Text with a placeholder in braces for each variable part. */
  readonly message: Message;
  /** Instruction how to resolve the finding. */
  readonly help: string;
}

export const error = <Message extends string>(message: Message, help = ""): Rule<Message> => ({
  level: "error",
  message,
  help,
});
export const warning = <Message extends string>(message: Message, help = ""): Rule<Message> => ({
  level: "warning",
  message,
  help,
});
