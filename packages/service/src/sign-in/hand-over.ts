const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/**
 * The page that gives a session's token to the browser after a sign-in that ended with a response instead of a script's request. Its script
 * stores the token and goes on. @shape next: a path of this service
 */
export const handOverPage = (token: string, next: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="session-token" content="${escaped(token)}">
<meta name="next" content="${escaped(next)}">
<title>Signing in</title>
<script src="/sign-in/hand-over.js"></script>
</head>
<body>
<noscript>Turn JavaScript on to sign in.</noscript>
</body>
</html>
`;
