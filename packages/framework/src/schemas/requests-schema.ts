import { RequestTemplate } from "@parley/contract";
import { described, fileSchema, plain, propertiesOf, type JsonSchema } from "./described.ts";

const template = (): JsonSchema => {
  const whole = plain(RequestTemplate);
  const { schema = {}, options = {} } = propertiesOf(whole);
  return {
    ...whole,
    properties: {
      schema: described(schema, {
        protocol: "Always https.",
        host: "Full host name, such as api.example.com or <%= iparam.domain %>.",
        path: "Begins with /.",
        headers: "The only place for <%= iparam.k %> of a secure parameter.",
        query: "Parameters of the address; an empty one is left out.",
      }),
      options: described(options, {
        maxAttempts: "How often it is tried in all.",
        retryDelay: "Milliseconds between attempts.",
        timeout: "Seconds that one attempt may take.",
        isOAuth: "Whether <%= access_token %> stands in its headers; true by default where oauth is given.",
        oauth: "Name of the integration in config/oauth_config.json whose token is sent.",
      }),
    },
  };
};

/** `config/requests.json`. */
export const requestsSchema = (): JsonSchema =>
  fileSchema("config/requests.json", {
    type: "object",
    description:
      "Templates by name. <%= iparam.k %>, <%= context.k %> and <%= encode(…) %> are filled in when one is used.",
    additionalProperties: template(),
  });
