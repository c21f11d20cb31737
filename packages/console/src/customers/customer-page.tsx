import type { SessionAgent, User } from "@parley/contract";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense, useId, useState, type ReactNode } from "react";
import { forgetRecentPlace, noteRecentPlace } from "../shortcuts/recent-places.ts";
import { useCommands } from "../shortcuts/shortcuts.ts";
import { useEffect } from "../state/effects.ts";
import { PersonAvatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { errorText } from "../ui/error-text.ts";
import { Icon } from "../ui/icon.tsx";
import { uiMessages } from "../ui/messages.ts";
import { Spinner } from "../ui/spinner.tsx";
import { showError } from "../ui/toast-store.ts";
import { customerName, useWorkspace } from "../workspace/workspace.ts";
import { usePageTitle } from "../ui/page-title.ts";
import { BlockedNote, useBlocking } from "./blocking.tsx";
import { CustomerContact, CustomerProperties, CustomerSocialProfiles } from "./customer-contact.tsx";
import { CustomerConversations } from "./customer-conversations.tsx";
import styles from "./customer-page.module.css";
import { CustomerRatings } from "./customer-ratings.tsx";
import { exportCustomer } from "./export-customer.ts";
import { customerMessages as texts } from "./messages.ts";
import { useCustomer } from "./use-customer.ts";

const DeleteDialog = lazy(() => import("./delete-dialog.tsx"));
const route = getRouteApi("/customers/$customerId");

/** Exports and deletions need a role that administers, and concern conversations of every agent. */
const mayAdminister = ({ role, scope }: SessionAgent): boolean =>
  (role === "ADMIN" || role === "ACCOUNT_ADMIN") && scope === "Global";

const Card = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.card}>
      <h2 id={id} className={styles.heading}>
        {title}
      </h2>
      {children}
    </section>
  );
};

const useExport = (id: string) => {
  const [isExporting, setExporting] = useState(false);
  const run = async (): Promise<void> => {
    setExporting(true);
    try {
      await exportCustomer(id);
    } catch (error) {
      showError(error);
    } finally {
      setExporting(false);
    }
  };
  return { isExporting, exportNow: () => void run() };
};

const AdminActions = ({ user }: { readonly user: User }) => {
  const [isDeleting, setDeleting] = useState(false);
  const { isExporting, exportNow } = useExport(user.id);
  useCommands([
    { id: "export-customer", label: `${texts.export}: ${texts.exportHelp}`, group: "general", run: exportNow },
  ]);
  return (
    <>
      <Button icon="download" isDisabled={isExporting} onPress={exportNow}>
        {texts.export}
      </Button>
      <Button icon="trash" variant="danger" onPress={() => setDeleting(true)}>
        {texts.delete}
      </Button>
      {isDeleting && (
        <Suspense>
          <DeleteDialog user={user} onClose={() => setDeleting(false)} onExport={exportNow} />
        </Suspense>
      )}
    </>
  );
};

const BlockButton = ({ user }: { readonly user: User }) => {
  const { isBlocked, change, dialog } = useBlocking(user.id, customerName(user));
  return (
    <>
      <Button icon={isBlocked === true ? "undo" : "block"} isDisabled={isBlocked === undefined} onPress={change}>
        {isBlocked === true ? texts.unblock : texts.block}
      </Button>
      {dialog}
    </>
  );
};

const Profile = ({ user }: { readonly user: User }) => {
  const { agent } = useWorkspace();
  const name = customerName(user);
  usePageTitle([name, texts.title]);
  useEffect(() => {
    noteRecentPlace({ kind: "customer", id: user.id, label: name });
  }, [user.id, name]);
  return (
    <>
      <header className={styles.header}>
        <PersonAvatar name={name} url={user.avatar?.url} of={{ user_id: user.id }} />
        <h1 className={styles.title}>{name}</h1>
        <div className={styles.actions}>
          <BlockButton user={user} />
          {mayAdminister(agent) && <AdminActions user={user} />}
        </div>
      </header>
      <div className={styles.columns}>
        <div className={styles.column}>
          <Card title={texts.profile}>
            <BlockedNote customerId={user.id} />
            <CustomerContact user={user} />
          </Card>
          <Card title={texts.properties}>
            <CustomerProperties user={user} />
          </Card>
          {(user.social_profiles?.length ?? 0) > 0 && (
            <Card title={texts.socialProfiles}>
              <CustomerSocialProfiles user={user} />
            </Card>
          )}
        </div>
        <div className={styles.column}>
          <Card title={texts.conversations}>
            <CustomerConversations customerId={user.id} />
          </Card>
          <Card title={texts.ratings}>
            <CustomerRatings customerId={user.id} />
          </Card>
        </div>
      </div>
    </>
  );
};

const Content = ({ id }: { readonly id: string }) => {
  const { data, error, isPending, isGone, refetch } = useCustomer(id);
  useEffect(() => {
    if (isGone) forgetRecentPlace(id);
  }, [isGone, id]);
  if (isGone) return <EmptyState isPage icon="people" title={texts.notFound} text={texts.notFoundText} />;
  if (isPending) return <Spinner />;
  if (data) return <Profile key={id} user={data} />;
  return (
    <EmptyState isPage icon="warning" title={texts.loadFailed} text={errorText(error)}>
      <Button onPress={() => void refetch()}>{uiMessages.retry}</Button>
    </EmptyState>
  );
};

/** A customer's profile, conversations and ratings. */
export const CustomerPage = () => {
  const { customerId } = route.useParams();
  return (
    <div className={styles.page}>
      <Link to="/customers" className={styles.back}>
        <Icon name="back" />
        {texts.back}
      </Link>
      <Content id={customerId} />
    </div>
  );
};
