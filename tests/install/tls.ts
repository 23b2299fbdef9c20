/**
 * A server on loopback that speaks TLS, and leads on to one that does not.
 *
 * @module
 */
import { assert } from "@std/assert";
import { succeeds } from "../support/capability.ts";
import type { Site } from "./site.ts";

/** Lets a server with a certificate of its own, which the installer trusts, lead on to the one without. */
export async function leadFromTls(site: Site): Promise<AsyncDisposable> {
  const key = site.path("key.pem");
  const cert = site.path("cert.pem");
  const made = succeeds(
    "openssl",
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"],
    ...["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert],
  );
  assert(made, "a certificate is made");
  const open = new URL(site.server.address).origin;
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    key: await Deno.readTextFile(key),
    cert: await Deno.readTextFile(cert),
    onListen: () => {},
  }, ({ url }) => Response.redirect(`${open}${new URL(url).pathname}`));
  const settings = site.path("wgetrc");
  Deno.writeTextFileSync(settings, `ca_certificate = ${cert}\n`);
  Object.assign(site.env, {
    SKEIN_RELEASE_URL: `https://localhost:${server.addr.port}/releases`,
    SSL_CERT_FILE: cert,
    CURL_CA_BUNDLE: cert,
    WGETRC: settings,
    no_proxy: "127.0.0.1,localhost",
  });
  return server;
}
