// Requests to the JSON API, which can do all that this page can.

import { words } from "./words.js";

/** A request that failed: the problem that the API answered (RFC 9457), or none if nothing answered. */
export class Problem extends Error {
  constructor(status, body, requestId) {
    super(body?.detail ?? "");
    this.status = status;
    this.code = body?.code ?? (status === 0 ? "offline" : "unexpected-answer");
    this.detail = body?.detail ?? "";
    this.requestId = body?.requestId ?? requestId;
    /** The whole problem: `errors`, `findings`, `expectations`, `account`, … */
    this.body = body ?? {};
  }
}

/** The problem of a value that the page itself refuses, in the field with this name. */
export const refused = (name, message) => new Problem(422, { errors: [{ pointer: `/${name}`, message }] });
export const sessions = new EventTarget();

/** The number of the last change that this page has made: `change`. */
export const made = { change: undefined };

/** Sends a request. @param {string} method @param {string} path
 * @param {{ query?: object, body?: any, type?: string, ifMatch?: string | number, ifNoneMatch?: string,
 *   signal?: AbortSignal }} [options]
 * @returns the value of the answer, its entity tag without quotes, and its status.
 * @throws Problem */
export async function request(method, path, { query, body, type, ifMatch, ifNoneMatch, signal } = {}) {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, value);
  }
  // A form of another site cannot send this field, so it cannot use the cookie to change anything.
  const headers = { Accept: "application/json", "X-Aasa-Dashboard": "1" };
  if (body !== undefined && type !== null) headers["Content-Type"] = type ?? "application/json";
  if (ifMatch !== undefined) headers["If-Match"] = `"${ifMatch}"`;
  if (ifNoneMatch !== undefined) headers["If-None-Match"] = ifNoneMatch;
  const content = body === undefined || typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body);
  let response, text;
  try {
    response = await fetch(url, {
      method,
      headers,
      body: content,
      signal,
      credentials: "same-origin",
      mode: "same-origin",
      redirect: "error",
    });
    text = await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0);
  }
  const requestId = response.headers.get("X-Request-Id");
  if (!response.ok) {
    const problem = new Problem(response.status, parsed(() => text), requestId);
    if (problem.status === 401) sessions.dispatchEvent(new Event("end"));
    throw problem;
  }
  const etag = response.headers.get("ETag")?.replaceAll('"', "");
  const value = parsed(() => text);
  if (value === undefined && text !== "") throw new Problem(response.status, undefined, requestId);
  if (method !== "GET" && !query?.dryRun && value?.change) made.change = value.change;
  return { value, etag, status: response.status };
}

export const get = async (path, query, signal) => (await request("GET", path, { query, signal })).value;

/** Puts what must not exist yet, since it would be replaced. If it does, the field with this name says so. */
export async function add(path, body, name, exists, signal) {
  if (path.endsWith("/")) throw refused(name, words.common.required);
  const { status } = await request("PUT", path, { body, query: { dryRun: true }, signal });
  if (status === 200) throw refused(name, exists);
  return (await request("PUT", path, { body, signal })).value;
}

/** A path of the API, with its parts encoded: path`/v1/domains/${name}`. */
export const path = (strings, ...values) => String.raw({ raw: strings }, ...values.map(encodeURIComponent));

/** Keeps a value in the browser, if that lets us. */
export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Without room, it is as if nothing had been chosen.
  }
}

/** The value of the JSON that a function reads, or undefined if there is none or it cannot be read. */
export function parsed(read) {
  try {
    return JSON.parse(read());
  } catch {
    return undefined;
  }
}
