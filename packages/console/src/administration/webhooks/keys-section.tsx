import type { WebhookKey } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { copyText } from "../copy-field.tsx";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { Section } from "../section.tsx";
import { useForm } from "../../forms/use-form.ts";
import { webhookMessages as texts } from "./messages.ts";
import { OverlapSelect } from "./overlap-select.tsx";
import { webhookKeysQuery } from "./webhook-queries.ts";
import type { Overlap } from "./webhook-values.ts";

const TONES = { active: "success", next: "warning", retired: "neutral" } as const;

const copyMenu = ({ id, ...key }: WebhookKey) => {
  const forms = { spki: key.public_key, oneLine: key.public_key_base64, pkcs1: key.public_key_pkcs1 };
  const actions = (["spki", "oneLine", "pkcs1"] as const).map((form) => ({
    id: form,
    label: texts[form],
    onAction: () => void copyText(texts[form], forms[form]),
  }));
  return (
    <Menu label={texts.copyKeyOf(id)} groups={[{ actions }]}>
      <Button isSmall icon="copy" aria-label={texts.copyKeyOf(id)}>
        {texts.copyKey}
      </Button>
    </Menu>
  );
};

const COLUMNS: readonly Column<WebhookKey>[] = [
  { id: "key", label: texts.key, cell: ({ id }) => <code>{id}</code> },
  { id: "state", label: texts.state, cell: ({ state }) => <Badge tone={TONES[state]}>{texts[state]}</Badge> },
  { id: "from", label: texts.signsFrom, cell: ({ signs_from }) => formatDateTime(signs_from) },
];

const RotateDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const queries = useQueryClient();
  const account = useWorkspace().account.name;
  const form = useForm<{ hours: Overlap }>({
    initial: { hours: 24 },
    check: () => ({}),
    async save({ hours: overlap_hours }) {
      const { keys } = await adminCalls.rotateWebhookKey({ params: { account }, body: { overlap_hours } });
      queries.setQueryData(webhookKeysQuery(account).queryKey, keys);
      showToast(texts.rotatedToast);
      onClose();
    },
  });
  return (
    <FormDialog title={texts.rotateTitle} form={form} action={texts.rotate} onClose={onClose}>
      <p>{texts.rotateText}</p>
      <OverlapSelect
        label={texts.rotateOverlap}
        none={texts.atOnce}
        value={form.values.hours}
        onChange={(hours) => form.change({ hours })}
      />
    </FormDialog>
  );
};

/** The keys with which the account signs its webhooks. Nothing is shown before the first webhook creates a key. */
export const KeysSection = () => {
  const query = useQuery(webhookKeysQuery(useWorkspace().account.name));
  const [isRotating, setRotating] = useState(false);
  if (query.data?.length === 0) return null;
  return (
    <Section
      title={texts.keys}
      intro={texts.keysText}
      action={<Button onPress={() => setRotating(true)}>{texts.rotate}</Button>}
    >
      <LoadState query={query}>
        {(keys) => (
          <RecordTable label={texts.keys} columns={COLUMNS} records={keys} idOf={({ id }) => id} actions={copyMenu} />
        )}
      </LoadState>
      {isRotating && <RotateDialog onClose={() => setRotating(false)} />}
    </Section>
  );
};
