import { theme } from "../theme.ts";
import { escapeXml } from "./escape_xml.ts";

/** One HTML document. The body and the scripts are taken as they are. */
export function htmlPage(title: string, body: string, scripts = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(title)}</title>
<style>
body { margin: 0; padding: 16px; background: ${theme.paper}; color: ${theme.ink}; font-family: ${theme.fontFamily}; }
svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
${body}${scripts}
</body>
</html>
`;
}
