import { isProblemError } from "@parley/client/session";
import type { Agent } from "@parley/contract";
import { useState } from "react";
import { formProblemsOf, formValuesOf } from "../../forms/schema-form.ts";
import { useForm } from "../../forms/use-form.ts";
import { agentForm, type AgentValues } from "./agent-values.ts";

/** @shape save: gets the values, and those with which the form began */
type Save = (values: AgentValues, initial: AgentValues) => Promise<void>;

/** The form of an agent; undefined for a new agent. An address that another agent has is said at its field. */
export const useAgentForm = (agent: Agent | undefined, save: Save) => {
  const [taken, setTaken] = useState<string>();
  // The agent as it was when the dialog opened: changes of others in the meantime are not undone.
  const [initial] = useState(() => formValuesOf(agentForm(false), agent));
  return useForm({
    keptAt: `agent ${agent?.id ?? "new"}`,
    initial,
    check: (values) => formProblemsOf(agentForm(false, taken), values),
    async save(values) {
      try {
        await save(values, initial);
      } catch (error) {
        if (!isProblemError(error) || error.problem.status !== "AGENT_EMAIL_TAKEN") throw error;
        setTaken(values.email.trim());
      }
    },
  });
};
