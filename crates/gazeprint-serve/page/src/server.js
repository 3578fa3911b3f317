// What the page asks the server.

/** What the server refused, in its own words. */
export class Problem extends Error {
  constructor(status, problem) {
    super(problem.detail ?? `the server answered ${status}`);
    this.status = status;
    this.kind = problem.kind ?? "";
  }
}

async function answer(response) {
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const value = isJson && text ? JSON.parse(text) : text;
  if (!response.ok) throw new Problem(response.status, isJson ? value : {});
  return value;
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Problem(0, { detail: "the server cannot be reached; is it still running?" });
  }
  return answer(response);
}

export const get = (path) => ask(path);
export const remove = (path) => ask(path, { method: "DELETE" });
/** Removes something as the page goes, which outlasts the page; nobody waits for the answer. */
export const removeAtLast = (path) => void fetch(path, { method: "DELETE", keepalive: true }).catch(() => {});
export const post = (path, body, headers = {}) =>
  ask(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
export const send = (path, form) => ask(path, { method: "POST", body: form });

/** A name as a part of a path. */
export const part = (name) => encodeURIComponent(name);

/** Logs in by the secret of the link, where there is one, and says who we are; nobody is `null`. */
export async function session() {
  const secret = new URLSearchParams(location.hash.slice(1)).get("token");
  if (secret) {
    // The secret does not stay in the address, where it could be copied.
    history.replaceState(null, "", "/#live");
    try {
      return await post("/v1/session", { link: secret });
    } catch (problem) {
      if (problem.status !== 401) throw problem;
    }
  }
  try {
    return await get("/v1/session");
  } catch (problem) {
    if (problem.status === 401) return null;
    throw problem;
  }
}

/** A watch: `fixation` and `announce` say what comes, `said` is called with each answer. */
export class Watch {
  constructor(asked, said, ended) {
    const query = new URLSearchParams(asked);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/v1/watch?${query}`);
    this.socket.onmessage = (message) => said(JSON.parse(message.data));
    this.socket.onclose = () => ended();
  }

  opened() {
    return new Promise((resolve, reject) => {
      this.socket.onopen = () => resolve();
      this.socket.onerror = () => reject(new Error("the server does not watch; see its log"));
    });
  }

  say(line) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(line));
  }

  end() {
    this.say({ end: true });
  }
}
