import type { InboxItem } from "@parley/contract";
import { Link } from "@tanstack/react-router";
import { AppsPanel } from "../apps/apps-panel.tsx";
import { useConsoleApps } from "../apps/console-apps.ts";
import { BlockedNote } from "../customers/blocking.tsx";
import { CustomerContact, CustomerProperties, CustomerSocialProfiles } from "../customers/customer-contact.tsx";
import { CustomerConversations } from "../customers/customer-conversations.tsx";
import { CustomerRatings } from "../customers/customer-ratings.tsx";
import { LoadFailure } from "../customers/load-failure.tsx";
import { useCustomer } from "../customers/use-customer.ts";
import { PersonAvatar } from "../ui/avatar.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { customerName, useWorkspace } from "../workspace/workspace.ts";
import { AssignmentReason } from "./assignment-reason.tsx";
import styles from "./details.module.css";
import { detailsMessages as texts } from "./messages.ts";
import { PropertyField } from "./property-field.tsx";
import { fieldsByPosition } from "./property-values.ts";
import { DetailsSection } from "./section.tsx";
import { VisitorPageSection } from "./visitor-page.tsx";

const CustomerSection = ({ item }: { readonly item: InboxItem }) => {
  const { id } = item.customer;
  const { data: user, error, isGone, refetch } = useCustomer(id);
  const name = customerName(user ?? item.customer);
  return (
    <DetailsSection name="customer" title={texts.customer}>
      <div className={styles.person}>
        <PersonAvatar name={name} url={user?.avatar?.url ?? item.customer.avatar_url} of={{ user_id: id }} />
        <Link to="/customers/$customerId" params={{ customerId: id }} className={styles.name} title={texts.profile}>
          {name}
        </Link>
      </div>
      <BlockedNote customerId={id} />
      {isGone ? (
        <p>{texts.deleted}</p>
      ) : user ? (
        <CustomerContact key={id} user={user} />
      ) : error ? (
        <LoadFailure error={error} onRetry={() => void refetch()} />
      ) : (
        <Spinner />
      )}
    </DetailsSection>
  );
};

const CustomerPropertiesSection = ({ customerId }: { readonly customerId: string }) => {
  const { data: user, isGone } = useCustomer(customerId);
  const hasProfiles = (user?.social_profiles?.length ?? 0) > 0;
  if (!user || isGone || ((user.properties?.length ?? 0) === 0 && !hasProfiles)) return undefined;
  return (
    <DetailsSection name="customerProperties" title={texts.customerProperties}>
      {(user.properties?.length ?? 0) > 0 && <CustomerProperties user={user} />}
      {hasProfiles && <CustomerSocialProfiles user={user} />}
    </DetailsSection>
  );
};

const PropertySection = ({ item }: { readonly item: InboxItem }) => {
  const { account, fields } = useWorkspace();
  if (!account.has_properties || fields.length === 0) return undefined;
  return (
    <DetailsSection name="conversation" title={texts.conversation}>
      <div className={styles.properties}>
        {fieldsByPosition(fields).map((field) => (
          <PropertyField key={field.id} item={item} field={field} />
        ))}
      </div>
    </DetailsSection>
  );
};

const AppsSection = ({ conversationId }: { readonly conversationId: string }) => {
  const hasSidebarApps = useConsoleApps().some(({ places }) => places.some(({ kind }) => kind === "sidebar"));
  const panel = <AppsPanel conversationId={conversationId} />;
  // Apps that run unseen need no section.
  if (!hasSidebarApps) return panel;
  return (
    <DetailsSection name="apps" title={texts.apps} isKept>
      {panel}
    </DetailsSection>
  );
};

/** The panel beside a conversation: the customer, properties, other conversations, ratings, apps. */
export const DetailsPanel = ({ item }: { readonly item: InboxItem }) => {
  const { conversation_id, customer } = item;
  const { isGone } = useCustomer(customer.id);
  return (
    <div className={styles.panel} key={conversation_id}>
      <CustomerSection item={item} />
      <VisitorPageSection conversationId={conversation_id} />
      <AssignmentReason key={conversation_id} item={item} />
      <PropertySection item={item} />
      <AppsSection conversationId={conversation_id} />
      <CustomerPropertiesSection customerId={customer.id} />
      <DetailsSection name="earlier" title={texts.earlier}>
        <CustomerConversations customerId={customer.id} exceptId={conversation_id} />
      </DetailsSection>
      {!isGone && (
        <DetailsSection name="ratings" title={texts.ratings}>
          <CustomerRatings customerId={customer.id} />
        </DetailsSection>
      )}
    </div>
  );
};
