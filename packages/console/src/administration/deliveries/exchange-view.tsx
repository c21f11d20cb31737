import type { DeliveryExchange } from "@parley/contract";
import { Button } from "../../ui/button.tsx";
import styles from "../administration.module.css";
import { copyText } from "../copy-field.tsx";
import { DELIVERY_VALUES } from "./contract-values.ts";
import own from "./deliveries.module.css";
import { readable } from "./delivery-values.ts";
import { deliveryMessages as texts } from "./messages.ts";

const LIMITS = DELIVERY_VALUES.exchangeLimits;

const Headers = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => (
  <>
    <h4>{texts.headers}</h4>
    <pre className={own.code}>
      {Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n")}
    </pre>
  </>
);

const Body = ({ body, max, isCut }: { readonly body: string; readonly max: number; readonly isCut: boolean }) => (
  <>
    {body === "" ? <p className={styles.muted}>{texts.emptyBody}</p> : <pre className={own.code}>{readable(body)}</pre>}
    {isCut && <p className={styles.muted}>{texts.cut(max)}</p>}
  </>
);

/** A request as it was sent, and its response. */
export const ExchangeView = ({ request, response }: DeliveryExchange) => {
  const { url, headers, body, truncated } = request;
  return (
    <>
      <section className={own.part} aria-labelledby="delivery-request">
        <h3 id="delivery-request" className={styles.heading}>
          {texts.request}
        </h3>
        <pre className={own.code}>POST {url}</pre>
        <Headers headers={headers} />
        <h4>{texts.body}</h4>
        {body === undefined ? (
          <p className={styles.muted}>{texts.noBody}</p>
        ) : (
          <>
            <Body body={body} max={LIMITS.shownRequestBody} isCut={truncated} />
            <p className={styles.muted}>{texts.bodyNote}</p>
            <div>
              <Button isSmall icon="copy" onPress={() => void copyText(texts.bodyName, body)}>
                {texts.copyBody}
              </Button>
            </div>
          </>
        )}
      </section>
      <section className={own.part} aria-labelledby="delivery-response">
        <h3 id="delivery-response" className={styles.heading}>
          {texts.responseTitle}
        </h3>
        {response ? (
          <>
            <p>{response.status}</p>
            <Headers headers={response.headers} />
            <h4>{texts.body}</h4>
            <Body body={response.body} max={LIMITS.responseBody} isCut={response.truncated} />
          </>
        ) : (
          <p>{texts.noResponse}</p>
        )}
      </section>
    </>
  );
};
