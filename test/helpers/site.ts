// SPDX-License-Identifier: Apache-2.0
// The documentation site as a browser shows it: a server on a free port, headless Chromium, and a page that opens
// every other page in a frame, types words into the search and posts its findings.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

import { chromium } from "./browser.ts";

/**
 * The findings of the browser: complaints, one sentence each, and the results of each search as
 * links.
 */
export interface Visit {
  readonly complaints: readonly string[];
  readonly visited: readonly string[];
  readonly results: Readonly<Record<string, readonly string[]>>;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** Opens `paths` of the site in `directory`, then searches for `words`. @throws Error if the browser requests nothing for `seconds` */
export async function visitSite(
  directory: string,
  paths: readonly string[],
  words: readonly string[],
  seconds = 120,
): Promise<Visit> {
  if (chromium === undefined) throw new Error("no Chromium is installed");
  const profile = mkdtempSync(join(tmpdir(), "neardata-site-"));
  const { promise, resolve, reject } = promiseOfVisit();
  const timer = setTimeout(() => {
    reject(new Error(`no request for ${String(seconds)} s`));
  }, seconds * 1000);
  const server = serve(directory, probe(paths, words), resolve);
  server.on("request", () => timer.refresh());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const browser = spawn(
    chromium,
    [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ...[`--user-data-dir=${profile}`, "--window-size=1400,1000", "--remote-debugging-port=0"],
      `http://127.0.0.1:${String(port)}/probe`,
    ],
    { stdio: "ignore", detached: true },
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    const ended = new Promise((exit) => browser.once("exit", exit));
    // The group contains the processes that the browser started; they still write to the profile.
    if (browser.pid === undefined) browser.kill("SIGKILL");
    else process.kill(-browser.pid, "SIGKILL");
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

function promiseOfVisit(): {
  readonly promise: Promise<Visit>;
  readonly resolve: (visit: Visit) => void;
  readonly reject: (error: Error) => void;
} {
  let resolve: (visit: Visit) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Visit>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

function serve(directory: string, probePage: string, found: (visit: Visit) => void): Server {
  return createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname);
    if (path === "/probe") {
      response.setHeader("content-type", "text/html");
      response.end(probePage);
      return;
    }
    if (path === "/found") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.end();
        found(JSON.parse(Buffer.concat(chunks).toString("utf8")) as Visit);
      });
      return;
    }
    const file = join(directory, normalize(path.endsWith("/") ? `${path}index.html` : path));
    if (!existsSync(file) || statSync(file).isDirectory()) {
      response.statusCode = path === "/favicon.ico" ? 204 : 404;
      response.end();
      return;
    }
    response.setHeader("content-type", types[extname(file)] ?? "text/plain");
    response.end(readFileSync(file));
  });
}

function probe(paths: readonly string[], words: readonly string[]): string {
  const data = `const paths = ${JSON.stringify(paths)}; const words = ${JSON.stringify(words)};`;
  return `<!doctype html><meta charset="utf-8"><title>probe</title>
<iframe width="1380" height="900"></iframe><script>${data}${script}</script>`;
}

/**
 * Runs in the page. A page is mounted once Vue has hydrated the element that the server rendered.
 */
const script = `
const frame = document.querySelector("iframe");
const complaints = [], visited = [], results = {};
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
async function until(check, ms = 15000) {
  for (const end = Date.now() + ms; Date.now() < end; await pause(30)) {
    const value = check();
    if (value) return value;
  }
}
async function open(path) {
  await new Promise((go) => { frame.onload = go; frame.src = path; });
  frame.contentWindow.addEventListener("error", (event) => complaints.push(path + ": " + event.message));
  const page = frame.contentDocument;
  if (!(await until(() => page.querySelector("#app")?.__vue_app__))) complaints.push(path + ": not mounted");
  return page;
}
async function look(path) {
  const page = await open(path);
  if (!(await until(() => page.querySelector(".vp-doc h1")))) complaints.push(path + ": no heading");
  if (page.querySelector(".NotFound")) complaints.push(path + ": not found");
  for (const image of page.querySelectorAll(".vp-doc img"))
    if (!(await until(() => image.complete && image.naturalWidth > 0)))
      complaints.push(path + ": no picture " + image.getAttribute("src"));
  const root = page.documentElement;
  if (root.scrollWidth > root.clientWidth + 1.5) complaints.push(path + ": wider than its window");
  for (const table of page.querySelectorAll(".vp-doc table"))
    if (table.scrollWidth > table.clientWidth + 1.5)
      complaints.push(path + ": wider than the text: the table of " + table.querySelector("th").textContent);
  visited.push(path);
}
async function search(word) {
  const page = await open("/");
  const button = await until(() => page.querySelector(".VPNavBarSearch button"));
  if (!button) return complaints.push("no search");
  await until(() => { button.click(); return page.querySelector("#localsearch-input"); });
  const input = page.querySelector("#localsearch-input");
  if (!input) return complaints.push("no field to search in");
  input.value = word;
  input.dispatchEvent(new frame.contentWindow.Event("input", { bubbles: true }));
  await until(() => page.querySelector(".VPLocalSearchBox .result"));
  results[word] = [...page.querySelectorAll(".VPLocalSearchBox a.result")].map((link) => link.getAttribute("href"));
}
(async () => {
  try {
    for (const path of paths) await look(path);
    for (const word of words) await search(word);
  } catch (error) {
    complaints.push(String(error));
  }
  await fetch("/found", { method: "POST", body: JSON.stringify({ complaints, visited, results }) });
})();
`;
