import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import { useConsoleApps } from "../../apps/console-apps.ts";
import { COUNTS_KEY } from "../../conversation/conversation-query.ts";
import { client } from "../../session/session.ts";
import { createSetting } from "../../state/setting.ts";
import { useStore } from "../../state/store.ts";
import { openTestCustomer } from "../../test-customer/test-customer-state.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import { useAccountDocument } from "../account-document.ts";
import styles from "../administration.module.css";
import { installationsQuery } from "../apps/apps-query.ts";
import { tokensQuery } from "../tokens/tokens-query.ts";
import own from "./first-day.module.css";
import { doneSteps, FIRST_STEPS, type FirstStep } from "./first-steps.ts";
import { firstDayMessages as texts } from "./messages.ts";
import { recordedChangesQuery } from "./recorded-changes.ts";

/** Whether this browser leaves the steps out. */
const hiddenSetting = createSetting<boolean>({
  key: "parley-first-day-hidden",
  parse: (text) => text === "yes",
  format: (isHidden) => (isHidden ? "yes" : null),
});

/** Where a step is done; that of the message is a panel and no page. */
const PAGES: Readonly<Record<Exclude<FirstStep, "message">, LinkProps["to"]>> = {
  topic: "/admin/topics",
  agent: "/admin/agents",
  app: "/admin/apps",
  token: "/admin/tokens",
  answer: "/inbox",
};

/** Enough to find a customer who was answered. */
const CONVERSATIONS_READ = 25;

/** -> the steps that are done; undefined until everything is known */
const useDoneSteps = (): ReadonlySet<FirstStep> | undefined => {
  const { account, agent, agents } = useWorkspace();
  const { data: document } = useAccountDocument().query;
  const { data: tokens } = useQuery(tokensQuery(account.name));
  const { data: conversations } = useQuery({
    // Read again, as the numbers are, when an event changes a conversation.
    queryKey: [...COUNTS_KEY, "first-day"],
    // Without conversations it is not known which steps are done: the steps are left out.
    enabled: agent.scope !== "None",
    queryFn: async ({ signal }) =>
      (await client.inbox.listInbox({ query: { limit: CONVERSATIONS_READ }, signal })).conversations,
  });
  const { data: installed } = useQuery(installationsQuery(account.name));
  const { data: recorded } = useQuery({ ...recordedChangesQuery(account.name), enabled: account.is_demo });
  // Apps that their developers run from a folder are in the console, but not among the installed apps of the catalogue.
  const fromFolder = useConsoleApps();
  if (!document || !tokens || !conversations || !installed || (account.is_demo && !recorded)) return undefined;
  const hasApp = installed.length > 0 || fromFolder.length > 0;
  return doneSteps({ document, agents, hasApp, tokens, conversations, recorded });
};

const Action = ({ step }: { readonly step: FirstStep }) =>
  step === "message" ? (
    <Button isSmall onPress={openTestCustomer}>
      {texts.messageAction}
    </Button>
  ) : (
    <Link to={PAGES[step]} className={own.link}>
      {texts[`${step}Action`]}
    </Link>
  );

/** The steps from an empty account to the first answered customer. They are left out when all are done, or when they are hidden. */
export const FirstDay = () => {
  const isHidden = useStore(hiddenSetting);
  const done = useDoneSteps();
  if (isHidden || !done || done.size === FIRST_STEPS.length) return undefined;
  return (
    <section className={own.box} aria-labelledby="first-day">
      <header className={own.header}>
        <div>
          <h2 id="first-day" className={styles.heading}>
            {texts.title}
          </h2>
          <p className={styles.muted}>{texts.progress(done.size, FIRST_STEPS.length)}</p>
        </div>
        <Button isSmall variant="quiet" onPress={() => hiddenSetting.change(true)}>
          {texts.hide}
        </Button>
      </header>
      <ol className={own.steps}>
        {FIRST_STEPS.map((step) => {
          const isDone = done.has(step);
          return (
            <li key={step} className={own.step} data-done={isDone}>
              <Icon name={isDone ? "check" : "right"} label={isDone ? texts.done : texts.open} />
              <div>
                <p className={own.name}>{texts[step]}</p>
                {!isDone && <p className={styles.muted}>{texts[`${step}Text`]}</p>}
              </div>
              {!isDone && <Action step={step} />}
            </li>
          );
        })}
      </ol>
    </section>
  );
};
