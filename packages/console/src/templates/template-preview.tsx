import { useWorkspace } from "../workspace/workspace.ts";
import { templateMessages as texts } from "./messages.ts";
import { filledTemplate, type PlaceholderValues } from "./placeholders.ts";
import styles from "./templates.module.css";

/** The message as a customer would receive it, with a sample customer. */
export const TemplatePreview = ({ text }: { readonly text: string }) => {
  const { agent } = useWorkspace();
  const values: PlaceholderValues = {
    "customer.first_name": texts.sampleFirstName,
    "customer.last_name": texts.sampleLastName,
    "customer.email": "ada@example.com",
    "agent.first_name": agent.first_name ?? "",
    "agent.last_name": agent.last_name ?? "",
    topic: texts.sampleTopic,
  };
  if (text.trim() === "") return undefined;
  return (
    <figure className={styles.preview}>
      <figcaption className={styles.muted}>
        <strong>{texts.preview}</strong> {texts.previewHelp}
      </figcaption>
      <div className={styles.bubble}>{filledTemplate(text, values)}</div>
    </figure>
  );
};
