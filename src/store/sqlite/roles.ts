import type { RoleRow } from "../executors.ts";
import type { Connection } from "./connection.ts";

const ROLE = "SELECT name, owner, token, expires_at FROM roles WHERE name = ?";
const ROLES = "SELECT name, owner, token, expires_at FROM roles ORDER BY name";
const TAKE = `
INSERT INTO roles (name, owner, token, expires_at) VALUES (?1, ?2, 1, ?3)
ON CONFLICT (name) DO UPDATE SET owner = ?2, token = token + 1, expires_at = ?3
RETURNING token`;
const KEEP = `
UPDATE roles SET expires_at = ? WHERE name = ? AND owner = ? AND token = ? AND expires_at > ?`;
const RELEASE = "UPDATE roles SET owner = NULL WHERE name = ? AND owner = ? AND token = ?";

/** Takes a role that is free or has expired, or keeps one's own. */
export function acquireRole(
  connection: Connection,
  name: string,
  owner: string,
  ttlMs: number,
): number | null {
  const now = connection.now();
  const role = roleOf(connection.get(ROLE, name));
  const held = role !== null && role.owner !== null && role.expiresAt > now;
  if (held && role.owner !== owner) return null;
  if (!held) return Number(connection.get(TAKE, name, owner, now + ttlMs)?.token);
  connection.change(KEEP, now + ttlMs, name, owner, role.token, now);
  return role.token;
}

/** Keeps a role that has not expired. */
export function renewRole(
  connection: Connection,
  name: string,
  owner: string,
  token: number,
  ttlMs: number,
): boolean {
  const now = connection.now();
  return connection.change(KEEP, now + ttlMs, name, owner, token, now) === 1;
}

/** Gives a role up. */
export function releaseRole(
  connection: Connection,
  name: string,
  owner: string,
  token: number,
): boolean {
  return connection.change(RELEASE, name, owner, token) === 1;
}

/** Every role. */
export function roles(connection: Connection): RoleRow[] {
  return connection.all(ROLES).map(roleOf).filter((role) => role !== null);
}

function roleOf(row: Record<string, unknown> | undefined): RoleRow | null {
  if (row === undefined) return null;
  return {
    name: String(row.name),
    owner: row.owner as string | null,
    token: Number(row.token),
    expiresAt: Number(row.expires_at),
  };
}
