import type { Agent, IssuedLink, ListedSession } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { Button } from "../../ui/button.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import administration from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { agentPageMessages as texts } from "./agent-page-messages.ts";
import { Section } from "../section.tsx";
import { agentSessionsQuery, useRereadAgents } from "./agents-query.ts";
import styles from "./agents.module.css";
import { LinkDialog } from "./link-dialog.tsx";

const METHODS: Readonly<Record<ListedSession["method"], string>> = {
  password: texts.password,
  link: texts.linkMethod,
  identity_provider: texts.identity_provider,
};

const COLUMNS: readonly Column<ListedSession>[] = [
  { id: "device", label: texts.device, cell: ({ device }) => device },
  { id: "address", label: texts.address, cell: ({ address }) => address },
  {
    id: "method",
    label: texts.method,
    cell: ({ created_time, method }) => (
      <>
        {formatDateTime(created_time)}
        <span className={administration.detail}>{METHODS[method]}</span>
      </>
    ),
  },
  { id: "seen", label: texts.lastSeen, cell: ({ last_seen_time }) => formatDateTime(last_seen_time) },
];

interface SignInSectionProps {
  readonly agent: Agent;
}

/** Links by which the agent chooses a password: sent by e-mail, or shown. */
const Links = ({ agent }: SignInSectionProps) => {
  const { account } = useWorkspace();
  const [shown, setShown] = useState<{ readonly title: string; readonly issued: IssuedLink & { link: string } }>();
  const [isIssuing, setIssuing] = useState(false);
  const params = { account: account.name, agent_id: agent.id };

  const issue = async (request: Promise<IssuedLink>, title: string, sent: (email: string) => string): Promise<void> => {
    setIssuing(true);
    try {
      const issued = await request;
      const { link, email } = issued;
      if (link === undefined) showToast(sent(email));
      else setShown({ title, issued: { ...issued, link } });
    } catch (error) {
      showError(error);
    } finally {
      setIssuing(false);
    }
  };
  return (
    <>
      <div className={styles.action}>
        <p>{agent.is_deactivated ? texts.deactivatedText : texts.signInText}</p>
        <div className={administration.buttons}>
          <Button
            isDisabled={agent.is_deactivated || isIssuing}
            onPress={() => void issue(adminCalls.inviteAgent({ params }), texts.inviteTitle, texts.inviteSent)}
          >
            {texts.invite}
          </Button>
          <Button
            isDisabled={agent.is_deactivated || isIssuing}
            onPress={() => void issue(adminCalls.resetAgentPassword({ params }), texts.resetTitle, texts.resetSent)}
          >
            {texts.reset}
          </Button>
        </div>
      </div>
      {shown && <LinkDialog title={shown.title} issued={shown.issued} onClose={() => setShown(undefined)} />}
    </>
  );
};

/** The sessions of another agent, and what ends them. */
const Sessions = ({ agent }: SignInSectionProps) => {
  const { account } = useWorkspace();
  const query = useQuery(agentSessionsQuery(account.name, agent.id));
  const reread = useRereadAgents();
  const [asked, setAsked] = useState<"end" | "factor">();
  const name = agentName(agent);
  const params = { account: account.name, agent_id: agent.id };

  const end = async (): Promise<void> => {
    await adminCalls.endAgentSessions({ params });
    await reread();
    showToast(texts.ended(name));
  };
  const removeFactor = async (): Promise<void> => {
    await adminCalls.removeAgentSecondFactor({ params });
    await reread();
    showToast(texts.factorRemoved(name));
  };
  return (
    <>
      <LoadState query={query}>
        {(sessions) => (
          <RecordTable
            label={texts.sessions}
            columns={COLUMNS}
            records={sessions}
            idOf={({ id }) => id}
            empty={<p className={administration.muted}>{texts.noSessions}</p>}
          />
        )}
      </LoadState>
      <div className={administration.buttons}>
        {query.data !== undefined && query.data.length > 0 && (
          <Button onPress={() => setAsked("end")}>{texts.endAll}</Button>
        )}
        <Button onPress={() => setAsked("factor")}>{texts.removeFactor}</Button>
      </div>
      {asked === "end" && (
        <ConfirmDialog
          title={texts.endAllTitle(name)}
          text={texts.endAllText}
          action={texts.endAll}
          run={end}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked === "factor" && (
        <ConfirmDialog
          title={texts.removeFactorTitle(name)}
          text={texts.removeFactorText}
          action={texts.removeFactor}
          run={removeFactor}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
};

/** How an agent signs in. The own sign-in is managed with the own password, on the profile. */
export const SignInSection = ({ agent, isOwn }: SignInSectionProps & { readonly isOwn: boolean }) => (
  <Section isCard title={texts.signIn}>
    {isOwn ? (
      <p>
        {texts.ownSignIn} <a href="/profile">{texts.openProfile}</a>
      </p>
    ) : (
      <>
        <Links agent={agent} />
        <Sessions agent={agent} />
      </>
    )}
  </Section>
);
