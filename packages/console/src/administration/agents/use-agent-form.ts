import { isProblemError } from "@parley/client/session";
import { useState } from "react";
import { useForm } from "../use-form.ts";
import { agentProblemsOf, type AgentValues } from "./agent-values.ts";

/** The form of an agent. An address that another agent has is said at its field. */
export const useAgentForm = (keptAt: string, initial: AgentValues, save: (values: AgentValues) => Promise<void>) => {
  const [taken, setTaken] = useState<string>();
  return useForm({
    keptAt,
    initial,
    check: (values) => agentProblemsOf(values, taken),
    async save(values) {
      try {
        await save(values);
      } catch (error) {
        if (!isProblemError(error) || error.problem.status !== "AGENT_EMAIL_TAKEN") throw error;
        setTaken(values.email.trim());
      }
    },
  });
};
