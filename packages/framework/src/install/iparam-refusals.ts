/** What an app is told that asks for a parameter it can't have. @spec Resources and their fields > App installation parameters (iparams) */
export const noSuchIparam = (key: string): string => `No installation parameter matches the key '${key}'.`;
export const secureIparam = (key: string): string =>
  `The installation parameter '${key}' is secure: only the request method reads it.`;
