import { ConfigurationError } from "./errors/configuration_error.ts";

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname);
}

/**
 * The address of a service, checked and without a slash at the end. The token travels to it, so it
 * must be https, or an address of this machine.
 *
 * @throws {ConfigurationError} which shows a wrong address only as far as it can be no token: whoever
 * mixes the two up does not want to read the token in a log.
 */
export function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError(
      "baseUrl: must be a URL such as https://api.example.org (not shown here: it may be a token)",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigurationError(`baseUrl: must hold no user name and password: ${url.host}`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw new ConfigurationError(`baseUrl: must hold no ? and no #: ${url.origin}${url.pathname}`);
  }
  if (url.protocol !== "https:" && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `baseUrl: must be https, or http on a loopback address, since the token travels to it: ${url.href}`,
    );
  }
  return url.href.replace(/\/+$/, "");
}
