import { EgressFailure, type Egress } from "@parley/egress";
import { RefusedWithStatus } from "../../model/app-refused.ts";
import type { OAuthClient } from "./integration.ts";

/** Result of a token endpoint. @units expiresIn: seconds */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresIn?: number;
}

/** The token request failed. The message contains only the code of the provider's error. */
export class TokenExchangeFailed extends RefusedWithStatus {
  override readonly name = "ExchangeFailed";
  /** The provider's error code; "" without an error code or a response of the provider. */
  readonly code: string;
  /** @shape status: 401 if the provider refused; 502 or 504 if the provider could not be reached */
  constructor(status: number, message: string, code = "") {
    super(status, message);
    this.code = code;
  }
}

/** @units milliseconds, bytes */
const LIMITS = { timeoutMs: 15_000, maxRequestBytes: 100 * 1024, maxResponseBytes: 1024 * 1024 };

/** Accepts a single word only, since a longer text of the provider may repeat the request. */
const codeIn = (value: unknown): string => (typeof value === "string" && /^[\w.-]{1,60}$/.test(value) ? value : "");

/** Some providers respond with a form although JSON was requested. */
const fieldsIn = (body: string): Record<string, unknown> => {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === "object" && json !== null ? { ...json } : {};
  } catch {
    return Object.fromEntries(new URLSearchParams(body));
  }
};

const secondsIn = (value: unknown): number | undefined => {
  const seconds = typeof value === "string" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 && seconds < 1e10 ? seconds : undefined;
};

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && !/[\0\r\n]/.test(value) ? value : undefined;

const requestToken = async (egress: Pick<Egress, "send">, { tokenUrl }: OAuthClient, form: URLSearchParams) => {
  if (!/^https:/i.test(tokenUrl)) throw new TokenExchangeFailed(400, "token_url: Invalid URL - Must be HTTPS");
  try {
    return await egress.send({
      method: "POST",
      url: tokenUrl,
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
      ...LIMITS,
    });
  } catch (error) {
    if (error instanceof EgressFailure) throw new TokenExchangeFailed(error.code, `token_url: ${error.message}`);
    throw error;
  }
};

/** Requests tokens from the provider's token endpoint. @errors TokenExchangeFailed */
export const exchangeToken = async (
  egress: Pick<Egress, "send">,
  client: OAuthClient,
  grant: Readonly<Record<string, string>>,
): Promise<IssuedTokens> => {
  const form = new URLSearchParams({ ...grant, client_id: client.clientId });
  if (client.clientSecret !== "") form.set("client_secret", client.clientSecret);
  const { status, body } = await requestToken(egress, client, form);
  if (status === 429 || status >= 500) throw new TokenExchangeFailed(502, `token_url answered ${status}`);
  const fields = fieldsIn(body);
  const accessToken = textIn(fields["access_token"]);
  if (status >= 300 || accessToken === undefined) {
    const code = codeIn(fields["error"]);
    throw new TokenExchangeFailed(401, code === "" ? `token_url answered ${status} without a token` : code, code);
  }
  const refreshToken = textIn(fields["refresh_token"]);
  const expiresIn = secondsIn(fields["expires_in"]);
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresIn === undefined ? {} : { expiresIn }),
  };
};
