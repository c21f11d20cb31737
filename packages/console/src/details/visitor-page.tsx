import { safeLink, visibleName, visibleText } from "@parley/contract/display";
import { formatDateTime, languageName } from "../i18n/format.ts";
import { customers } from "../live/presences.ts";
import { useStore } from "../state/store.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./details.module.css";
import { detailsMessages as texts } from "./messages.ts";
import { DetailsSection } from "./section.tsx";

/** A link to the page; only its address if it may not be opened. Both texts are those of a site that anybody could have written. */
const PageLink = ({ url, title = "" }: { readonly url: string; readonly title?: string | undefined }) => {
  const href = /^https?:/.test(url) ? safeLink(url) : undefined;
  const name = visibleName(title);
  const address = visibleText(url);
  if (href === undefined) return <bdi>{address}</bdi>;
  return (
    <>
      <a className={styles.pageLink} href={href} title={address} target="_blank" rel="noopener noreferrer">
        <bdi>{name || address}</bdi>
        <Icon name="external" label={texts.opensTab} />
      </a>
      {name !== "" && <bdi className={styles.pageAddress}>{address}</bdi>}
    </>
  );
};

/** The page that the customer wrote from last, and the customer's language, if the account lets agents see them. */
export const VisitorPageSection = ({ conversationId }: { readonly conversationId: string }) => {
  const page = useStore(customers).get(conversationId)?.page;
  if (!page) return undefined;
  const { url, title, language, seen_time } = page;
  return (
    <DetailsSection name="page" title={texts.visit}>
      <dl className={styles.visit}>
        {url !== undefined && (
          <div>
            <dt className={styles.label}>{texts.page}</dt>
            <dd>
              <PageLink url={url} title={title} />
            </dd>
          </div>
        )}
        {language !== undefined && (
          <div>
            <dt className={styles.label}>{texts.language}</dt>
            <dd>{languageName(language)}</dd>
          </div>
        )}
        <div>
          <dt className={styles.label}>{texts.seenTime}</dt>
          <dd>
            <time dateTime={seen_time}>{formatDateTime(seen_time)}</time>
          </dd>
        </div>
      </dl>
    </DetailsSection>
  );
};
