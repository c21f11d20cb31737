import type { ReplyTemplate } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Input, SearchField } from "react-aria-components";
import { Badge } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import field from "../ui/field.module.css";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import { Spinner } from "../ui/spinner.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import { usePageTitle } from "../ui/page-title.ts";
import { matchingTemplates } from "./matching.ts";
import { templateMessages as texts } from "./messages.ts";
import { deleteTemplate } from "./template-actions.ts";
import { TemplateDialog } from "./template-dialog.tsx";
import { mayChange } from "./template-form.ts";
import styles from "./templates.module.css";
import { templatesQuery } from "./templates-query.ts";

interface TemplateEntryProps {
  readonly template: ReplyTemplate;
  readonly onOpen: () => void;
}

const TemplateEntry = ({ template, onOpen }: TemplateEntryProps) => {
  const queries = useQueryClient();
  const { agent } = useWorkspace();
  const { name, shortcut, text, is_shared } = template;
  const isOwn = mayChange(template, agent);
  return (
    <li className={styles.entry}>
      <div className={styles.entryText}>
        <h2 className={styles.name}>
          {name}
          {shortcut !== undefined && <kbd className={styles.shortcut}>/{shortcut}</kbd>}
          <Badge tone={is_shared ? "success" : "neutral"}>{is_shared ? texts.shared : texts.own}</Badge>
        </h2>
        <p className={styles.text}>{text}</p>
      </div>
      <IconButton icon={isOwn ? "edit" : "eye"} label={isOwn ? texts.edit(name) : texts.show(name)} onPress={onOpen} />
      {isOwn && (
        <IconButton icon="trash" label={texts.remove(name)} onPress={() => void deleteTemplate(queries, template)} />
      )}
    </li>
  );
};

/** Where agents manage reply templates. */
export const TemplatesPage = () => {
  usePageTitle([texts.title]);
  const { data: templates, error, refetch } = useQuery(templatesQuery);
  const [words, setWords] = useState("");
  /** The template whose dialog is open; "new" for a new template. */
  const [opened, setOpened] = useState<ReplyTemplate | "new">();

  if (error)
    return (
      <EmptyState icon="warning" title={texts.failed} text={errorText(error)}>
        <Button onPress={() => void refetch()}>{uiMessages.retry}</Button>
      </EmptyState>
    );
  if (!templates) return <Spinner />;
  const found = matchingTemplates(templates, words);
  const create = (
    <Button variant="primary" icon="plus" onPress={() => setOpened("new")}>
      {texts.create}
    </Button>
  );
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div>
          <h1 className={styles.title}>{texts.title}</h1>
          <p className={styles.muted}>{texts.intro}</p>
        </div>
        {templates.length > 0 && create}
      </header>
      {templates.length === 0 ? (
        <EmptyState icon="template" title={texts.none}>
          <p>{texts.noneText}</p>
          {create}
        </EmptyState>
      ) : (
        <>
          <SearchField aria-label={texts.search} value={words} onChange={setWords} className={styles.search ?? ""}>
            <Input className={field.input ?? ""} placeholder={texts.search} />
          </SearchField>
          <p role="status" className={styles.muted}>
            {found.length === 0 ? texts.noMatch : texts.count(found.length)}
          </p>
          <ul className={styles.list}>
            {found.map((template) => (
              <TemplateEntry key={template.id} template={template} onOpen={() => setOpened(template)} />
            ))}
          </ul>
        </>
      )}
      {opened !== undefined && (
        <TemplateDialog template={opened === "new" ? undefined : opened} onClose={() => setOpened(undefined)} />
      )}
    </div>
  );
};
